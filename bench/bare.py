"""The least that a service on Falcon and waitress can spend: both as they come, and in each thread a socket to
PostgreSQL, which sends the bytes that the service sends and answers with those that come back.

``python -m bench.bare WORKERS THREADS URL`` prints its port. It finds what to send by the whole body of a request, so
it reads no GraphQL, checks no key, and plans nothing.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from struct import unpack_from

import falcon

from app.database.url.url import parse_database_url
from app.database.wire import session
from app.database.wire.driver import DriverSession
from app.database.wire.prepared import PreparedStatements, Step
from app.database.wire.target import Target
from bench.empty import serve
from bench.library import QUESTIONS
from bench.sent import bodies_of, sent_for

_CHUNK = 65536
_MOST_PREPARED = 1000
_READY = b"Z\0\0\0\5I"
_TYPENAME = b'{"data":{"__typename":"Query"}}'


class Connection:
    """A session that has prepared all statements, and the flights to send, by the bodies of requests."""

    def __init__(self, target: Target, flights: Mapping[bytes, Sequence[Step]]) -> None:
        self._socket = _dial(target)
        # It holds what belongs to the session while that lasts.
        self._session = DriverSession(target.user, database=target.database, sock=self._socket, ssl_context=False)
        prepared = PreparedStatements(_MOST_PREPARED)
        for steps in flights.values():
            if steps:
                message, parsing = prepared.compose(steps)
                self._answer(session.CLEANING.message + message)
                for each in filter(None, parsing):
                    prepared.add(*each)
        self._messages = {
            body: session.CLEANING.message + prepared.compose(steps)[0] if steps else b""
            for body, steps in flights.items()
        }
        self._values = {body: _value(self._answer(sent)) for body, sent in self._messages.items() if sent}

    def ask(self, body: bytes) -> bytes:
        """The answer to a request: the last value that PostgreSQL sends."""
        message = self._messages[body]
        if not message:
            return _TYPENAME
        return b'{"data":{"answer":%b}}' % self._answer(message)[self._values[body]]

    def _answer(self, message: bytes) -> bytes:
        self._socket.sendall(message)
        received = self._socket.recv(_CHUNK)
        while not received.endswith(_READY):
            received += self._socket.recv(_CHUNK)
        return received


def _dial(target: Target) -> socket.socket:
    if target.socket_path is None:
        return socket.create_connection((target.host, target.port))
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(target.socket_path)
    return sock


def _value(answer: bytes) -> slice:
    """Where the only value of the last row stands in an answer to the same message."""
    found = slice(0, 0)
    at = 0
    while at < len(answer):
        kind, size = unpack_from("!ci", answer, at)
        following = at + 1 + size
        if kind == b"D":
            # Its kind, its size, the number of its columns and the size of the value come before it.
            found = slice(at + 11, following - len(answer))
        elif kind == b"E":
            raise SystemExit(f"PostgreSQL refuses a statement: {answer[at:following]!r}")
        at = following
    return found


class Bare:
    """The resource: each thread has its own connection."""

    def __init__(self, target: Target, flights: Mapping[bytes, Sequence[Step]]) -> None:
        self._target = target
        self._flights = flights
        self._local = threading.local()

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        body = req.bounded_stream.read()
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = Connection(self._target, self._flights)
        resp.content_type = "application/json"
        resp.data = connection.ask(body)


def _flights(url: str) -> Iterator[tuple[bytes, Sequence[Step]]]:
    for question in QUESTIONS:
        yield from zip(bodies_of(question), sent_for(question, url), strict=True)


def main() -> None:
    workers, threads, url = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    serve("/graphql", Bare(parse_database_url(url), dict(_flights(url))), workers, threads)


if __name__ == "__main__":
    main()
