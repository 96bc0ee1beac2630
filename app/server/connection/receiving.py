"""Receives a client's requests, one after the other, as the bytes arrive."""

from __future__ import annotations

import socket
import time

from app.http.refusal import Refusal
from app.server.connection.output import Output
from app.server.connection.server import Server
from app.server.request.request import Request

_HEADER_CHUNK = 16 * 1024
_BODY_CHUNK = 256 * 1024
# Other clients wait until then.
_MAX_IN_A_TURN = 1024 * 1024


class Receiving:
    """``request``: the one being received or answered, None in between; ``is_ready``: it can be answered;
    ``since``: when the request, or the wait for it, began; ``last_activity``: when the client last sent bytes."""

    __slots__ = ("_output", "_reception", "_rest", "_socket", "is_ready", "last_activity", "request", "since")

    def __init__(self, server: Server, sock: socket.socket, output: Output) -> None:
        self._reception = server.reception
        self._socket = sock
        self._output = output
        self._rest = b""
        self.request: Request | None = None
        self.is_ready = False
        self.since = self.last_activity = time.monotonic()

    def read(self) -> bool:
        """Receive once, or several times if a client sends a body fast, so that few turns are needed for it. False if
        the client has closed the connection."""
        received = 0
        while received < _MAX_IN_A_TURN:
            request = self.request
            size = _HEADER_CHUNK if request is None or not request.headers_finished else _BODY_CHUNK
            try:
                data = self._socket.recv(size)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self.last_activity = time.monotonic()
            self._parse(data)
            received += len(data)
            if len(data) < _HEADER_CHUNK or not self._awaits_body():
                return True
        return True

    def _awaits_body(self) -> bool:
        """Whether the next bytes belong to the body of the current request."""
        request = self.request
        return request is not None and request.headers_finished and not (self.is_ready or request.awaits_decision)

    def read_rest(self) -> bool:
        """Parse the bytes that arrived after an earlier request. False if there are none."""
        if not self._rest:
            return False
        data, self._rest = self._rest, b""
        self._parse(data)
        return True

    def _parse(self, data: bytes) -> None:
        """Parse ``data`` up to the end of a request; the rest is kept until this request is answered."""
        while data:
            request = self.request
            if request is None:
                request = self.request = Request(self._reception)
                self.since = self.last_activity
            consumed = request.received(data)
            data = data[consumed:]
            if request.awaits_decision or self._is_whole(request):
                break
        self._rest = data

    def _is_whole(self, request: Request) -> bool:
        """Whether the request can be answered."""
        if request.empty:
            request.close()
            self.request = None
        elif request.completed:
            self.is_ready = True
        elif request.headers_finished and request.expect_continue:
            request.expect_continue = False
            self._output.add(b"HTTP/1.1 100 Continue\r\n\r\n")
        return self.is_ready

    def break_off(self) -> bool:
        """Treat the part of the body that has arrived as the whole body, because no more will arrive. False if the
        request does not accept that."""
        if self.request is None or self.is_ready or not self.request.end_when_broken():
            return False
        self.is_ready = True
        return True

    def decide(self, request: Request) -> None:
        """Decide on a request whose head awaits a decision."""
        if request.awaits_decision:
            request.decide()
        self._is_whole(request)

    def received_with(self, request: Request) -> bytes:
        """The head of ``request`` and all that was received after it."""
        return request.block + self._rest

    def refuse(self, refusal: Refusal) -> None:
        """Respond with ``refusal`` although the client has sent no request."""
        request = self.request = Request(self._reception)
        request.version, request.error = "1.1", refusal
        self.is_ready = True

    def finish(self, request: Request) -> None:
        """Wait for another request, after ``request`` has been answered."""
        self.request = None
        self.is_ready = False
        request.close()
        self.since = self.last_activity = time.monotonic()

    def close(self) -> None:
        if self.request is not None:
            self.request.close()
