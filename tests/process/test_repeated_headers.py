"""Requests whose header is that of an earlier one: clients repeat theirs, and the server remembers them."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from app.server.processes.address import address_of, listen
from app.server.processes.worker import Worker
from app.settings import Settings, load
from tests.process.admission import admission_of
from tests.process.running import PATIENCE_S

LIMIT = 3000
TELL = b"environ"
TARGETS = (
    "/", "/a", "/a/b?c=d&e=/?", "/a?", "/a//b", "/%2F%2fa%20b%C3%A4", "/a;b=c:d@e", "/a?b%20c=%26", "/bucket/..%2f/./x",
    "//a/b", "/a#b", "/a?b#c", "http://there/a?b", "/a[1]", "/\u00e4", "/a?\u00e4", "/a|b", "*", "a",
)  # fmt: skip


class Echo:
    def __init__(self, settings: Settings) -> None:
        self.admission = admission_of(settings)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return echo(environ, start_response)


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    if body == TELL:
        reported = {name: value for name, value in environ.items() if isinstance(value, str)}
        body = json.dumps(reported).encode()
    answer = b"%b %b %b" % (environ["REQUEST_METHOD"].encode(), environ["REMOTE_PORT"].encode(), body)
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    settings = load({}, {"port": 0, "threads": 2, "body_limit": LIMIT, "database_url": "postgresql://nowhere"})
    listener = listen("127.0.0.1", 0)
    host, port = address_of(listener).removeprefix("http://").split(":")
    worker = Worker(Echo(settings), listener, settings)
    serving = threading.Thread(target=worker.run, daemon=True)
    serving.start()
    yield host, int(port)
    worker.stop()
    serving.join(PATIENCE_S)


class Client:
    """A connection."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, PATIENCE_S)
        self._answers = self._socket.makefile("rb")
        self.port = str(self._socket.getsockname()[1]).encode()

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._socket.sendall(piece)

    def read(self) -> tuple[int, bytes]:
        status = int(self._answers.readline().split()[1])
        length = 0
        for line in iter(self._answers.readline, b"\r\n"):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return status, self._answers.read(length)

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@pytest.fixture
def connect(address: tuple[str, int]) -> Iterator[Callable[[], Client]]:
    with ExitStack() as opened:
        yield lambda: opened.enter_context(closing(Client(address)))


@pytest.fixture
def client(connect: Callable[[], Client]) -> Client:
    return connect()


def post(body: bytes, path: bytes = b"/graphql/v1") -> bytes:
    return b"POST %b HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%b" % (path, len(body), body)


def test_repeated_requests_have_their_own_bodies(client: Client) -> None:
    for body in (b"one", b"two", b"six"):
        client.send(post(body))
        assert client.read() == (200, b"POST %b %b" % (client.port, body))


def test_clients_with_equal_headers_have_their_own_addresses(connect: Callable[[], Client]) -> None:
    for client in (connect(), connect()):
        client.send(post(b"same"))
        assert client.read() == (200, b"POST %b same" % client.port)


def test_pipelined_requests_are_answered_in_order(client: Client) -> None:
    bodies = [b"%03d" % number for number in range(40)]
    client.send(b"".join(map(post, bodies)))
    assert [client.read() for _ in bodies] == [(200, b"POST %b %b" % (client.port, body)) for body in bodies]


@pytest.mark.parametrize("cut", [1, 20, -3, -1])
def test_a_repeated_header_may_arrive_in_pieces(client: Client, cut: int) -> None:
    whole = post(b"in pieces")
    client.send(whole)
    assert client.read()[0] == 200
    client.send(whole + whole[:cut], whole[cut:])
    assert [client.read(), client.read()] == [(200, b"POST %b in pieces" % client.port)] * 2


def test_a_repeated_header_may_have_no_body(client: Client) -> None:
    get = b"GET /graphql/v1 HTTP/1.1\r\nHost: here\r\n\r\n"
    client.send(get + post(b"between") + get + get)
    assert [client.read()[1].split()[2:] for _ in range(4)] == [[], [b"between"], [], []]


@pytest.mark.parametrize("target", TARGETS)
def test_a_header_with_another_request_line_is_parsed_anew(connect: Callable[[], Client], target: str) -> None:
    """A header with the fields of an earlier one is not parsed as a whole."""

    def tell(method: str, target: str, number: str) -> tuple[int, dict[str, str]]:
        client = connect()
        line = f"{method} {target} HTTP/1.1\r\nNumber: {number}\r\n".encode("latin-1")
        client.send(line + b"".join(post(TELL).partition(b"Host")[1:]))
        status, body = client.read()
        reported = json.loads(body.split(b" ", 2)[2]) if status == 200 else {}
        return status, {**reported, "REMOTE_PORT": "", "HTTP_NUMBER": ""}

    assert tell("POST", "/other?x=y", "again")[0] == 200
    for method in ("POST", "PATCH"):
        as_new = tell(method, target, f"{method} {TARGETS.index(target)}")
        assert tell(method, target, "again") == as_new


def test_a_body_above_the_limit_is_refused_each_time(connect: Callable[[], Client]) -> None:
    for _ in range(2):
        client = connect()
        client.send(post(b"x" * LIMIT))
        assert client.read()[0] == 200
        client.send(post(b"x" * (LIMIT + 1)))
        assert client.read()[0] == 413


def test_a_refused_request_is_checked_again(connect: Callable[[], Client]) -> None:
    for _ in range(2):
        client = connect()
        client.send(post(b"{}", b"/storage/v1/bucket"))
        status, body = client.read()
        assert status == 400, body
