"""Sends requests of the service to an HTTP server that may be slow."""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any


@contextmanager
def opened(request: urllib.request.Request, timeout_s: float, *, redirected: bool) -> Iterator[HTTPResponse]:
    """The response, to be read within the context. ``timeout_s`` limits the time until the context ends, in seconds.
    ``redirected``: whether redirects are followed.

    Raises urllib.error.HTTPError for a status other than 2xx, TimeoutError, and OSError for a response that is not
    HTTP.
    """
    deadline = _Deadline(timeout_s)
    redirects = _Redirects() if redirected else _NoRedirects()
    try:
        opener = urllib.request.build_opener(_Http(deadline), _Https(deadline), redirects)
        with deadline, opener.open(request, timeout=timeout_s) as response:
            yield response
    except (HTTPException, OSError) as ex:
        if deadline.has_passed:
            raise TimeoutError("the response is too slow") from ex
        if isinstance(ex, HTTPException):
            raise OSError(f"the response is not HTTP ({type(ex).__name__})") from ex
        raise
    if deadline.has_passed:
        raise TimeoutError("the response is too slow")


class _Deadline:
    """Shuts down the connections of a request that takes too long. A socket's timeout applies to each read: a server
    that sends a byte from time to time could block the caller forever, even within the headers."""

    def __init__(self, after_s: float) -> None:
        self.has_passed = False
        self._opened: list[socket.socket] = []
        self._timer = threading.Timer(after_s, self._end)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def opened(self, sock: socket.socket) -> None:
        self._opened.append(sock)
        if self.has_passed:
            raise TimeoutError("the response is too slow")

    def _end(self) -> None:
        self.has_passed = True
        for each in self._opened:
            with suppress(OSError):
                # SSLSocket's own method must only be called in the thread that reads.
                socket.socket.shutdown(each, socket.SHUT_RDWR)


class _WithDeadline(urllib.request.AbstractHTTPHandler):
    """Registers each connection that it opens with a deadline."""

    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def do_open(self, http_class: Any, req: urllib.request.Request, **arguments: Any) -> HTTPResponse:
        def connection(*parts: Any, **options: Any) -> HTTPConnection:
            made: Any = http_class(*parts, **options)
            connect = made.connect

            def connecting() -> None:
                connect()
                self._deadline.opened(made.sock)

            made.connect = connecting
            return made  # type: ignore[no-any-return]

        return super().do_open(connection, req, **arguments)


class _Http(_WithDeadline, urllib.request.HTTPHandler):
    """Opens http:// URLs."""


class _Https(_WithDeadline, urllib.request.HTTPSHandler):
    """Opens https:// URLs."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        # urllib would read this response to its end, regardless of its length.
        fp.close()
        # urllib also follows redirects to ftp, which has no deadline here, and from https to unencrypted protocols.
        if not newurl.lower().startswith(("https://",) if req.type == "https" else ("http://", "https://")):
            raise OSError("it redirects to another protocol")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None
