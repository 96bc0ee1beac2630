"""``portico serve --live``: live queries at the address of the API."""

from __future__ import annotations

import os
import signal
import socket as sockets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
import requests
from websockets.exceptions import InvalidStatus

from app.faces.live import triggers
from app.server.handing_over import can_hand_over
from tests.graphql.api import ANON_KEY
from tests.graphql.conftest import ROLES, StartApi
from tests.graphql.conftest import start_api as start_api
from tests.live.sockets import LIVE_NOTES, NOTES, Socket, bearer, socket
from tests.live.streams import Live, Stream, serving_beside
from tests.postgres_server import PostgresServer
from tests.process.conftest import Portico
from tests.process.conftest import portico as portico
from tests.process.running import PATIENCE_S, is_running, until

pytestmark = pytest.mark.skipif(not can_hand_over(), reason="this system cannot pass sockets")

SCHEMA = """
create table note (id int primary key, owner text, body text);
grant select on note to anon, authenticated;
insert into note values (1, null, 'one');
"""


def notes(*rows: tuple[int, str]) -> dict[str, object]:
    return {"noteCollection": {"edges": [{"node": {"id": number, "body": body}} for number, body in rows]}}


@pytest.fixture(scope="module")
def live_database_url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    triggers.enable(url, ["note"])
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="module")
def beside(live_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    given = {"CORS_ORIGINS": "https://app.example.com", "WEB_CONCURRENCY": "1"}
    with serving_beside(live_database_url, tmp_path_factory.mktemp("beside"), **given) as live:
        yield live


@pytest.fixture
def change(live_database_url: str, postgres: PostgresServer) -> Iterator[Callable[[str], None]]:
    """Runs SQL; the rows are put back."""
    yield lambda sql: (postgres.execute(sql, live_database_url), None)[1]
    postgres.execute("truncate note; insert into note values (1, null, 'one')", live_database_url)


def api_of(live: Live) -> str:
    return live.url.removesuffix("/stream")


def answer(live: Live, session: Any = requests) -> requests.Response:
    """The response of the API to a query."""
    response: requests.Response = session.post(
        api_of(live), json={"query": NOTES}, headers={"apiKey": ANON_KEY}, timeout=PATIENCE_S
    )
    return response


def operations(live: Live, path: str) -> requests.Response:
    return requests.get(api_of(live).replace("/graphql/v1", path), timeout=PATIENCE_S)


def metric(live: Live, name: str) -> float:
    (line,) = [each for each in operations(live, "/metrics").text.splitlines() if each.startswith(f"{name} ")]
    return float(line.split()[1])


def live_process(live: Live) -> int:
    """The process id of the child that no worker is."""
    children = {each.pid for each in psutil.Process(live.process.pid).children()}
    (found,) = children - workers(live)
    return found


def workers(live: Live) -> set[int]:
    """The process ids of the children that have the listening socket; one that was killed has none."""
    port = urlsplit(live.url).port

    def listens(child: psutil.Process) -> bool:
        with suppress(psutil.NoSuchProcess):
            return any(one.status == "LISTEN" and one.laddr.port == port for one in child.net_connections("tcp"))
        return False

    return {each.pid for each in psutil.Process(live.process.pid).children() if listens(each)}


def test_one_address_has_the_api_and_both_protocols(beside: Live, change: Callable[[str], None]) -> None:
    assert answer(beside).json()["data"] == notes((1, "one"))
    stream = beside.stream(NOTES)
    with socket(beside) as one:
        assert stream.data() == notes((1, "one"))
        one.subscribe("a")
        assert one.next()["payload"]["data"] == notes((1, "one"))
        change("update note set body = 'eins'")
        assert stream.data() == notes((1, "eins"))
        assert one.next()["payload"]["data"] == notes((1, "eins"))


def test_a_stream_by_get_is_served(beside: Live) -> None:
    asked = requests.get(beside.url, {"query": NOTES}, headers={"apiKey": ANON_KEY}, stream=True, timeout=PATIENCE_S)
    assert asked.headers["content-type"] == "text/event-stream"
    assert Stream(asked).data() == notes((1, "one"))


def test_a_connection_closes_after_a_response_of_live_queries(beside: Live) -> None:
    """Its next request may be one for the API, which the process of live queries does not answer."""
    with requests.Session() as session:
        for _ in range(3):
            refused = session.post(beside.url, json={"query": NOTES}, timeout=PATIENCE_S)
            assert (refused.status_code, refused.headers["connection"]) == (401, "close")
            assert answer(beside, session).json()["data"] == notes((1, "one"))


def test_a_body_that_arrives_later_is_received(beside: Live) -> None:
    body = b'{"query": "' + NOTES.encode() + b'"}'
    place = urlsplit(beside.url)
    head = (
        f"POST {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\napiKey: {ANON_KEY}\r\nExpect: 100-continue\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with (
        sockets.create_connection((place.hostname, place.port), timeout=PATIENCE_S) as connection,
        connection.makefile("rb") as received,
    ):
        connection.sendall(head.encode() + body[:5])
        assert received.readline() == b"HTTP/1.1 100 Continue\r\n"
        connection.sendall(body[5:])
        lines = iter(received.readline, b"event: next\r\n")
        assert b"HTTP/1.1 200 OK\r\n" in lines


def test_the_workers_answer_preflight_requests(beside: Live) -> None:
    origin = {"Origin": "https://app.example.com"}
    asked = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "apikey"}
    allowed = requests.options(beside.url, headers=asked, timeout=PATIENCE_S)
    assert (allowed.status_code, allowed.headers["Access-Control-Allow-Headers"]) == (204, "apikey")
    streaming = beside.ask(NOTES, **origin)
    assert streaming.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
    streaming.close()
    with socket(beside, origin="https://app.example.com") as one:
        one.subscribe("a")
        assert one.next()["type"] == "next"
    with pytest.raises(InvalidStatus, match="403"), socket(beside, origin="https://other.example.com"):
        pass


