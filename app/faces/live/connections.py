"""Connections with timeouts: uvicorn limits the time between requests, but not the time for the head of a request, nor
the time in which a client reads nothing. They also report at once when their client has gone: otherwise an application
learns of it only when it sends the next time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from app.faces.live.h11_internals import read_spaces_once

read_spaces_once()

_HEAD_S = 10.0
"""The time in which the head of a request must have arrived, in seconds."""

_UNREAD_S = 20.0
"""The time for which a client may leave sent data unacknowledged, in seconds, on systems with TCP_USER_TIMEOUT. Without
it a client that has vanished occupies its connection until TCP gives up, after a quarter of an hour."""

_MOST_FRAGMENTS = 10_000

_BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_HAS_GONE = "portico.has_gone"
_WHEN_GONE = "portico.when_gone"


def when_gone(scope: MutableMapping[str, Any], act: Callable[[], None]) -> None:
    """Call ``act`` when the client of the request with this scope has gone."""
    scope[_WHEN_GONE] = act
    if scope.get(_HAS_GONE):
        act()


class PromptConnection(H11Protocol):
    """Closes the connection of a client that exceeds one of the timeouts above."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            accepted: socket.socket = transport.get_extra_info("socket")
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(_UNREAD_S * 1000))
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        scope: Any = self.scope
        if scope is not None:
            scope[_HAS_GONE] = True
            scope.get(_WHEN_GONE, _nothing)()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._await_head()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._waiting.cancel()
        super().handle_websocket_upgrade(event)

    def _await_head(self) -> None:
        # Each request has a new cycle.
        self._waiting = self.loop.call_later(_HEAD_S, self._check_head, self.cycle)

    def _check_head(self, before: object) -> None:
        if self.cycle is before:
            self.transport.close()


class PromptSocket(WebSocketsSansIOProtocol):
    """Refuses a WebSocket request that h11 accepts and the package websockets does not. uvicorn would keep its
    connection open for ever, and could not stop because of it.

    It limits the memory for a client that sends endless frames: one pong for all pings while the client reads nothing,
    as RFC 6455 section 5.5.3 allows, and at most ``_MOST_FRAGMENTS`` fragments of a message, since empty fragments do
    not count towards its size limit.
    """

    _pong: Sequence[bytes] = ()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.transport.is_closing():
            self.transport.write(_BAD_REQUEST)
            self.transport.close()

    def handle_ping(self) -> None:
        if self.writable.is_set():
            super().handle_ping()
        else:
            # On the first of several pings that arrived together, data_to_send returns the pongs of all.
            self._pong = self.conn.data_to_send()[-1:] or self._pong

    def resume_writing(self) -> None:
        super().resume_writing()
        pong, self._pong = self._pong, ()
        self.transport.write(b"".join(pong))

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < _MOST_FRAGMENTS:
            super().handle_cont(event)
        elif not self.close_sent:
            self.conn.fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            self.handle_parser_exception()


def _nothing() -> None:
    pass
