"""One client's connection: reads requests, has them answered, and sends the answers.

A connection belongs to one thread at a time. Whoever finds it ready takes it; an event that comes while somebody has it
only takes it out of the selector, and who had it puts it back. So nothing here needs a lock but the taking.

No thread waits for a client. What it does not take of an answer stays here and is sent when it takes more; an answer
that is made piece by piece is continued then.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable
from enum import Enum
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any

from waitress.channel import ClientDisconnected
from waitress.utilities import InternalServerError

from app.server.loop import Overloaded
from app.server.output import File, Output
from app.server.refusal import Refusal, overloaded
from app.server.service import Service
from app.server.task import Answer, Refused

_log = logging.getLogger("portico.server")

_HEADER_AT_ONCE = 16 * 1024
_BODY_AT_ONCE = 128 * 1024
# An answer in pieces pauses above this; and below it goes on.
_FULL = 256 * 1024
_LOW = 64 * 1024
_MOST_IN_MEMORY = 1024 * 1024
# After a refusal a client may go on sending; if the connection were closed at once, it could not read the answer.
_DISCARDED_BYTES = 64 * 1024 * 1024
LONGEST_DISCARDING_S = 5.0


class Waits(Enum):
    """What a connection that nobody works on waits for from its client."""

    REQUEST = "another request"
    HEADER = "the rest of a header"
    BODY = "the rest of a body"
    TAKING = "that it takes the answer"
    ENDING = "that it ends, after a refusal"


class Connection:
    """For waitress's tasks it is the channel: ``server``, ``adj``, ``addr`` and ``write_soon``."""

    def __init__(
        self, service: Service, sock: socket.socket, address: Any, closed: Callable[[Connection], None]
    ) -> None:
        self.server = self._service = service
        self._closed = closed
        self.adj = service.adj
        self.addr = address
        self._is_last = False
        self.is_open = True
        self.since = self.last_activity = time.monotonic()
        self._socket = sock
        self._output = Output(sock)
        self._lock = threading.Lock()
        self._taken = True
        self._watched = 0
        self._rest = b""
        self._request: Any = None
        self._is_ready = False
        self._answer: Answer | None = None
        self._charged = 0
        self._discarded: int | None = None
        self._is_refused = False

    # Belonging to a thread

    def attend(self) -> None:
        """The socket is ready for what we waited for."""
        if not self._take():
            return
        try:
            if self._discarded is not None:
                self._discard()
                self._release()
                return
            if not self._output.pending and not self._is_ready:
                self._read()
            self._go_on()
        except Exception:
            self.close()
            raise

    def _take(self) -> bool:
        with self._lock:
            if not self.is_open:
                return False
            if self._taken:
                self._watch(0)
                return False
            self._taken = True
            return True

    def _release(self) -> None:
        with self._lock:
            self._taken = False
            if self.is_open:
                self._watch(EVENT_WRITE if self._output.pending or self._is_ready else EVENT_READ)

    def _watch(self, events: int) -> None:
        if events == self._watched:
            return
        self._service.loop.watch(self._socket, self._watched, events, self)
        self._watched = events

    def start(self) -> None:
        """Wait for the first request."""
        self._release()

    def turn_away(self, refusal: Refusal) -> None:
        """Answer before anything was asked."""
        request = self._request = self._service.new_request()
        request.version, request.error = "1.1", refusal
        self._is_ready = True
        self._go_on()

    def close_if(self, is_due: Callable[[Connection], bool]) -> bool:
        """Close the connection if no thread has it and ``is_due(self)``; whether it was closed."""
        with self._lock:
            if self._taken or not self.is_open:
                return False
            self._taken = True
        if is_due(self):
            self.close()
            return True
        self._release()
        return False

    @property
    def waits_for(self) -> Waits:
        """What, unless a thread has it just now."""
        if self._discarded is not None:
            return Waits.ENDING
        if self._output.pending:
            return Waits.TAKING
        request = self._request
        if request is None:
            return Waits.REQUEST
        return Waits.BODY if request.headers_finished else Waits.HEADER

    @property
    def body_received(self) -> int:
        """Bytes of the body that is waited for."""
        request = self._request
        return 0 if request is None else request.body_bytes_received

    # Reading

    def _read(self) -> None:
        at_once = _HEADER_AT_ONCE if self._request is None else _BODY_AT_ONCE
        try:
            data = self._socket.recv(at_once)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self.last_activity = time.monotonic()
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        """Take in ``data`` up to the end of a request; what follows is kept until that is answered."""
        while data:
            request = self._request
            if request is None:
                request = self._request = self._service.new_request()
                self.since = self.last_activity
            consumed = request.received(data)
            data = data[consumed:]
            if request.awaits_judgement or self._is_whole(request):
                break
        self._rest = data

    def _is_whole(self, request: Any) -> bool:
        """Whether the request can be answered."""
        if request.empty:
            request.close()
            self._request = None
        elif request.completed:
            self._is_ready = True
        elif request.headers_finished and request.expect_continue:
            request.expect_continue = False
            self._output.add(b"HTTP/1.1 100 Continue\r\n\r\n")
        return self._is_ready

    def _go_on(self, *, claimed: bool = False) -> None:
        """Do what can be done without waiting for the client; then let go of the connection."""
        while self.is_open and self._has_room():
            if self._is_ready or self._awaits_judgement:
                if not claimed and not self._claim():
                    return
                claimed = False
                if self._is_ready:
                    self._serve()
                else:
                    self._judge()
            elif self._rest:
                data, self._rest = self._rest, b""
                self._parse(data)
            else:
                break
        self._release()

    def _has_room(self) -> bool:
        """Whether the client took enough of what it was sent."""
        pending = self._output.pending
        if pending:
            self._send()
            pending = self._output.pending
        if pending:
            return self._answer is not None and pending < _LOW
        if self._is_last and not self._is_ready:
            self._end()
            return False
        return self.is_open

    def _claim(self) -> bool:
        """Whether this thread may go on with the request; else it is another thread's, and so is the connection."""
        request = self._request
        if self._is_ready:
            if request.error is not None:
                return True
            if self._service.is_operation(request):
                self._service.operations.put(self._answer_operation)
                return False
        try:
            return self._service.loop.claim(self._go_on_claimed)
        except Overloaded:
            request.refuse(overloaded(request.headers.get("ORIGIN"), self._service.cross_origin))
            return True

    def _go_on_claimed(self) -> None:
        try:
            self._go_on(claimed=True)
        except Exception:
            self.close()
            raise

    def _answer_operation(self) -> None:
        """In the thread for these, which leaves to others what the same client asks for besides."""
        try:
            self._serve()
            self._release()
        except Exception:
            self.close()
            raise

    @property
    def _awaits_judgement(self) -> bool:
        return self._request is not None and self._request.awaits_judgement

    def _judge(self) -> None:
        request = self._request
        if request.awaits_judgement:
            request.judge()
        self._is_whole(request)

    # Answering

    def _serve(self) -> None:
        request = self._request
        if request.error is None:
            self._service.loop.run(self._advance)
        else:
            self._refuse(request)

    def _advance(self) -> None:
        answer = self._answer
        if answer is None:
            answer = self._answer = Answer(self, self._request)
        try:
            if answer.advance():
                self._finish(answer)
        except ClientDisconnected:
            self.close()
        except Exception:
            _log.exception("the application failed: %s", self._request.path)
            answer.close()
            self._answer = None
            if answer.wrote_header:
                self.close()
            else:
                self._request.error = InternalServerError("The server encountered an unexpected internal server error")
                self._refuse(self._request)

    def _refuse(self, request: Any) -> None:
        task = Refused(self, request)
        task.service()
        self._finish(task)

    def _finish(self, task: Answer | Refused) -> None:
        request, self._request = self._request, None
        self._answer = None
        self._is_ready = False
        self._is_last = self._is_last or task.close_on_finish
        self._is_refused = request.error is not None
        request.close()
        self.since = self.last_activity = time.monotonic()

    @property
    def is_full(self) -> bool:
        """Whether the client is to take some of the answer before more of it is made."""
        if self._output.pending <= _FULL:
            return False
        self._send()
        return self._output.pending > _FULL

    def write_soon(self, data: bytes) -> int:
        """Have ``data`` sent. Raises ClientDisconnected."""
        if not self.is_open:
            raise ClientDisconnected
        self._output.add(data)
        return len(data)

    def write_file(self, file: File) -> None:
        self._output.add_file(file)

    def check_client_disconnected(self) -> bool:
        return not self.is_open

    # Sending

    def _send(self) -> None:
        output = self._output
        try:
            if output.send():
                self.last_activity = time.monotonic()
            if self._charged and not output.pending:
                self._refund()
            if output.in_memory > _MOST_IN_MEMORY and output.is_blocked:
                self._spill()
        except OSError:
            self.close()

    def _spill(self) -> None:
        """Keep what the client does not take in a file, as long as there is space for all such."""
        size = self._output.in_memory
        self._charged += size
        if self._service.seat.charge(size):
            self._output.spill()
        else:
            self.close()

    def _refund(self) -> None:
        charged, self._charged = self._charged, 0
        self._service.seat.refund(charged)

    def _end(self) -> None:
        """Close; if it was refused, in two steps: nothing more is sent, and when the client ends, nothing read."""
        if not self._is_refused or self._discarded is not None:
            self.close()
            return
        self._discarded = 0
        self.since = time.monotonic()
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()

    def _discard(self) -> None:
        try:
            data = self._socket.recv(_BODY_AT_ONCE)
        except OSError:
            data = b""
        self._discarded = (self._discarded or 0) + len(data)
        if not data or self._discarded > _DISCARDED_BYTES or time.monotonic() - self.since > LONGEST_DISCARDING_S:
            self.close()

    def close(self) -> None:
        """For the thread that has the connection."""
        with self._lock:
            if not self.is_open:
                return
            self.is_open = False
            self._watch(0)
        if self._answer is not None:
            self._answer.close()
        if self._request is not None:
            self._request.close()
        self._output.close()
        self._socket.close()
        if self._charged:
            self._refund()
        self._closed(self)
