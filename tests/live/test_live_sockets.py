"""Live queries over WebSocket, by the protocol ``graphql-transport-ws``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from socket import SO_RCVBUF, SOL_SOCKET, create_connection
from socket import socket as plain_socket
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from app.faces.live import triggers
from tests.graphql.api import ANON_KEY, SERVICE_KEY
from tests.graphql.conftest import ROLES
from tests.live.sockets import LIVE_NOTES, NOTES, bearer, socket
from tests.live.streams import Live, serving_live
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until

SCHEMA = """
create table note (id int primary key, owner text, body text);
alter table note enable row level security;
create policy public_ones on note for select to anon using (owner is null);
create policy own on note for select to authenticated
  using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
grant select on note to anon, authenticated;
create table untold (id int primary key);
grant select on untold to anon;
grant select, delete on note to service_role;
insert into note values (1, null, 'one'), (2, 'ada', 'hers');
"""
QUIET_S = 2.5
"""Longer than the notification of a change takes."""


def notes(*rows: tuple[int, str]) -> dict[str, object]:
    return {"data": {"noteCollection": {"edges": [{"node": {"id": number, "body": body}} for number, body in rows]}}}


@pytest.fixture(scope="module")
def live_database_url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    triggers.enable(url, ["note"])
    yield url
    postgres.drop_database(url)


@pytest.fixture
def change(live_database_url: str, postgres: PostgresServer) -> Iterator[Callable[[str], None]]:
    """Runs SQL; the rows are put back."""
    yield lambda sql: (postgres.execute(sql, live_database_url), None)[1]
    postgres.execute("truncate note; insert into note values (1, null, 'one'), (2, 'ada', 'hers')", live_database_url)


def streams(live: Live) -> int:
    return int(requests.get(live.url.replace("/graphql/v1/stream", "/health"), timeout=PATIENCE_S).json()["streams"])


def test_a_subscription_gets_changes(live: Live, change: Callable[[str], None]) -> None:
    with socket(live) as one:
        assert one.connection.subprotocol == "graphql-transport-ws"
        one.subscribe("a")
        assert one.next() == {"id": "a", "type": "next", "payload": notes((1, "one"))}
        change("update note set body = 'eins ü' where id = 1")
        assert one.next() == {"id": "a", "type": "next", "payload": notes((1, "eins ü"))}


def test_one_connection_carries_several_operations(live: Live, change: Callable[[str], None]) -> None:
    with socket(live) as one:
        one.subscribe("a")
        one.until({"id": "a", "type": "next", "payload": notes((1, "one"))})
        query = (
            "subscription Some($id: Int!) { noteCollection(filter: {id: {eq: $id}}) { edges { node { id body } } } }"
        )
        one.subscribe("b", query, variables={"id": 3}, operationName="Some")
        assert one.next() == {"id": "b", "type": "next", "payload": notes()}
        one.send(id="a", type="complete")
        change("insert into note values (3, null, 'three')")
        assert one.next() == {"id": "b", "type": "next", "payload": notes((3, "three"))}
        assert one.quiet(QUIET_S)
        # Its id is free.
        one.subscribe("a", query, variables={"id": 1})
        assert one.next() == {"id": "a", "type": "next", "payload": notes((1, "one"))}


def test_a_query_is_answered_once(live: Live) -> None:
    with socket(live) as one:
        both = f"query One {NOTES} subscription Many {NOTES}"
        for query, name in ((NOTES, None), (f"query subscription {NOTES}", None), (both, "One")):
            one.subscribe("a", query, operationName=name)
            assert one.next() == {"id": "a", "type": "next", "payload": notes((1, "one"))}
            assert one.next() == {"id": "a", "type": "complete"}
        before = streams(live)
        one.subscribe("a", both, operationName="Many")
        assert one.next()["type"] == "next"
        assert streams(live) == before + 1


def test_a_query_gets_the_current_result(live: Live, live_database_url: str, postgres: PostgresServer) -> None:
    """Also while another client watches the same query and has not been notified of the change yet."""
    query = "{ untoldCollection { edges { node { id } } } }"
    with socket(live) as one:
        one.subscribe("live", f"subscription {query}")
        assert one.next()["payload"]["data"]["untoldCollection"]["edges"] == []
        postgres.execute("insert into untold values (1)", live_database_url)
        one.subscribe("once", query)
        assert one.next()["payload"]["data"]["untoldCollection"]["edges"] == [{"node": {"id": 1}}]
        assert one.next() == {"id": "once", "type": "complete"}


@pytest.mark.parametrize(
    "payload",
    [
        lambda: {"apiKey": ANON_KEY, "Authorization": bearer("ada")},
        lambda: {"headers": {"apikey": ANON_KEY, "authorization": bearer("ada")}},
        lambda: {"APIKEY": ANON_KEY, "headers": {"authorization": "Bearer wrong"}, "authorization": bearer("ada")},
    ],
)
def test_policies_decide_for_the_caller_of_the_payload(live: Live, payload: Callable[[], Any]) -> None:
    with socket(live, payload()) as one:
        one.subscribe("a")
        assert one.next()["payload"] == notes((2, "hers"))


def test_the_headers_of_the_connection_count_where_the_payload_has_none(live: Live) -> None:
    given = {"apikey": ANON_KEY, "authorization": bearer("ada")}
    with socket(live, {}, additional_headers=given) as one:
        one.subscribe("a")
        assert one.next()["payload"] == notes((2, "hers"))
    with socket(live, {"authorization": bearer("ben")}, additional_headers=given) as one:
        one.subscribe("a")
        assert one.next()["payload"] == notes()


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({}, "apiKey"),
        ({"apiKey": "wrong"}, ""),
        ({"apiKey": ANON_KEY, "Authorization": "Bearer wrong"}, "token"),
        ("text", "apiKey"),
        ({"apiKey": 1, "headers": []}, "apiKey"),
    ],
)
def test_unknown_callers_are_refused(live: Live, payload: Any, reason: str) -> None:
    with socket(live, False) as one:
        one.send(type="connection_init", payload=payload)
        code, reported = one.closed()
    assert code == 4403
    assert reason.lower() in reported.lower()


def test_a_connection_ends_with_its_token(live: Live) -> None:
    with socket(live, {"apiKey": ANON_KEY, "Authorization": bearer("ada", 2)}) as one:
        one.subscribe("a")
        assert one.next()["payload"] == notes((2, "hers"))
        assert one.closed(20) == (4403, "The token has expired")


@pytest.mark.parametrize(
    ("query", "code"),
    [("subscription { nothing }", "GRAPHQL_VALIDATION_FAILED"), ("{ note", "GRAPHQL_PARSE_FAILED")],
)
def test_an_operation_that_cannot_be_answered_is_an_error(live: Live, query: str, code: str) -> None:
    with socket(live) as one:
        one.subscribe("a", query)
        message = one.next()
        assert (message["id"], message["type"]) == ("a", "error")
        assert [each["extensions"]["code"] for each in message["payload"]] == [code]
        # The connection and the id go on.
        one.subscribe("a")
        assert one.next()["payload"] == notes((1, "one"))


def test_a_mutation_is_not_run(live: Live, live_database_url: str, postgres: PostgresServer) -> None:
    with socket(live, {"apiKey": SERVICE_KEY}) as one:
        one.subscribe("a", "mutation { deleteFromnoteCollection(atMost: 9) { affectedCount } }")
        (error,) = one.next()["payload"]
    assert error["message"] == "Only a query or a subscription can be live"
    assert error["extensions"]["hint"] == "Send mutations to /graphql/v1."
    assert postgres.execute("select count(*) from note", live_database_url) == [[2]]


def test_a_subscription_without_a_query_is_refused(live: Live) -> None:
    with socket(live) as one:
        one.send(id="a", type="subscribe", payload={})
        assert [each["message"] for each in one.next()["payload"]] == ["The request has no query"]


def test_a_ping_is_answered(live: Live) -> None:
    with socket(live, False) as one:
        one.send(type="ping")
        assert one.next() == {"type": "pong"}
        one.send(type="ping", payload={"a": 1})
        assert one.next() == {"type": "pong", "payload": {"a": 1}}
        one.send(type="pong")
        one.send(type="connection_init", payload={"apiKey": ANON_KEY})
        assert one.next() == {"type": "connection_ack"}


SUBSCRIBE = json.dumps({"id": "a", "type": "subscribe", "payload": {"query": LIVE_NOTES}})


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        (["no json"], 4400),
        (["[]"], 4400),
        (["[" * 100_000], 4400),
        (['{"type": 1}'], 4400),
        (['{"type": "connection_terminate"}'], 4400),
        ([b'{"type": "ping"}'], 4400),
        (['{"type": "ping", "payload": {"n": [1e999]}}'], 4400),
        (['{"type": "ping", "payload": {"n": -1e999}}'], 4400),
        (['{"type": "ping", "payload": {"n": NaN}}'], 4400),
        (['{"type": "ping", "payload": {"n": -Infinity}}'], 4400),
        (['{"type": "subscribe", "payload": {}}'], 4400),
        (['{"type": "subscribe", "id": "", "payload": {}}'], 4400),
        (['{"type": "subscribe", "id": "a", "payload": "x"}'], 4400),
        (['{"type": "complete"}'], 4400),
        (['{"type": "connection_init"}'], 4429),
        ([SUBSCRIBE, SUBSCRIBE], 4409),
        ([SUBSCRIBE.replace('"a"', r'"\ud800"')] * 2, 4409),
        ([SUBSCRIBE.replace('"a"', f'"{"ü" * 100_000}"')] * 2, 4409),
    ],
)
def test_a_client_that_breaks_the_protocol_is_disconnected(live: Live, messages: list[str], code: int) -> None:
    with socket(live) as one:
        for each in messages:
            one.connection.send(each)
        assert one.closed()[0] == code


def test_a_message_of_any_size_is_not_kept(live: Live) -> None:
    """The service may close the connection while the client still sends, who then cannot read why."""
    with socket(live) as one:
        with suppress(ConnectionClosed):
            one.connection.send("x" * 20_000_000)
        with pytest.raises(ConnectionClosed) as closed:
            one.next()
    assert closed.value.rcvd is None or closed.value.rcvd.code == 1009


def frame(opcode: int, payload: bytes = b"", final: bool = True) -> bytes:
    """A frame of at most 125 bytes, masked with zeros."""
    return bytes((final << 7 | opcode, 0x80 | len(payload))) + bytes(4) + payload


@contextmanager
def raw_socket(live: Live, receive_buffer: int = 0) -> Iterator[Any]:
    """A connection after its handshake, without a client that reads."""
    url = urlsplit(live.url)
    lines = [
        f"GET {url.path} HTTP/1.1", f"Host: {url.netloc}", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: graphql-transport-ws", "", "",
    ]  # fmt: skip
    with plain_socket() as connection:
        if receive_buffer:
            connection.setsockopt(SOL_SOCKET, SO_RCVBUF, receive_buffer)
        connection.settimeout(PATIENCE_S)
        connection.connect((url.hostname, url.port))
        connection.sendall("\r\n".join(lines).encode())
        assert b" 101 " in connection.recv(4096)
        yield connection


def memory(live: Live) -> int:
    return int(Path(f"/proc/{live.process.pid}/statm").read_text().split()[1]) * 4096


def unread(connection: plain_socket) -> int:
    """The number of sent bytes that the process has not read yet, from the kernel's table of connections."""
    ours, theirs = (f":{port:04X}" for _, port in (connection.getsockname(), connection.getpeername()))
    waiting = 0
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, queues, *_ = line.split()
        sent, received = (int(each, 16) for each in queues.split(":"))
        if local.endswith(ours) and remote.endswith(theirs):
            waiting += sent
        elif local.endswith(theirs) and remote.endswith(ours):
            waiting += received
    return waiting


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc reports memory")
def test_unread_pongs_are_not_kept(live: Live) -> None:
    with raw_socket(live, receive_buffer=1 << 16) as connection:
        connection.sendall(frame(9, b"x" * 125) * 1000)
        before = memory(live)
        connection.sendall(frame(9, b"x" * 125) * 150_000)
        connection.sendall(frame(9, b"last"))
        until(lambda: unread(connection) == 0)
        assert memory(live) - before < 8_000_000
        end = b""
        while not end.endswith(b"\x8a\x04last"):
            received = connection.recv(1 << 16)
            assert received
            end = end[-6:] + received
        connection.sendall(frame(9, b"again"))
        assert connection.recv(4096) == b"\x8a\x05again"