def test_health_and_metrics_of_the_service_include_live_queries(beside: Live) -> None:
    assert operations(beside, "/health").json()["live"] == "ok"
    stream = beside.stream("{ noteCollection(first: 1) { edges { node { id } } } }")
    stream.data()
    until(lambda: metric(beside, "portico_live_streams") >= 1)
    until(lambda: metric(beside, "portico_live_changes_heard") == 1)
    assert metric(beside, "portico_live_run_seconds_count") >= 1


def test_limits_are_those_of_the_process(live_database_url: str, tmp_path: Path) -> None:
    with serving_beside(live_database_url, tmp_path, LIVE_LIMIT="1") as live:
        live.stream(NOTES).data()
        refused = live.ask(NOTES)
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        assert refused.json()["errors"][0]["extensions"]["code"] == "OVERLOADED"


def test_a_trusted_proxy_gives_the_address_of_the_client(live_database_url: str, tmp_path: Path) -> None:
    given = {"LIVE_CALLER_LIMIT": "1", "TRUSTED_PROXY": "127.0.0.1"}
    with serving_beside(live_database_url, tmp_path, **given) as live:
        addresses = ("192.0.2.1", "192.0.2.1", "192.0.2.2")
        asked = [live.ask(NOTES, **{"X-Forwarded-For": address}) for address in addresses]
        assert [each.status_code for each in asked] == [200, 503, 200]


def test_a_replaced_worker_loses_no_stream(
    live_database_url: str, tmp_path: Path, change: Callable[[str], None]
) -> None:
    """200 streams stay open while the API is under load and each worker is killed."""
    given = {"LIVE_CALLER_LIMIT": "500"}
    with serving_beside(live_database_url, tmp_path, **given) as live, ExitStack() as opened:
        stop, failed = threading.Event(), list[Any]()

        def load() -> None:
            while not stop.is_set():
                try:
                    assert answer(live).status_code == 200
                except requests.ConnectionError as ex:
                    # A worker was killed while it had this request.
                    failed.append(ex)

        loading = [threading.Thread(target=load) for _ in range(3)]
        for each in loading:
            each.start()
        opened.callback(stop.set)
        streams = [live.stream(NOTES) for _ in range(100)]
        connections: list[Socket] = [opened.enter_context(socket(live)) for _ in range(100)]
        for one in connections:
            one.subscribe("a")
        before = workers(live)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: pid not in workers(live) and len(workers(live)) == 2)
        change("update note set body = 'still here'")
        for stream in streams:
            stream.until(notes((1, "still here")))
        for one in connections:
            one.until({"id": "a", "type": "next", "payload": {"data": notes((1, "still here"))}})
        live.stream(NOTES).until(notes((1, "still here")))
        stop.set()
        for each in loading:
            each.join()
        assert len(failed) <= 2 * len(loading) * len(before)


