"""WebSockets to live queries, as a client has them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.graphql.api import ANON_KEY, JWT_SECRET
from tests.live.streams import Live
from tests.process.running import PATIENCE_S

NOTES = "{ noteCollection { edges { node { id body } } } }"
LIVE_NOTES = f"subscription {NOTES}"


def bearer(user: str, valid_s: float = 600) -> str:
    token = jwt.encode({"sub": user, "role": "authenticated", "exp": time.time() + valid_s}, JWT_SECRET, "HS256")
    return f"Bearer {token}"


class Socket:
    """A connection that speaks in messages."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, **message: Any) -> None:
        self.connection.send(json.dumps(message))

    def next(self, seconds: float = PATIENCE_S) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.connection.recv(seconds))
        return message

    def subscribe(self, id_: str, query: str = LIVE_NOTES, **more: Any) -> None:
        self.send(id=id_, type="subscribe", payload={"query": query, **more})

    def until(self, message: dict[str, Any]) -> None:
        """Wait for a message; who joins others may first see what they saw."""
        while self.next() != message:
            pass

    def quiet(self, seconds: float) -> bool:
        try:
            self.connection.recv(seconds)
        except TimeoutError:
            return True
        return False

    def closed(self, seconds: float = PATIENCE_S) -> tuple[int, str]:
        """The code and the reason with which the service closes the connection."""
        with pytest.raises(ConnectionClosed) as closed:
            self._read_on(seconds)
        frame = closed.value.rcvd
        assert frame is not None
        return frame.code, frame.reason

    def _read_on(self, seconds: float) -> None:
        while True:
            self.connection.recv(seconds)


@contextmanager
def socket(live: Live, payload: Any = None, **options: Any) -> Iterator[Socket]:
    """A connection that was acknowledged, unless ``payload`` is False."""
    protocols = [Subprotocol("graphql-transport-ws")]
    with connect(live.url.replace("http", "ws", 1), **{"subprotocols": protocols, **options}) as connection:
        made = Socket(connection)
        if payload is not False:
            made.send(type="connection_init", payload={"apiKey": ANON_KEY} if payload is None else payload)
            assert made.next() == {"type": "connection_ack"}
        yield made
