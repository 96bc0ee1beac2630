"""One client's connection, whose requests are answered one after the other.

No thread waits for a client. The unread part of a response is kept here and sent when the client reads again. Only then
a response in pieces continues.
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
from app.server.handing_over import HandingOver, NotRunning, QueueFull
from app.server.request.request import Request
from app.server.turns.loop import Overloaded
from app.server.turns.ownership import Ownership
from app.server.waitress_internals import ClientDisconnected


class Waits(Enum):
    """The next thing that an idle connection's client must do."""

    REQUEST = "another request"
    HEADER = "the rest of a header"
    BODY = "the rest of a body"
    RESPONSE = "reading the response"
    ENDING = "closing, after a refusal"


class Connection:
    """A connection. ``closed`` is called with it when it has been closed."""

    def __init__(self, server: Server, sock: socket.socket, address: Any, closed: Callable[[Connection], None]) -> None:
        self._server = server
        self._closed = closed
        self._socket = sock
        self._ownership = Ownership(server.loop, sock)
        self._output = Output(sock, server.totals)
        self._receiving = Receiving(server, sock, self._output)
        self._answering = Answering(server, address, self._output)
        self._ending: Ending | None = None

    def start(self) -> None:
        """Wait for the first request."""
        self._release()

    def turn_away(self, refusal: Refusal) -> None:
        """Refuse the connection before any request."""
        self._receiving.refuse(refusal)
        self._proceed()

    def attend(self) -> None:
        """Handle the socket, which is ready for the awaited event."""
        if not self._ownership.take(self):
            return
        try:
            if self._ending is not None:
                if not self._ending.discard():
                    self.close()
                self._release()
                return
            if not self._receive():
                self.close()
            self._proceed()
        except Exception:
            self.close()
            raise

    def _receive(self) -> bool:
        """Receive once, if a request is awaited. False if the client is gone and there is no request to answer."""
        receiving = self._receiving
        if self._output.pending or receiving.is_ready:
            return True
        return receiving.read() or receiving.break_off()

    def close_if(self, is_due: Callable[[Connection], bool]) -> bool:
        """Close the connection if no thread has it and ``is_due(self)`` is true. Returns whether it is being closed.

        If a request accepts a part of its body, it is answered first with the part that has arrived.
        """
        if not self._ownership.take_if_free():
            return False
        if is_due(self):
            if self._receiving.break_off():
                self._proceed()
            else:
                self.close()
            return True
        self._release()
        return False

    def close(self) -> None:
        """Close the connection; only the thread that has it may call this."""
        if not self._ownership.end(self):
            return
        self._answering.close()
        self._receiving.close()
        self._output.close()
        self._socket.close()
        self._closed(self)

    # These decide how long to wait for a client.

    @property
    def waits_for(self) -> Waits:
        """The next thing that the client must do. Meaningless while a thread has the connection."""
        if self._ending is not None:
            return Waits.ENDING
        if self._output.pending:
            return Waits.RESPONSE
        request = self._receiving.request
        if request is None:
            return Waits.REQUEST
        return Waits.BODY if request.headers_finished else Waits.HEADER

    @property
    def since(self) -> float:
        """The time at which the current wait began."""
        return self._receiving.since if self._ending is None else self._ending.since

    @property
    def last_activity(self) -> float:
        """The time at which the client last sent something or read a part of a response."""
        return max(self._receiving.last_activity, self._output.last_activity)

    @property
    def body_received(self) -> int:
        """The number of bytes received of the current body."""
        request = self._receiving.request
        return 0 if request is None else request.body_bytes_received

    # Making progress

    def _proceed(self, *, claimed: bool = False) -> None:
        """Do all that is possible without waiting for the client; then release the connection. ``claimed``: this thread
        may already run the application."""
        receiving = self._receiving
        while self._has_room():
            request = receiving.request
            if request is not None and (receiving.is_ready or request.awaits_decision):
                if not claimed and not self._claim(request):
                    return
                claimed = False
                if receiving.is_ready:
                    self._serve(request)
                elif request.goes_to is not None:
                    self._hand_over(request, request.goes_to)
                else:
                    receiving.decide(request)
            elif not receiving.read_rest():
                break
        self._release()

    def _release(self) -> None:
        self._ownership.release(EVENT_WRITE if self._output.pending or self._receiving.is_ready else EVENT_READ, self)

    def _has_room(self) -> bool:
        """Whether the client has read enough of its responses to continue."""
        if self._output.pending:
            self._send()
            if self._output.pending:
                return self._answering.may_continue
        if self._answering.is_last and not self._receiving.is_ready:
            self._end()
            return False
        return not self._ownership.is_over

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
        """Whether this thread may continue the request. If not, another thread gets the request and the connection."""
        if self._receiving.is_ready:
            if request.error is not None:
                return True
            if request.path in OPERATIONS:
                self._server.operations.put(partial(self._answer_operation, request))
                return False
        elif request.goes_to is not None:
            return True
        try:
            return self._server.loop.claim(self._proceed_claimed, must_wait=self._answering.has_begun)
        except Overloaded:
            request.refuse_for_now()
            return True

    def _hand_over(self, request: Request, goes_to: HandingOver) -> None:
        """Hand the connection over to another process, or refuse the request."""
        try:
            goes_to.send(self._socket, self._receiving.received_with(request))
        except NotRunning:
            request.refuse_as_not_running(goes_to.what)
        except QueueFull:
            request.refuse_for_now()
        else:
            self.close()
            return
        self._receiving.decide(request)

    def _proceed_claimed(self, is_late: bool) -> None:
        try:
            if is_late and self._receiving.request is not None:
                self._receiving.request.refuse_for_now()
            self._proceed(claimed=True)
        except Exception:
            self.close()
            raise

    def _answer_operation(self, request: Request) -> None:
        """Respond in the thread for operations; other threads serve the client's other requests."""
        try:
            self._serve(request)
            self._release()
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
