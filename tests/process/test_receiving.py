"""How the server receives bodies."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from waitress.adjustments import Adjustments

from app.http.admission import Admission
from app.http.cross_origin import CrossOrigin
from app.server.capacity import Capacity
from app.server.connection.output import Output
from app.server.connection.receiving import Receiving
from app.server.request.header_cache import HeaderCache
from app.server.request.request import Reception

SIZE = 100_000


class _Server:
    """The part of the server that ``Receiving`` uses."""

    def __init__(self) -> None:
        totals = Capacity(1, 1_000_000).totals(0)
        self.totals = totals
        self.reception = Reception(
            Adjustments(), Admission((), 1_000_000), CrossOrigin(()), totals, HeaderCache(), None
        )


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    for each in (ours, theirs):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * SIZE)
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def test_a_body_that_has_arrived_is_received_in_one_turn(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    server = _Server()
    receiving = Receiving(server, ours, Output(ours, server.totals))  # type: ignore[arg-type]
    theirs.sendall(b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % SIZE + bytes(SIZE))
    assert receiving.read()
    assert receiving.is_ready
    assert receiving.request is not None
    assert receiving.request.get_body_stream().read() == bytes(SIZE)
