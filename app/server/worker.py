"""One worker process: waitress on an inherited socket, which it leaves without dropping a request.

This file alone uses parts of waitress that its documentation does not promise (channels, the task's header, the
loop's map); setup.cfg therefore pins the version.
"""

from __future__ import annotations

import logging
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import WSGITask

from app.server.admission import ENVELOPE, refusals, refusing_channel
from app.server.cross_origin import CrossOrigin
from app.settings import Settings

WSGIApplication = Callable[..., Any]

_LOOK_S = 1.0
_DRAIN_LOOK_S = 0.05
# A client that keeps its connection may be sending its next request just now.
_LINGER_S = 0.5
_BACKLOG = 1024
_CONNECTIONS = 1000
_READ_TO_SEND = 128 * 1024
# waitress asks for 8 KiB at a time, which makes a large upload a matter of many calls.
_READ_AT_ONCE = 128 * 1024


class _Task(WSGITask):  # type: ignore[misc]
    def build_response_header(self) -> bytes:
        if self.channel.server.is_stopping:
            # The client then sends its next request on a connection that somebody accepts.
            self.request.headers["CONNECTION"] = "close"
        header: bytes = super().build_response_header()
        return header

    def set_close_on_finish(self) -> None:
        # waitress would also close for want of a length; but an answer that has no body by its status needs none.
        asked = self.version != "1.1" or self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or asked or self.wrote_header:
            super().set_close_on_finish()


class _Channel(HTTPChannel):  # type: ignore[misc]
    task_class = _Task
    sendbuf_len: int

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        # It reads so much of a file for each send, by default as much as the system's buffer: 4 MiB over loopback.
        self.sendbuf_len = min(self.sendbuf_len, _READ_TO_SEND)


class Worker:
    """Serves an application on a listening socket until ``stop`` is called, by a signal handler or another thread."""

    def __init__(self, application: WSGIApplication, listener: socket.socket, settings: Settings) -> None:
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._grace_s = settings.shutdown_grace_s
        self._map: dict[int, Any] = {}
        self._server = create_server(
            application,
            map=self._map,
            sockets=[listener],
            threads=settings.threads,
            backlog=_BACKLOG,
            connection_limit=_CONNECTIONS,
            max_request_body_size=max(settings.body_limit, settings.upload_size_limit) + ENVELOPE,
            asyncore_use_poll=True,
            recv_bytes=_READ_AT_ONCE,
            ident="portico",
            **_proxy(settings.trusted_proxy),
        )
        self._server.channel_class = refusing_channel(_Channel, refusals(settings), CrossOrigin(settings.cors_origins))
        self._server.is_stopping = False

    def stop(self) -> None:
        self._server.is_stopping = True
        self._server.pull_trigger()

    def run(self) -> None:
        """Serve; after ``stop`` finish what was begun, at most for the grace period, and return."""
        while not self._server.is_stopping:
            self._turn(_LOOK_S)
        self._drain()

    def _turn(self, seconds: float) -> None:
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def _drain(self) -> None:
        began = time.monotonic()
        self._accept_waiting()
        # Not server.close(): that would close the trigger by which threads wake the loop.
        self._server.accepting = False
        self._server.del_channel()
        self._server.socket.close()
        channels = self._server.active_channels
        while channels and time.monotonic() - began < self._grace_s:
            if time.monotonic() - began > _LINGER_S:
                for channel in list(channels.values()):
                    if not (channel.requests or channel.total_outbufs_len or channel.request):
                        channel.handle_close()
            self._turn(_DRAIN_LOOK_S)
        self._server.task_dispatcher.shutdown(timeout=0.1)

    def _accept_waiting(self) -> None:
        """Take the connections that the system has accepted for us; they would be reset otherwise."""
        for _ in range(_BACKLOG):
            if not select.select([self._server.socket], [], [], 0)[0]:
                return
            self._server.handle_accept()


def run_worker(
    make_application: Callable[[Settings], WSGIApplication],
    listener: socket.socket,
    settings: Settings,
    parent_gone: Callable[[], object],
    ready: Callable[[], None],
) -> None:
    """Make the application and serve it until SIGTERM, or until ``parent_gone`` returns in its thread."""
    application = make_application(settings)
    try:
        worker = Worker(application, listener, settings)
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        threading.Thread(target=_stop_after, args=(parent_gone, worker), name="parent", daemon=True).start()
        ready()
        worker.run()
    finally:
        close = getattr(application, "close", None)
        if close is not None:
            close()


def _stop_after(parent_gone: Callable[[], object], worker: Worker) -> None:
    parent_gone()
    worker.stop()


def _proxy(trusted: str | None) -> dict[str, Any]:
    if trusted is None:
        return {}
    # Not X-Forwarded-Host: most proxies pass on what the client wrote there.
    return {"trusted_proxy": trusted, "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto"}}