def test_a_message_of_fragments_without_an_end_is_refused(live: Live) -> None:
    with raw_socket(live) as connection:
        connection.sendall(frame(1, b"", final=False) + frame(0, b"", final=False) * 20_000)
        assert connection.recv(4096)[2:4] == (1009).to_bytes(2, "big")


def test_a_message_in_many_fragments_is_read(live: Live) -> None:
    message = json.dumps({"type": "ping", "payload": "x" * 8000}).encode()
    parts = [frame(0, message[at : at + 1], final=False) for at in range(1, len(message) - 1)]
    with raw_socket(live) as connection:
        connection.sendall(frame(1, message[:1], final=False) + b"".join(parts) + frame(0, message[-1:]))
        assert b'"pong"' in connection.recv(4096)


def test_subscribing_before_the_initialisation_is_refused(live: Live) -> None:
    with socket(live, False) as one:
        one.subscribe("a")
        assert one.closed()[0] == 4401


@pytest.mark.parametrize("protocols", [None, ["graphql-ws"]])
def test_other_protocols_are_refused(live: Live, protocols: list[Subprotocol] | None) -> None:
    with socket(live, False, subprotocols=protocols) as one:
        assert one.closed() == (4406, "Expected the subprotocol graphql-transport-ws")


@pytest.mark.parametrize("line", ["X: \x7f", f"X: {'x' * 9000}", "Content-Length: 5", "Transfer-Encoding: chunked"])
def test_a_request_that_is_no_websocket_is_not_kept(live: Live, line: str) -> None:
    """It is one to the library that reads requests, and not to that of WebSockets."""
    address = urlsplit(live.url)
    upgrade = (
        f"GET {address.path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Protocol: graphql-transport-ws\r\n{line}\r\n\r\n"
    )
    with create_connection((address.hostname, address.port), timeout=20) as connection:
        connection.sendall(upgrade.encode("latin-1"))
        with connection.makefile("rb") as answer:
            assert answer.read().startswith(b"HTTP/1.1 400 Bad Request")