def test_a_process_that_dies_is_replaced(live_database_url: str, tmp_path: Path, change: Callable[[str], None]) -> None:
    with serving_beside(live_database_url, tmp_path) as live:
        stream = live.stream(NOTES)
        stream.data()
        died = live_process(live)
        os.kill(died, signal.SIGKILL)
        assert stream.next()[0] in ("end", "lost")
        assert answer(live).json()["data"] == notes((1, "one"))
        until(lambda: live.ask(NOTES).status_code == 200)
        assert not is_running(died)
        change("update note set body = 'eins'")
        live.stream(NOTES).until(notes((1, "eins")))


def test_a_stop_ends_streams_and_connections(live_database_url: str, tmp_path: Path) -> None:
    with serving_beside(live_database_url, tmp_path) as live:
        stream = live.stream(NOTES)
        stream.data()
        with socket(live) as one:
            one.subscribe("a", LIVE_NOTES)
            assert one.next()["type"] == "next"
            live.process.terminate()
            assert one.closed()[0] == 1012
            assert stream.next()[0] == "end"
        assert live.process.wait(PATIENCE_S) == 0
        assert "Traceback" not in live.process.stdout.read()


def test_a_stop_while_clients_connect_leaves_none_waiting(live_database_url: str, tmp_path: Path) -> None:
    """A request that arrives during the stop is answered or its connection closed, and the service ends."""
    with serving_beside(live_database_url, tmp_path, SHUTDOWN_GRACE_S="5") as live:
        ends: list[object] = []

        def ask() -> None:
            try:
                while True:
                    ends.append(live.ask(NOTES, authorization=bearer("ada")).close())
            except requests.ConnectionError as ex:
                ends.append(ex)

        asking = [threading.Thread(target=ask) for _ in range(4)]
        for each in asking:
            each.start()
        until(lambda: len(ends) > 8)
        live.process.terminate()
        for each in asking:
            each.join()
        assert live.process.wait(PATIENCE_S) == 0
        assert "Traceback" not in live.process.stdout.read()


def test_the_service_starts_without_a_database(tmp_path: Path) -> None:
    with serving_beside("postgresql://nobody@127.0.0.1:1/none", tmp_path) as live:
        assert operations(live, "/health").json()["live"] == "ok"


def test_a_service_without_live_queries_reports_how_to_serve_them(start_api: StartApi) -> None:
    client = start_api().client
    asked = [
        client.simulate_post("/graphql/v1/stream", json={"query": NOTES}),
        client.simulate_get("/graphql/v1/stream", headers={"Accept": "text/event-stream"}),
        client.simulate_get("/graphql/v1/stream", headers={"Upgrade": "websocket", "Connection": "Upgrade"}),
    ]
    for each in asked:
        assert each.status_code == 404
        (error,) = each.json["errors"]
        assert error["extensions"]["code"] == "NOT_FOUND"
        assert error["extensions"]["hint"].startswith("Start the service with `portico serve --live`")
    # A document may have this name.
    assert client.simulate_get("/graphql/v1/stream").json["errors"][0]["extensions"]["code"] != "NOT_FOUND"


@pytest.mark.parametrize(
    ("module", "name", "value", "message"),
    [
        ("app.commands.live_beside", "find_spec", lambda _name: None, "live queries need another package: "),
        ("socket", "send_fds", None, "this system cannot pass connections to another process: run `portico live`"),
    ],
)
def test_what_is_missing_is_reported(
    portico: Portico, monkeypatch: pytest.MonkeyPatch, module: str, name: str, value: Any, message: str
) -> None:
    if value is None:
        monkeypatch.delattr(f"{module}.{name}")
    else:
        monkeypatch.setattr(f"{module}.{name}", value)
    given = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "JWT_SECRET": 40 * "s", "PORT": "0"}
    refused = portico("serve", "--live", **given)
    assert refused.returncode == 1
    assert message in refused.stderr.splitlines()[-1]
