"""Streams of live queries, read as a client does."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import requests

from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY
from tests.process.running import PATIENCE_S, started

Event = tuple[str, Any]


class Stream:
    """An open stream. ``next`` waits for an event; ``quiet`` is true if none comes for some time."""

    def __init__(self, response: requests.Response) -> None:
        self._response = response
        self._events: Queue[Event] = Queue()
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def next(self, seconds: float = PATIENCE_S) -> Event:
        return self._events.get(timeout=seconds)

    def data(self) -> Any:
        """The data of the next answer."""
        kind, answer = self.next()
        assert kind == "next", kind
        assert "errors" not in answer, answer
        return answer["data"]

    def until(self, data: Any) -> None:
        """Wait for an answer with this data; who joins others may first see what they saw."""
        while self.data() != data:
            pass

    def quiet(self, seconds: float) -> bool:
        try:
            self._events.get(timeout=seconds)
        except Empty:
            return True
        return False

    def _read(self) -> None:
        kind = ""
        try:
            for line in self._response.iter_lines():
                name, _, value = line.decode().partition(": ")
                if name == "event":
                    kind = value
                elif name == "data" or line == b"data:":
                    self._events.put((kind, json.loads(value) if value else None))
            self._events.put(("end", None))
        except (requests.RequestException, AttributeError):
            self._events.put(("lost", None))


class Live:
    """A running ``portico live``, or a ``portico serve --live``."""

    def __init__(self, url: str, process: Any) -> None:
        self.url = url
        self.process = process

    def ask(
        self, query: str, variables: Any = None, key: str = ANON_KEY, operation: str | None = None, **headers: str
    ) -> requests.Response:
        body = {"query": query, "variables": variables, "operationName": operation}
        given = {"apiKey": key, "accept": "text/event-stream", **headers}
        return requests.post(self.url, json=body, headers=given, stream=True, timeout=PATIENCE_S)

    def stream(self, query: str, variables: Any = None, key: str = ANON_KEY, **more: str) -> Stream:
        response = self.ask(query, variables, key, **more)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "text/event-stream"
        return Stream(response)


@contextmanager
def serving_live(database_url: str, directory: Path, **settings: str) -> Iterator[Live]:
    """The process on a database, until it has stopped as asked."""
    with _serving(["live"], database_url, directory, {"LIVE_PORT": "0", **settings}) as live:
        yield live


@contextmanager
def serving_beside(database_url: str, directory: Path, **settings: str) -> Iterator[Live]:
    """``portico serve --live`` on a database, until it has stopped as asked."""
    given = {"PORT": "0", "WEB_CONCURRENCY": "2", **settings}
    with _serving(["serve", "--live"], database_url, directory, given) as live:
        yield live


@contextmanager
def _serving(command: list[str], database_url: str, directory: Path, settings: Mapping[str, str]) -> Iterator[Live]:
    variables = {
        "DATABASE_URL": database_url, "JWT_SECRET": JWT_SECRET, "ANON_KEY": ANON_KEY, "SERVICE_ROLE_KEY": SERVICE_KEY,
        "LIVE_POLL_S": "600", "POOL_SIZE": "2", **settings,
    }  # fmt: skip
    with started([sys.executable, "-m", "app", *command], directory, **variables) as process:
        assert process.stdout
        said = ""
        while not (found := re.search(r"http://\S+/stream", said)):
            line = process.stdout.readline()
            assert line, said
            said += line
        # Its stop ends the streams.
        yield Live(found[0], process)
        if process.poll() is None:
            process.terminate()
            assert process.wait(PATIENCE_S) == 0
