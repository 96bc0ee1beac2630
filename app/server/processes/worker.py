"""One worker process: serves an inherited socket, and stops without dropping a request.

It uses the parser, the tasks and the buffers of waitress, in app.server.request and app.server.connection; setup.cfg
pins the version, because this use is undocumented. The loop is app.server.turns.loop.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from app.http.admission import Admission
from app.http.cross_origin import CrossOrigin
from app.server.capacity import WorkerTotals, make_capacity
from app.server.connection.connections import Connections
from app.server.connection.listener import Listener
from app.server.connection.server import Server, WSGIApplication
from app.server.handing_over import HandingOver
from app.server.turns.loop import Loop, guarded
from app.server.waitress_internals import Adjustments
from app.settings import Settings

_LOOK_S = 1.0
_DRAIN_LOOK_S = 0.02
# uvicorn's limit is the same, nginx's is half of it. In many short headers each byte takes microseconds to parse.
_MAX_HEADER_BYTES = 64 * 1024
# A client that keeps its connection may be about to send its next request.
_LINGER_S = 0.5


class Worker:
    """Serves an application on a listening socket until ``stop`` is called, by a signal handler or another thread."""

    def __init__(
        self,
        application: WSGIApplication,
        listener: socket.socket,
        settings: Settings,
        totals: WorkerTotals | None = None,
        handing_over: HandingOver | None = None,
    ) -> None:
        self._grace_s = settings.shutdown_grace_s
        self._stopping = threading.Event()
        self._loop = Loop(settings.threads, settings.waiting_limit, settings.waiting_s)
        self._share: Callable[[Callable[[int, int, bool], int]], None] = getattr(application, "share", _keep_all)
        self._totals = totals = totals or make_capacity(settings, 1).totals(0)
        admission = getattr(application, "admission", None) or Admission((), settings.body_limit)
        self._server = Server(
            application,
            listener,
            _adjustments(settings, admission.largest),
            self._loop,
            totals,
            admission,
            CrossOrigin(settings.cors_origins),
            handing_over,
        )
        self._connections = Connections(totals, settings)
        self._listener = Listener(self._server, self._connections, listener, settings.connection_limit)

    def stop(self) -> None:
        self._server.is_stopping = True
        self._stopping.set()

    def run(self) -> None:
        """Serve until ``stop`` is called. Then finish running requests, at most for the grace period, and return."""
        self._loop.start()
        threading.Thread(target=self._operate, name="operations", daemon=True).start()
        self._listener.start()
        while not self._stopping.wait(_LOOK_S):
            self._connections.close_late()
            # The first worker that is ready accepts all connections, and clients keep them open.
            self._server.surplus = self._totals.surplus()
            self._share(self._totals.database_surplus)
        self._drain()

    def _operate(self) -> None:
        while True:
            answer = self._server.operations.get()
            if answer is None:
                return
            guarded(answer)

    def _drain(self) -> None:
        began = time.monotonic()
        self._listener.close()
        while self._connections and time.monotonic() - began < self._grace_s:
            if time.monotonic() - began > _LINGER_S:
                self._connections.close_unused()
            time.sleep(_DRAIN_LOOK_S)
        # The grace period may be shorter than the time that clients have for their next request.
        self._connections.close_unused()
        self._loop.close()
        self._server.operations.put(None)


def _keep_all(surplus: Callable[[int, int, bool], int]) -> None:
    """Used if the application has no ``share`` callback."""


def run_worker(
    make_application: Callable[[Settings], WSGIApplication],
    listener: socket.socket,
    settings: Settings,
    parent_gone: Callable[[], object],
    ready: Callable[[], None],
    totals: WorkerTotals | None = None,
    handing_over: HandingOver | None = None,
) -> None:
    """Make the application and serve it until SIGTERM, or until ``parent_gone`` returns in its thread."""
    application = make_application(settings)
    try:
        worker = Worker(application, listener, settings, totals, handing_over)
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


def _adjustments(settings: Settings, largest: int) -> Adjustments:
    return Adjustments(
        max_request_body_size=largest,
        max_request_header_size=_MAX_HEADER_BYTES,
        ident="portico",
        **_proxy(settings.trusted_proxy),
    )


def _proxy(trusted: str | None) -> dict[str, Any]:
    if trusted is None:
        return {}
    # X-Forwarded-Host is not trusted: most proxies pass on the client's value.
    return {"trusted_proxy": trusted, "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto"}}
