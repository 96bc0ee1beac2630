"""Connections are spread over the workers, also those that clients keep."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

from app.server.capacity import Capacity
from app.server.processes.address import listen
from app.server.processes.worker import Worker
from app.settings import load
from tests.process.running import PATIENCE_S, until

CLIENTS = 8


def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


@contextmanager
def working(listener: socket.socket, capacity: Capacity, number: int) -> Iterator[None]:
    settings = load({}, {"port": 0, "threads": 2, "database_url": "postgresql://nowhere"})
    worker = Worker(answer, listener.dup(), settings, capacity.totals(number))
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(PATIENCE_S)


def ask(client: HTTPConnection) -> None:
    """Ask on the client's connection, or on a new one if the server has closed it."""
    client.request("GET", "/")
    response = client.getresponse()
    assert (response.status, response.read()) == (200, b"ok")


def test_a_worker_that_starts_later_gets_its_share() -> None:
    capacity = Capacity(2, 1_000_000)
    totals_of_workers = [capacity.totals(number) for number in range(2)]
    with listen("127.0.0.1", 0) as listener, working(listener, capacity, 0):
        clients = [HTTPConnection(*listener.getsockname(), timeout=PATIENCE_S) for _ in range(CLIENTS)]
        for client in clients:
            ask(client)
        assert totals_of_workers[0].connections == CLIENTS
        with working(listener, capacity, 1):

            def are_even() -> bool:
                for client in clients:
                    ask(client)
                return [totals.connections for totals in totals_of_workers] == [CLIENTS // 2] * 2

            until(are_even)
            for client in clients:
                ask(client)
                client.close()


def test_a_worker_keeps_slightly_more_than_its_share() -> None:
    capacity = Capacity(3, 0)
    totals_of_workers = [capacity.totals(number) for number in range(3)]
    for counts, surplus in (((8, 0, -1), 4), ((5, 3, -1), 1), ((5, 4, -1), 0), ((1040, 960, 1000), 0), ((9, 0, 0), 6)):
        for totals, count in zip(totals_of_workers, counts, strict=True):
            totals.connections = count
        assert totals_of_workers[0].surplus() == surplus


def test_a_worker_releases_database_connections_for_others() -> None:
    capacity = Capacity(2, 0, 3)
    first, second = capacity.totals(0), capacity.totals(1)
    for pool in range(3):
        assert first.database_surplus(pool, 4, False) == 0
    for pool in range(3):
        assert second.database_surplus(pool, 0, True) == 0
        assert first.database_surplus(pool, 4, False) == 2
        assert second.database_surplus(pool, 2, True) == 0
        assert first.database_surplus(pool, 2, True) == 0
    capacity.vacate(1)
    for pool in range(3):
        assert first.database_surplus(pool, 4, False) == 0
