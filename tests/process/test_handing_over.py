"""Connections that workers hand over to a process beside them."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from app.server.handing_over import can_hand_over
from tests.process.running import PATIENCE_S, is_running, started, until
from tests.process.test_server import service, workers

pytestmark = pytest.mark.skipif(not can_hand_over(), reason="this system cannot pass sockets")

LONG = {"X-Long": "x" * 60_000}


def connected(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE_S)


def exchange(url: str, *parts: bytes) -> bytes:
    """All bytes that the service sends for these, until it closes the connection. It gets each part on its own."""
    with connected(url) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number, part in enumerate(parts):
            connection.sendall(part)
            if number == 0 and len(parts) > 1:
                # A request before the others is answered before they are sent.
                requests.get(f"{url}/pid", timeout=PATIENCE_S)
        with connection.makefile("rb") as answer:
            return answer.read()


def companion_of(url: str) -> int:
    return int(requests.get(f"{url}/stream", timeout=PATIENCE_S).text.split()[0])


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service(tmp_path_factory.mktemp("companion"), "companion", "workers=1") as (_, url):
        yield url


def test_a_connection_is_handed_over_with_what_was_received(tmp_path: Path) -> None:
    with service(tmp_path, "companion") as (process, url):
        assert companion_of(url) not in {process.pid, *workers(url, least=2)}
        head = b"POST /stream?a=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        answer = exchange(url, head + b"some")
        assert answer.count(b"HTTP/1.1") == 2
        assert answer.endswith(repr(head + b"some").encode())
        assert b"100 Continue" not in answer
        chunked = b"POST /stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
        assert exchange(url, chunked).endswith(repr(chunked).encode())


def test_a_connection_that_had_other_requests_is_handed_over(tmp_path: Path) -> None:
    ordinary, stream = b"GET /pid HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
    after = b"GET /pid HTTP/1.1\r\nHost: x\r\n\r\n"
    with service(tmp_path, "companion") as (_, url):
        pipelined = exchange(url, ordinary + stream + after)
        assert pipelined.count(b"HTTP/1.1 200 OK") == 2
        assert pipelined.endswith(repr(stream + after).encode())
        later = exchange(url, ordinary, b"\r\n" + stream[:20], stream[20:])
        assert later.endswith(repr(stream).encode())
        # A head in several pieces, with the largest that are received at once.
        long = stream[:-2] + b"X-Long: " + 60_000 * b"x" + b"\r\n\r\n"
        assert exchange(url, long[:100], long[100:]).endswith(repr(long).encode())


@pytest.mark.parametrize(
    "head",
    [
        "GET /streams", "GET /stream/", "GET //stream", "GET /str%65am", "GET /STREAM", "HEAD /stream", "PUT /stream",
        "OPTIONS /stream", "get /stream", "GET http://x/stream", "GET /pid?/stream",
    ],
)  # fmt: skip
def test_another_request_stays_with_the_workers(url: str, head: str) -> None:
    answer = exchange(url, f"{head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert b"\r\nServer: portico\r\n" in answer


@pytest.mark.parametrize(
    "rest",
    [
        " HTTP/1.1\r\n\r\n", " HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", " HTTP/1.1\r\nHost: x\r\nX Y: z\r\n\r\n",
        " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        " HTTP/2.0\r\nHost: x\r\n\r\n",
    ],
)  # fmt: skip
def test_an_invalid_head_is_not_handed_over(url: str, rest: str) -> None:
    answer = exchange(url, f"GET /stream{rest}".encode())
    assert b" 400 Bad Request\r\n" in answer
    assert b"\r\nServer: portico\r\n" in answer


def test_another_host_stays_with_the_workers(url: str) -> None:
    answer = requests.get(f"{url}/stream", headers={"Host": "elsewhere"}, timeout=PATIENCE_S)
    assert answer.headers["Server"] == "portico"
    again = requests.get(f"{url}/stream", headers={"Host": "elsewhere"}, timeout=PATIENCE_S)
    assert again.headers["Server"] == "portico"


def test_a_dead_companion_is_replaced(tmp_path: Path) -> None:
    with service(tmp_path, "companion", "cors_origins=https://a.example.com") as (process, url):
        pid = companion_of(url)
        (tmp_path / "wait").touch()
        (tmp_path / "waiting").unlink()
        os.kill(pid, signal.SIGKILL)
        # Its successor runs, and is not ready.
        until(lambda: (tmp_path / "waiting").exists())
        origin = {"Origin": "https://a.example.com"}
        refused = requests.post(f"{url}/stream", b"body", headers=origin, timeout=PATIENCE_S)
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "1"
        assert refused.headers["Access-Control-Allow-Origin"] == "https://a.example.com"
        assert refused.json()["code"] == "UNAVAILABLE"
        assert refused.json()["message"] == "The process of streams is not running now. Try again."
        assert workers(url, least=2)
        (tmp_path / "wait").unlink()
        until(lambda: requests.get(f"{url}/stream", timeout=PATIENCE_S).status_code == 200)
        assert companion_of(url) != pid
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout
        assert "the process of streams (process " in process.stdout.read()


def test_a_successor_takes_the_connections_that_wait(tmp_path: Path) -> None:
    with service(tmp_path, "companion") as (_, url), connected(url) as waiting:
        pid = companion_of(url)
        os.kill(pid, signal.SIGSTOP)
        waiting.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        # By then the connection is handed over.
        for _ in range(10):
            assert workers(url, least=2)
        os.kill(pid, signal.SIGKILL)
        with waiting.makefile("rb") as answer:
            assert answer.readline() == b"HTTP/1.1 200 OK\r\n"


def test_workers_refuse_what_the_companion_does_not_take(tmp_path: Path) -> None:
    with service(tmp_path, "companion") as (_, url):
        pid = companion_of(url)
        os.kill(pid, signal.SIGSTOP)
        waiting: list[socket.socket] = []
        head = b"GET /stream HTTP/1.1\r\nHost: x\r\nX-Long: " + 60_000 * b"x" + b"\r\n\r\n"

        def is_refused() -> bool:
            connection = connected(url)
            connection.sendall(head)
            connection.settimeout(0.2)
            try:
                answer = connection.recv(10_000)
            except TimeoutError:
                waiting.append(connection)
                return False
            connection.close()
            assert b"503 Service Unavailable" in answer
            assert b"Retry-After: 1" in answer
            assert b"OVERLOADED" in answer
            return True

        until(is_refused)
        # All other requests are answered as before.
        assert workers(url, least=2)
        os.kill(pid, signal.SIGCONT)
        answers = [_first_line(each) for each in waiting]
        # A busy worker may have refused some of them late.
        assert set(answers) - {b"HTTP/1.1 503 Service Unavailable\r\n"} == {b"HTTP/1.1 200 OK\r\n"}
        assert companion_of(url) == pid


def _first_line(connection: socket.socket) -> bytes:
    connection.settimeout(PATIENCE_S)
    with connection, connection.makefile("rb") as answer:
        return answer.readline()


def test_a_worker_that_dies_keeps_no_connection_from_the_companion(tmp_path: Path) -> None:
    with service(tmp_path, "companion") as (_, url):
        before = workers(url, least=2)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(workers(url) - before) == 1)
        assert companion_of(url)


def test_a_companion_that_cannot_start_ends_the_service(tmp_path: Path) -> None:
    (tmp_path / "unable").touch()
    with started([sys.executable, "-m", "tests.process.stub_service", "companion"], tmp_path) as process:
        assert process.wait(PATIENCE_S) == 1
        assert process.stdout
        said = process.stdout.read()
        assert "the process of streams cannot start: the companion is unable" in said
        assert "Traceback" not in said


def test_connections_that_no_successor_takes_are_closed(tmp_path: Path) -> None:
    with service(tmp_path, "companion") as (_, url), connected(url) as waiting:
        pid = companion_of(url)
        os.kill(pid, signal.SIGSTOP)
        waiting.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in range(10):
            assert workers(url, least=2)
        (tmp_path / "unable").touch()
        os.kill(pid, signal.SIGKILL)
        assert waiting.recv(100) == b""
        assert requests.get(f"{url}/stream", timeout=PATIENCE_S).status_code == 503
        (tmp_path / "unable").unlink()
        until(lambda: requests.get(f"{url}/stream", timeout=PATIENCE_S).status_code == 200)


def test_the_companion_ends_with_its_parent(tmp_path: Path) -> None:
    with service(tmp_path, "companion") as (process, url):
        pid = companion_of(url)
        process.kill()
        until(lambda: not is_running(pid))


def test_nothing_listens_once_the_service_stops(tmp_path: Path) -> None:
    """The companion would otherwise keep the port open, on which no worker accepts connections."""
    with service(tmp_path, "companion") as (process, url):
        listening = _listening_sockets(companion_of(url), int(url.rpartition(":")[2]))
        assert not listening
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def _listening_sockets(pid: int, port: int) -> bool:
    psutil = pytest.importorskip("psutil")
    return any(
        each.laddr.port == port for each in psutil.Process(pid).net_connections("tcp") if each.status == "LISTEN"
    )
