"""The limits of ``portico live`` for one connection and one caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
import requests
from websockets.exceptions import ConnectionClosed

from tests.graphql.api import ANON_KEY
from tests.graphql.conftest import ROLES
from tests.live.sockets import LIVE_NOTES, Socket, bearer, socket
from tests.live.streams import Live, serving_live
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until

SCHEMA = """
create table note (id int primary key, body text);
grant select on note to anon, authenticated;
"""


@pytest.fixture(scope="module")
def live_database_url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    yield url
    postgres.drop_database(url)


def streams(live: Live) -> int:
    return int(requests.get(live.url.replace("/graphql/v1/stream", "/health"), timeout=PATIENCE_S).json()["streams"])


def errors_of(message: dict[str, Any]) -> list[tuple[str, str]]:
    assert message["type"] == "error", message
    return [(each["extensions"]["code"], each["message"]) for each in message["payload"]]


def open_on(each: Socket, id_: str) -> None:
    each.subscribe(id_)
    answer = each.next()
    assert answer["type"] == "next", answer


def test_the_streams_of_a_connection_are_limited(live_database_url: str, tmp_path: Path) -> None:
    with (
        serving_live(live_database_url, tmp_path, LIVE_CONNECTION_LIMIT="2") as live,
        socket(live) as one,
        socket(live) as other,
    ):
        open_on(one, "a")
        open_on(one, "b")
        one.subscribe("c")
        said = "This connection already has 2 streams (LIVE_CONNECTION_LIMIT)"
        assert errors_of(one.next()) == [("OVERLOADED", said)]
        open_on(other, "a")
        one.send(id="a", type="complete")
        open_on(one, "c")


def test_the_streams_of_a_caller_are_limited_over_all_connections(live_database_url: str, tmp_path: Path) -> None:
    """A token's subject with its role is a caller; without a subject the client's address is."""
    ada, ben = ({"apiKey": ANON_KEY, "authorization": bearer(user)} for user in ("ada", "ben"))
    with serving_live(live_database_url, tmp_path, LIVE_CALLER_LIMIT="2") as live, ExitStack() as stack:
        one, other = (stack.enter_context(socket(live, ada)) for _ in range(2))
        with socket(live, False) as third:
            third.send(type="connection_init", payload=ada)
            assert third.closed() == (1013, "This caller already has 2 connections (LIVE_CALLER_LIMIT)")
        open_on(one, "a")
        open_on(other, "a")
        said = "This caller already has 2 streams (LIVE_CALLER_LIMIT)"
        one.subscribe("b")
        assert errors_of(one.next()) == [("OVERLOADED", said)]
        refused = live.ask(LIVE_NOTES, Authorization=ada["authorization"])
        assert (refused.status_code, refused.json()["errors"][0]["message"]) == (503, said)
        open_on(stack.enter_context(socket(live, ben)), "a")
        live.stream(LIVE_NOTES, Authorization=ben["authorization"]).data()
        assert live.ask(LIVE_NOTES, Authorization=ben["authorization"]).status_code == 503
        for _ in range(2):
            live.stream(LIVE_NOTES).data()
        assert live.ask(LIVE_NOTES).status_code == 503
        elsewhere = {"X-Forwarded-For": "192.0.2.7"}
        live.stream(LIVE_NOTES, **elsewhere).data()
        other.send(id="a", type="complete")
        open_on(other, "b")


def test_an_ended_stream_frees_its_place(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_CALLER_LIMIT="1") as live:
        for _ in range(3):
            with socket(live) as one:
                open_on(one, "a")
                one.send(id="a", type="complete")
                # A stream that ends before it has begun.
                one.subscribe("b")
                one.send(id="b", type="complete")
            until(lambda: streams(live) == 0)


def test_the_limit_is_exact(live_database_url: str, tmp_path: Path) -> None:
    """Many that come at once do not pass it."""
    with serving_live(live_database_url, tmp_path, LIVE_LIMIT="3") as live:
        together, statuses = Barrier(12), list[int]()

        def come() -> None:
            together.wait()
            response = live.ask(LIVE_NOTES)
            statuses.append(response.status_code)
            kept.append(response)

        kept: list[requests.Response] = []
        threads = [Thread(target=come) for _ in range(12)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert sorted(statuses) == [200] * 3 + [503] * 9
        assert streams(live) == 3


def test_a_connection_that_sends_too_much_is_closed(live_database_url: str, tmp_path: Path) -> None:
    with (
        serving_live(live_database_url, tmp_path, LIVE_MESSAGE_LIMIT="5") as live,
        socket(live) as one,
        socket(live) as other,
    ):
        # Ten seconds' worth may come at once; connection_init was one of them.
        for _ in range(45):
            one.send(type="ping")
            assert one.next() == {"type": "pong"}
        with suppress(ConnectionClosed):
            for _ in range(100):
                one.send(type="ping")
        assert one.closed() == (1008, "More than 5 messages a second (LIVE_MESSAGE_LIMIT)")
        open_on(other, "a")
