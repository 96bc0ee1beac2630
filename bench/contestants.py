"""Those that ``python -m bench`` measures: each is a running server that is asked the same questions."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.floor import empty_server, own_server
from bench.library import PORTICO, Question, rows_of
from bench.sent import ANON_KEY, SETTINGS, bodies_of
from bench.service import serving

_JSON = {"Content-Type": "application/json"}
_STARTS_WITHIN_S = 60.0


class NotStarted(Exception):
    """A peer ended, or did not begin to listen in time."""

    def __str__(self) -> str:
        return "it does not start; its messages are above"


@dataclass(frozen=True)
class Contestant:
    """``queries``: its documents by the names of the questions that it can answer; none if it answers all of them
    without reading them.
    ``url``: where a question is asked."""

    name: str
    pid: int
    url: Callable[[Question], str]
    queries: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=lambda: _JSON)

    def answers(self, question: Question) -> bool:
        """Whether it can answer the question."""
        return not self.queries or question.name in self.queries

    def bodies(self, question: Question) -> list[bytes]:
        """The bodies of its requests, one for each of the question's variables."""
        return bodies_of(question, self.queries or PORTICO)

    def ask(self, question: Question) -> bytes:
        """The answer's body. Raises AssertionError unless it is true."""
        request = urllib.request.Request(self.url(question), self.bodies(question)[0], dict(self.headers))
        with urllib.request.urlopen(request) as response:
            body: bytes = response.read()
        if self.queries:
            found = rows_of(json.loads(body))
            assert found == question.truth, f"{self.name} gives a wrong answer: {body[:300]!r}"
        return body


@contextmanager
def portico(url: str, workers: int, threads: int) -> Iterator[Contestant]:
    with serving({"DATABASE_URL": url, **SETTINGS}, workers, threads) as ((host, port), pid):
        headers = {**_JSON, "apiKey": ANON_KEY}
        yield Contestant("Portico", pid, lambda _: f"http://{host}:{port}/graphql/v1", PORTICO, headers)


@contextmanager
def empty(sizes: Mapping[str, int], workers: int, threads: int) -> Iterator[Contestant]:
    """Falcon and waitress, whose answer to each question has the given size."""
    with empty_server(workers, threads) as server:
        host, port = server.address
        yield Contestant(
            "empty Falcon + waitress", server.pid, lambda asked: f"http://{host}:{port}/{sizes[asked.name]}", {}
        )


@contextmanager
def bare(url: str, workers: int, threads: int) -> Iterator[Contestant]:
    """Falcon, waitress and sockets to the database that send what the service sends."""
    with own_server("bare", workers, threads, url) as server:
        host, port = server.address
        yield Contestant(
            "Falcon + waitress + bare socket", server.pid, lambda _: f"http://{host}:{port}/graphql", PORTICO
        )


@contextmanager
def started(
    name: str,
    command: Sequence[str],
    variables: Mapping[str, str],
    place: Path,
    port: int,
    queries: Mapping[str, str],
    path: str = "/graphql",
    headers: Mapping[str, str] | None = None,
) -> Iterator[Contestant]:
    """A peer that listens on ``port`` of this machine, as soon as it does. ``headers``: more headers of requests."""
    with subprocess.Popen(
        command, cwd=place, env=os.environ | variables, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            _await(port, process)
            url = f"http://127.0.0.1:{port}{path}"
            yield Contestant(name, process.pid, lambda _: url, queries, {**_JSON, **(headers or {})})
        finally:
            os.killpg(process.pid, 15)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise NotStarted from None
            time.sleep(0.2)