def test_streams_of_a_closed_connection_end(live: Live) -> None:
    before = streams(live)
    with socket(live) as one:
        for number in range(3):
            one.subscribe(str(number), LIVE_NOTES.replace("id body", "id" + " " * number))
            assert one.next()["type"] == "next"
        assert streams(live) == before + 3
    until(lambda: streams(live) == before)


def test_a_silent_client_is_disconnected_and_others_are_not(live: Live, change: Callable[[str], None]) -> None:
    with socket(live) as one, socket(live, False) as silent:
        one.subscribe("a")
        one.until({"id": "a", "type": "next", "payload": notes((1, "one"))})
        assert silent.closed(20)[0] == 4408
        change("update note set body = 'later' where id = 1")
        assert one.next()["payload"] == notes((1, "later"))


def test_the_number_of_connections_is_limited(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_LIMIT="2") as live, ExitStack() as stack:
        one, other = (stack.enter_context(socket(live)) for _ in range(2))
        with socket(live, False) as third:
            third.send(type="connection_init", payload={"apiKey": ANON_KEY})
            assert third.closed() == (1013, "All 2 connections are in use (LIVE_LIMIT)")
        for number in range(2):
            one.subscribe(str(number))
            assert one.next()["type"] == "next"
        other.subscribe("a")
        assert [each["extensions"]["code"] for each in other.next()["payload"]] == ["OVERLOADED"]
        one.send(id="0", type="complete")
        until(lambda: streams(live) != 2)
        other.subscribe("a")
        assert other.next()["type"] == "next"


def test_a_stop_closes_connections_with_service_restart(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path) as live, socket(live) as one:
        one.subscribe("a")
        assert one.next()["type"] == "next"
        live.process.terminate()
        with pytest.raises(ConnectionClosed) as closed:
            one.next()
        # "Service Restart"; nothing said that the subscription was complete.
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert live.process.wait(PATIENCE_S) == 0


def test_pages_of_allowed_origins_may_connect(live_database_url: str, live: Live, tmp_path: Path) -> None:
    own = live.url.split("/graphql")[0]
    with socket(live, additional_headers={"origin": own}) as one:
        one.subscribe("a")
        assert one.next()["type"] == "next"
    for other in ("https://other.example", "null"):
        with pytest.raises(InvalidStatus) as refused, socket(live, additional_headers={"origin": other}):
            pass
        assert refused.value.response.status_code == 403
    with serving_live(
        live_database_url, tmp_path, CORS_ORIGINS="https://app.example", PUBLIC_URL="https://api.example"
    ) as live:
        for allowed in ("https://app.example", "https://api.example"):
            with socket(live, additional_headers={"origin": allowed}):
                pass
        with pytest.raises(InvalidStatus), socket(live, additional_headers={"origin": "https://other.example"}):
            pass
