"""One client's connection, whose requests are answered one after the other.

No thread waits for a client. What it has not read of an answer is kept here and sent when it reads on; an answer
that is made piece by piece continues then.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from enum import Enum
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any

from app.http.refusal import Refusal
from app.server.connection.answering import Answering
from app.server.connection.ending import Ending
from app.server.connection.output import Output
from app.server.connection.receiving import Receiving
from app.server.connection.server import OPERATIONS, Server
from app.server.request.request import Request
from app.server.turns.loop import Overloaded
from app.server.turns.ownership import Holding
from app.server.waitress_internals import ClientDisconnected


class Waits(Enum):
    """What an idle connection expects from its client."""

    REQUEST = "another request"
    HEADER = "the rest of a header"
    BODY = "the rest of a body"
    TAKING = "taking the answer"
    ENDING = "closing, after a refusal"


class Connection:
    """A connection. ``closed`` is called with it when it has been closed."""

    def __init__(self, server: Server, sock: socket.socket, address: Any, closed: Callable[[Connection], None]) -> None:
        self._server = server
        self._closed = closed
        self._socket = sock
        self._holding = Holding(server.loop, sock)
        self._output = Output(sock, server.totals)
        self._receiving = Receiving(server, sock, self._output)
        self._answering = Answering(server, address, self._output)
        self._ending: Ending | None = None

    def start(self) -> None:
        """Wait for the first request."""
        self._let_go()

    def turn_away(self, refusal: Refusal) -> None:
        """Refuse the connection before any request."""
        self._receiving.refuse(refusal)
        self._go_on()

    def attend(self) -> None:
        """Handle the socket, which is ready for the awaited event."""
        if not self._holding.take(self):
            return
        try:
            if self._ending is not None:
                if not self._ending.discard():
                    self.close()
                self._let_go()
                return
            if not self._receive():
                self.close()
            self._go_on()
        except Exception:
            self.close()
            raise

    def _receive(self) -> bool:
        """Receive once, if anything is awaited; False when the client is gone and left nothing to answer."""
        receiving = self._receiving
        if self._output.pending or receiving.is_ready:
            return True
        return receiving.read() or receiving.break_off()

    def close_if(self, is_due: Callable[[Connection], bool]) -> bool:
        """Close the connection if no thread has it and ``is_due(self)`` is true; whether it is being closed.

        What has arrived of a body that can be answered in part is answered first.
        """
        if not self._holding.take_if_free():
            return False
        if is_due(self):
            if self._receiving.break_off():
                self._go_on()
            else:
                self.close()
            return True
        self._let_go()
        return False

    def close(self) -> None:
        """Close the connection; only the thread that has it may call this."""
        if not self._holding.end(self):
            return
        self._answering.close()
        self._receiving.close()
        self._output.close()
        self._socket.close()
        self._closed(self)

    # For deciding how long to wait for a client

    @property
    def waits_for(self) -> Waits:
        """What the client must do next, unless a thread has the connection at the moment."""
        if self._ending is not None:
            return Waits.ENDING
        if self._output.pending:
            return Waits.TAKING
        request = self._receiving.request
        if request is None:
            return Waits.REQUEST
        return Waits.BODY if request.headers_finished else Waits.HEADER

    @property
    def since(self) -> float:
        """When the current wait began."""
        return self._receiving.since if self._ending is None else self._ending.since

    @property
    def last_activity(self) -> float:
        """When the client last sent something or read some of an answer."""
        return max(self._receiving.last_activity, self._output.last_activity)

    @property
    def body_received(self) -> int:
        """The number of bytes received of the current body."""
        request = self._receiving.request
        return 0 if request is None else request.body_bytes_received

    # Making progress

    def _go_on(self, *, claimed: bool = False) -> None:
        """Do what is possible without waiting for the client; then release the connection."""
        receiving = self._receiving
        while self._has_room():
            request = receiving.request
            if request is not None and (receiving.is_ready or request.awaits_judgement):
                if not claimed and not self._claim(request):
                    return
                claimed = False
                if receiving.is_ready:
                    self._serve(request)
                else:
                    receiving.judge(request)
            elif not receiving.read_rest():
                break
        self._let_go()

    def _let_go(self) -> None:
        self._holding.let_go(EVENT_WRITE if self._output.pending or self._receiving.is_ready else EVENT_READ, self)

    def _has_room(self) -> bool:
        """Whether the client has read enough of its answers to make more."""
        if self._output.pending:
            self._send()
            if self._output.pending:
                return self._answering.may_go_on
        if self._answering.is_last and not self._receiving.is_ready:
            self._end()
            return False
        return not self._holding.is_over

    def _send(self) -> None:
        try:
            self._output.send()
        except OSError:
            self.close()

    def _end(self) -> None:
        if not self._answering.leaves_bytes:
            self.close()
            return
        try:
            self._ending = Ending(self._socket)
        except OSError:
            self.close()

    def _claim(self, request: Request) -> bool:
        """Whether this thread may continue the request; otherwise another thread gets it, with the connection."""
        if self._receiving.is_ready:
            if request.error is not None:
                return True
            if request.path in OPERATIONS:
                self._server.operations.put(partial(self._answer_operation, request))
                return False
        try:
            return self._server.loop.claim(self._go_on_claimed, must_wait=self._answering.has_begun)
        except Overloaded:
            request.refuse_for_now()
            return True

    def _go_on_claimed(self, is_late: bool) -> None:
        try:
            if is_late and self._receiving.request is not None:
                self._receiving.request.refuse_for_now()
            self._go_on(claimed=True)
        except Exception:
            self.close()
            raise

    def _answer_operation(self, request: Request) -> None:
        """Answer in the thread for operations, which leaves the client's other requests to other threads."""
        try:
            self._serve(request)
            self._let_go()
        except Exception:
            self.close()
            raise

    def _serve(self, request: Request) -> None:
        answering = self._answering
        try:
            if request.error is not None:
                answering.refuse(request)
            elif not self._server.loop.sampling.run(answering.advance, request):
                return
        except ClientDisconnected:
            self.close()
        else:
            self._receiving.finish(request)
