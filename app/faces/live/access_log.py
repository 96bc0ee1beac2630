"""The access log of streams: one line when a stream has ended or was refused. ACCESS_LOG=on turns it on."""

from __future__ import annotations

import logging
import time

import falcon.asgi

from app.faces.live.queries import LiveQuery
from app.observation.tracing import read_request_id, read_trace

log = logging.getLogger("portico.access")

_LONGEST_NAME = 200


class StreamRecord:
    """The log line of one stream. ``is_logged``: whether it is written."""

    def __init__(self, req: falcon.asgi.Request, *, is_logged: bool) -> None:
        self._req = req
        self._is_logged = is_logged
        self._began = time.monotonic()
        self._answers = 0
        self._sent = 0

    def sent(self, body: bytes) -> None:
        """Count an answer that was sent."""
        self._answers += 1
        self._sent += len(body)

    def ended(self, query: LiveQuery) -> None:
        """Log a stream that was open."""
        name = query.request.operation_name
        operation = name[:_LONGEST_NAME] if isinstance(name, str) else ""
        self._log(operation=operation, role=query.caller.role, status=200, answers=self._answers, sent=self._sent)

    def refused(self, status: int, code: str) -> None:
        """Log a stream that was not opened."""
        self._log(status=status, codes=code)

    def _log(self, **more: object) -> None:
        if not self._is_logged:
            return
        trace = read_trace(self._req.get_header("traceparent"), None)
        fields = {
            "face": "live",
            "method": self._req.method,
            **more,
            "ms": round((time.monotonic() - self._began) * 1000, 3),
            "request_id": read_request_id(self._req.get_header("x-request-id")),
            "trace_id": trace.trace_id if trace else "",
        }
        log.info("stream", extra={name: value for name, value in fields.items() if value != ""})
