"""Compares a request with pgbench running the same statements. Both alternate in one run, and the best round of each
counts, since other programs may use the machine too."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.discovery import configure, plugin_manager
from app.identity.further_credentials import RequestHead
from app.pipeline import run
from app.pipeline.records import GraphQLRequest
from app.settings import Settings
from app.wsgi import create_app
from bench.load import http_request, run_load
from bench.pgbench import PgBench, flight_of
from bench.sent import sent_by
from bench.service import serving

KEYS = {
    "JWT_SECRET": "a secret that only this benchmark uses",
    "ANON_KEY": "anon-key",
    "SERVICE_ROLE_KEY": "service-key",
}
CONNECTIONS, WORKERS, THREADS = 8, 2, 2
PATH = "/graphql/v1"


@dataclass(frozen=True)
class Case:
    """An operation with the variables of one client after the other: how they wait for each other's rows is not what
    is measured."""

    name: str
    query: str
    variables: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Beside:
    """The result of a case: with 8 connections, requests per second; with one client without HTTP, microseconds."""

    case: str
    served_per_second: float
    pgbench_per_second: float
    alone_us: float
    pgbench_alone_us: float

    def line(self) -> str:
        return (
            f"{self.case:28} {self.served_per_second:6.0f} per second, pgbench {self.pgbench_per_second:6.0f}: "
            f"{self.served_per_second / self.pgbench_per_second:4.0%}; one client without HTTP: "
            f"{self.alone_us:6.0f} us, pgbench {self.pgbench_alone_us:6.0f} us: "
            f"{self.alone_us / self.pgbench_alone_us:.2f} times"
        )


@dataclass(frozen=True)
class Place:
    """Where cases are measured: a running service with its settings, and a directory for pgbench's script."""

    settings: Settings
    address: tuple[str, int]
    directory: Path


@contextmanager
def place(url: str, directory: Path) -> Iterator[Place]:
    """A service on the database at ``url``."""
    settings, _ = configure({}, {"database_url": url, "threads": THREADS, **{k.lower(): v for k, v in KEYS.items()}})
    with serving(KEYS | {"DATABASE_URL": url}, WORKERS, THREADS) as (address, _):
        yield Place(settings, address, directory)


def measure(case: Case, place: Place, seconds: float, rounds: int) -> Beside:
    """Measure a case, each side ``rounds`` times for ``seconds``."""
    requests = [_request(case.query, each) for each in case.variables]
    settings = place.settings
    application = create_app(settings, plugin_manager())
    flights = [flight_of(sent_by(each, application.services.engine)) for each in requests]
    application.close()
    bench = PgBench(flights, settings.database_url or "", place.directory)
    found = [
        (
            _serve(case, place, seconds),
            bench.per_second(CONNECTIONS, seconds),
            _alone(requests[0], settings, seconds),
            bench.per_second(1, seconds),
        )
        for _ in range(rounds)
    ]
    served, reported, alone, reported_alone = map(max, zip(*found, strict=True))
    return Beside(case.name, served, reported, 1e6 / alone, 1e6 / reported_alone)


def _request(query: str, variables: Mapping[str, Any]) -> GraphQLRequest:
    return GraphQLRequest(query, variables, head=RequestHead("POST", PATH, {"apikey": KEYS["ANON_KEY"]}.get))


def _serve(case: Case, place: Place, seconds: float) -> float:
    headers = {"apiKey": KEYS["ANON_KEY"], "Content-Type": "application/json"}
    requests = [
        http_request(PATH, json.dumps({"query": case.query, "variables": each}).encode(), headers)
        for each in case.variables
    ]
    run_load(place.address, *requests, connections=CONNECTIONS, seconds=min(1, seconds))
    found = run_load(place.address, *requests, connections=CONNECTIONS, seconds=seconds)
    assert not found.failures
    return found.per_second


def _alone(request: GraphQLRequest, settings: Settings, seconds: float) -> float:
    """Requests per second, one after the other, in this process."""
    application = create_app(settings, plugin_manager())
    response = run(request, application.services.engine).response
    assert b'"errors"' not in response.body, response.body
    count, began = 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        run(request, application.services.engine)
        count += 1
    took = time.perf_counter() - began
    application.close()
    return count / took
