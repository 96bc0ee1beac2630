"""The least that a service on Falcon and waitress can spend: both as they come, and in each thread a socket to
PostgreSQL, which sends the bytes that the service sends and answers with those that come back. Where the service keeps
its caller on a connection, this server sets role and claims once on each, and then sends the short flight.

``python -m bench.bare WORKERS THREADS URL`` prints its port. It finds what to send by the whole body of a request, so
it reads no GraphQL, checks no key, and plans nothing.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from struct import unpack_from
from typing import NamedTuple

import falcon

from app.database.url.url import parse_database_url
from app.database.wire import session
from app.database.wire.driver import DriverSession
from app.database.wire.prepared import PreparedStatements, Step, makes_blocks
from app.database.wire.target import Target
from bench.empty import serve
from bench.library import QUESTIONS
from bench.sent import Sent, bodies_of, sent_for

_CHUNK = 65536
_MOST_PREPARED = 1000
_READY = b"Z\0\0\0\5I"
_TYPENAME = b'{"data":{"__typename":"Query"}}'


class Flight(NamedTuple):
    """The messages for a request. ``enter``: cleans the session, and sets the context if that stays; it is sent before
    the first flight of a connection, and after a flight that has another ``enter``. ``message``: the flight, empty if
    the database is not needed. ``value``: where the value is in the answer to ``message``."""

    enter: bytes
    message: bytes
    value: slice


class Connection:
    """A session that has prepared all statements, and the flights to send, by the bodies of requests."""

    def __init__(self, target: Target, sent: Mapping[bytes, Sent]) -> None:
        self._socket = _dial(target)
        # It holds what belongs to the session while that lasts.
        self._session = DriverSession(target.user, database=target.database, sock=self._socket, ssl_context=False)
        self._prepared = PreparedStatements(_MOST_PREPARED, in_block=makes_blocks(self._session.parameter_statuses))
        self._flights = {body: self._flight(each) for body, each in sent.items()}
        self._entered = b""

    def ask(self, body: bytes) -> bytes:
        """The answer to a request: the last value that PostgreSQL sends."""
        flight = self._flights[body]
        if not flight.message:
            return _TYPENAME
        if flight.enter != self._entered:
            self._answer(flight.enter)
            self._entered = flight.enter
        return b'{"data":{"answer":%b}}' % self._answer(flight.message)[flight.value]

    def _flight(self, sent: Sent) -> Flight:
        if not sent.data:
            return Flight(b"", b"", slice(0, 0))
        enter = self._compose(sent.enter, clean=True)
        message = self._compose((*sent.context, *sent.data), clean=not sent.enter)
        return Flight(enter, message, _value(self._answer(message)))

    def _compose(self, steps: Sequence[Step], *, clean: bool) -> bytes:
        """The message with these steps, which have run once, so that their statements are prepared."""
        cleaning = session.CLEANING.message if clean else b""
        message, parsing = self._prepared.compose(steps)
        self._answer(cleaning + message)
        for each in filter(None, parsing):
            self._prepared.add(*each)
        return cleaning + self._prepared.compose(steps)[0]

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

    def __init__(self, target: Target, sent: Mapping[bytes, Sent]) -> None:
        self._target = target
        self._sent = sent
        self._local = threading.local()

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        body = req.bounded_stream.read()
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = Connection(self._target, self._sent)
        resp.content_type = "application/json"
        resp.data = connection.ask(body)


def _sent(url: str) -> Iterator[tuple[bytes, Sent]]:
    for question in QUESTIONS:
        yield from zip(bodies_of(question), sent_for(question, url), strict=True)


def main() -> None:
    workers, threads, url = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    serve("/graphql", Bare(parse_database_url(url), dict(_sent(url))), workers, threads)


if __name__ == "__main__":
    main()
