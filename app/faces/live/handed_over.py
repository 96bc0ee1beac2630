"""Connections that a worker of ``portico serve`` has accepted and handed over, with the first bytes of a request."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from app.faces.live.connections import PromptConnection
from app.server.handing_over import HandingOver


class _HandedOver(PromptConnection):
    """A connection of which the ``received`` bytes have already arrived."""

    def __init__(self, received: bytes, **named: Any) -> None:
        super().__init__(**named)
        self._received = received

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        received, self._received = self._received, b""
        self.data_received(received)


class HandedOverConnections:
    """Serves them in this process, with the ``config`` and the ``state`` of uvicorn's server."""

    def __init__(self, handing_over: HandingOver, config: uvicorn.Config, state: ServerState) -> None:
        self._handing_over = handing_over
        self._config = config
        self._state = state
        self._loop = asyncio.get_running_loop()
        self._starting: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._loop.add_reader(self._handing_over.receiver, self._receive)

    async def stop(self) -> None:
        """Take the connections that wait, for the last time."""
        self._loop.remove_reader(self._handing_over.receiver)
        self._receive()
        await asyncio.gather(*self._starting, return_exceptions=True)

    def _receive(self) -> None:
        for sock, received in self._handing_over.receive():
            task = self._loop.create_task(self._serve(sock, received))
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _serve(self, sock: socket.socket, received: bytes) -> None:
        def protocol() -> _HandedOver:
            return _HandedOver(received, config=self._config, server_state=self._state, app_state={})

        try:
            await self._loop.connect_accepted_socket(protocol, sock)
        except OSError:
            # The client has gone.
            sock.close()
