"""Requests of ours to an HTTP server that may be slow."""

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
    """The answer, to be read within the context; ``redirected``: that of the server to which redirects lead.

    Raises urllib.error.HTTPError for an answer other than 2xx, and OSError where it is none of HTTP or takes longer.
    """
    cut = _Cut(timeout_s)
    redirects = _Redirects() if redirected else _NoRedirects()
    try:
        opener = urllib.request.build_opener(_Http(cut), _Https(cut), redirects)
        with cut, opener.open(request, timeout=timeout_s) as response:
            yield response
    except (HTTPException, OSError) as ex:
        if cut.is_made:
            raise TimeoutError("the answer is too slow") from ex
        if isinstance(ex, HTTPException):
            raise OSError(f"the answer is not one of HTTP ({type(ex).__name__})") from ex
        raise
    if cut.is_made:
        raise TimeoutError("the answer is too slow")


class _Cut:
    """Cuts the connections of a fetch off when it takes too long. The timeout of a socket is for each read: a server
    that sends a byte now and then, of a header too, would block us for ever."""

    def __init__(self, after_s: float) -> None:
        self.is_made = False
        self._opened: list[socket.socket] = []
        self._timer = threading.Timer(after_s, self._make)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def opened(self, sock: socket.socket) -> None:
        self._opened.append(sock)
        if self.is_made:
            raise TimeoutError("the answer is too slow")

    def _make(self) -> None:
        self.is_made = True
        for each in self._opened:
            with suppress(OSError):
                # Not SSLSocket's own, which is not for another thread than the one that reads.
                socket.socket.shutdown(each, socket.SHUT_RDWR)


class _Cuttable(urllib.request.AbstractHTTPHandler):
    """Tells a cut of the connections that it opens."""

    def __init__(self, cut: _Cut) -> None:
        super().__init__()
        self._cut = cut

    def do_open(self, http_class: Any, req: urllib.request.Request, **arguments: Any) -> HTTPResponse:
        def connection(*parts: Any, **options: Any) -> HTTPConnection:
            made: Any = http_class(*parts, **options)
            connect = made.connect

            def connecting() -> None:
                connect()
                self._cut.opened(made.sock)

            made.connect = connecting
            return made  # type: ignore[no-any-return]

        return super().do_open(connection, req, **arguments)


class _Http(_Cuttable, urllib.request.HTTPHandler):
    pass


class _Https(_Cuttable, urllib.request.HTTPSHandler):
    pass


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        # It would be read to its end, however long it is.
        fp.close()
        # urllib follows ftp as well, which nothing cuts off, and from https to what anybody between can answer.
        if not newurl.lower().startswith(("https://",) if req.type == "https" else ("http://", "https://")):
            raise OSError("it redirects to another protocol")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None
