"""Changes of a large schema while requests run: ``python -m bench.schema_changes [--tables 3000]``.

It measures how long it takes until a new column can be queried, how long other requests are held meanwhile, how many of
them fail with SCHEMA_OUTDATED although their tables did not change, and the memory of a worker after many changes
beside that of a new one.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from bench import schema_building
from bench.beside import KEYS, PATH
from bench.databases import filled_database
from bench.load import answers_of, http_request
from bench.service import serving, workers_of

ASKING = 4
"""Connections that repeat a query of a table that does not change."""

Address = tuple[str, int]


@dataclass
class Held:
    """The requests that ran meanwhile: the longest one in seconds, and the number of those that were outdated, and that
    failed for another reason."""

    requests: int = 0
    longest_s: float = 0.0
    outdated: int = 0
    failed: int = 0
    errors: set[str] = field(default_factory=set)

    def add(self, took_s: float, body: bytes) -> None:
        self.requests += 1
        self.longest_s = max(self.longest_s, took_s)
        if b"SCHEMA_OUTDATED" in body:
            self.outdated += 1
        elif b'"errors"' in body or b'"data"' not in body:
            self.failed += 1
            self.errors.add(body[-200:].decode(errors="replace"))

    def line(self) -> str:
        failures = f", {self.failed} failed {sorted(self.errors)}" if self.failed else ""
        return f"{self.requests} others held {self.longest_s:.2f} s at most, {self.outdated} SCHEMA_OUTDATED{failures}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.schema_changes", description=__doc__)
    parser.add_argument("--tables", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=5, help="how many single changes are measured")
    parser.add_argument("--changes", type=int, default=100, help="changes before the memory is measured")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, filled_database(Path(place), "select 1") as cluster:
        from tests.postgres_server import connect

        with connect(cluster.url()) as connection:
            connection.execute_simple(schema_building.schema(options.tables))
            figures = measure(cluster.url(), connection.execute_simple, options)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(url: str, execute: Any, options: argparse.Namespace) -> dict[str, float]:
    """The figures, printed as they come. ``execute`` runs statements without results."""
    variables = KEYS | {"DATABASE_URL": url}
    with serving(variables, options.workers, 4) as (address, pid):
        _warm_up(address)
        fresh = _mib(pid)
        single, held = _single_changes(address, execute, options.rounds)
        print(f"one change: visible after {_listed(single)} s; {held.line()}", flush=True)
        changing = range(4, min(options.tables, 54))
        burst = _burst(address, execute, changing, 20, 2.0)
        print(f"20 changes in two seconds: {burst.line()}", flush=True)
        rest = _burst(address, execute, changing, options.changes, options.changes * 0.15)
        print(f"{options.changes} more: {rest.line()}", flush=True)
        changed = _mib(pid)
    with serving(variables, options.workers, 4) as (address, pid):
        _warm_up(address)
        anew = _mib(pid)
    print(f"memory of a worker: {fresh:.0f} MiB, after the changes {changed:.0f} MiB, a new one {anew:.0f} MiB")
    return {
        "visible s": statistics.median(single),
        "visible s, longest": max(single),
        "held by one s": held.longest_s,
        "held by 20 s": burst.longest_s,
        "outdated": held.outdated + burst.outdated + rest.outdated,
        "requests": held.requests + burst.requests + rest.requests,
        "memory": changed / anew,
    }


def _single_changes(address: Address, execute: Any, rounds: int) -> tuple[Sequence[float], Held]:
    visible = []
    with _asking(address) as held:
        for number in range(rounds):
            time.sleep(0.5)
            execute(f"alter table t3 add column one{number} int")
            began = time.perf_counter()
            while b'"errors"' in _ask(
                address, f"{{ t3Collection(first: 1) {{ edges {{ node {{ one{number} }} }} }} }}"
            ):
                pass
            visible.append(time.perf_counter() - began)
    return visible, held


def _burst(address: Address, execute: Any, tables: Sequence[int], changes: int, seconds: float) -> Held:
    """That many changes, of these tables in turn, spread over some seconds, while requests run."""
    with _asking(address) as held:
        began = time.perf_counter()
        for number in range(changes):
            execute(f"alter table t{tables[number % len(tables)]} add column burst{changes}_{number} int")
            time.sleep(max(0.0, began + (number + 1) * seconds / changes - time.perf_counter()))
    return held


@contextmanager
def _asking(address: Address) -> Iterator[Held]:
    """Requests that do not concern the changes, as long as the context lasts."""
    stop, held = Event(), Held()

    def ask() -> None:
        for took_s, body in answers_of(address, _request(schema_building.FIRST), until=stop.is_set):
            held.add(took_s, body)

    with ThreadPoolExecutor(ASKING) as threads:
        asking = [threads.submit(ask) for _ in range(ASKING)]
        try:
            yield held
        finally:
            stop.set()
    for each in asking:
        each.result()


def _warm_up(address: Address) -> None:
    """Requests over several connections, so that each worker has answered some."""
    with ThreadPoolExecutor(8) as threads:
        for _ in range(3):
            list(threads.map(lambda _: _ask(address, schema_building.FIRST), range(16)))


def _ask(address: Address, query: str) -> bytes:
    return next(body for _, body in answers_of(address, _request(query), until=lambda: False))


def _request(query: str) -> bytes:
    headers = {"Content-Type": "application/json", "apiKey": KEYS["ANON_KEY"]}
    return http_request(PATH, json.dumps({"query": query}).encode(), headers)


def _mib(pid: int) -> float:
    """The proportional memory (PSS) of the largest worker, in MiB."""
    reported = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in workers_of(pid)]
    return max(int(found[1]) for each in reported if (found := re.search(r"\nPss:\s+(\d+) kB", each))) / 1024


def _listed(seconds: Sequence[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in seconds)


if __name__ == "__main__":
    main()
