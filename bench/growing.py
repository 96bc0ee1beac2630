"""The quantities of ``python -m bench.growth``: each function measures a service at each size and returns figures."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from app.identity.issuing import SigningKey, make_token
from app.installation.install import install
from bench import schema_building
from bench.beside import KEYS, PATH
from bench.load import Load, http_request, run_load, seconds_of
from bench.processor import cpu_seconds
from bench.service import serving, workers_of

ROWS = (10, 100, 1_000, 10_000, 100_000)
DEPTH = 8
_EACH = 10

Figures = Mapping[str, float]


@dataclass(frozen=True)
class Sizes:
    """The measured requests, and the seconds for each."""

    rows: Sequence[int] = ROWS
    depth: Sequence[int] = tuple(range(1, DEPTH + 1))
    connections: Sequence[int] = (1, 2, 8, 32, 128, 512)
    workers: Sequence[int] = (1, 2, 3, 4)
    tables: Sequence[int] = (10, 100, 500, 1_000, 2_000)
    roles: Sequence[int] = (1, 10, 50, 100, 300)
    seconds: float = 2.0


def schema(sizes: Sizes) -> str:
    """SQL for a table of each number of rows, a chain of tables, and roles that each may read other ones of them."""
    tables = [f"r{number}" for number in sizes.rows]
    chain = [f"d{level}" for level in range(1, max(sizes.depth) + 1)]
    lines = ["""comment on schema public is '@graphql({"inflect_names": true})';"""]
    for name, number in zip(tables, sizes.rows, strict=True):
        lines.append(f"""create table {name} (id int primary key, parent_id int not null, title text not null);
            insert into {name} select i, i / {_EACH}, 'Title ' || i from generate_series(1, {number}) i;
            create index on {name} (parent_id, id);""")
    for above, name in zip([None, *chain], chain, strict=False):
        refers = f", parent_id int references {above}" if above else ", parent_id int"
        lines.append(f"""create table {name} (id int primary key{refers}, title text not null);
            insert into {name} select i, i, 'Title ' || i from generate_series(1, 100) i;
            create index on {name} (parent_id, id);""")
    lines.append("grant select on all tables in schema public to anon; analyze;")
    for role in range(max(sizes.roles)):
        readable = [each for place, each in enumerate((*chain, tables[-1])) if role >> place & 1]
        lines.append(f"""create role same{role}; create role own{role}; grant same{role}, own{role} to authenticated;
            grant select on {tables[0]} to same{role};
            grant select on {", ".join([tables[0], *readable])} to own{role};""")
    return "\n".join(lines)


@contextmanager
def _service(url: str, workers: int = 2, **variables: str) -> Iterator[tuple[tuple[str, int], int]]:
    with serving(KEYS | {"DATABASE_URL": url, **variables}, workers, 4) as served:
        yield served


def _request(query: str, role: str | None = None) -> bytes:
    headers = {"Content-Type": "application/json", "apiKey": KEYS["ANON_KEY"]}
    if role is not None:
        headers["Authorization"] = f"Bearer {make_token(SigningKey(KEYS['JWT_SECRET'].encode()), role, 3600)}"
    return http_request(PATH, json.dumps({"query": query}).encode(), headers)


def _loaded(served: tuple[tuple[str, int], int], *requests: bytes, connections: int, seconds: float) -> Figures:
    """A load, after one that is not counted."""
    address, pid = served
    run_load(address, *requests, connections=connections, seconds=seconds / 4, in_turn=True)
    before = cpu_seconds(pid)
    load = run_load(address, *requests, connections=connections, seconds=seconds, in_turn=True)
    used = cpu_seconds(pid) - before
    assert not load.failures, f"{load.failures} requests failed"
    return {**_figures(load), "service CPU us": used / load.requests * 1e6}


def _figures(load: Load) -> Figures:
    return {"per second": load.per_second, "median ms": load.percentile(0.5), "99 % ms": load.percentile(0.99)}


def rows(url: str, sizes: Sizes) -> Iterator[tuple[int, Figures]]:
    """A page of ten rows among more and more, found by an index."""
    with _service(url) as served:
        for number in sizes.rows:
            parent = number // _EACH // 2
            page = f"first: 10, filter: {{parentId: {{eq: {parent}}}}}, orderBy: [{{id: DescNullsLast}}]"
            query = f"{{ r{number}Collection({page}) {{ edges {{ node {{ id title }} }} }} }}"
            yield number, _loaded(served, _request(query), connections=8, seconds=sizes.seconds)


def nested(levels: int) -> str:
    """A query of ten rows, each with one related row on each further level."""
    inner = ""
    for level in range(levels, 0, -1):
        inner = f"d{level}Collection(first: {10 if level == 1 else 1}) {{ edges {{ node {{ id title {inner} }} }} }}"
    return f"{{ {inner} }}"


def depth(url: str, sizes: Sizes) -> Iterator[tuple[int, Figures]]:
    """Ten rows with more and more levels below them."""
    with _service(url) as served:
        for levels in sizes.depth:
            yield levels, _loaded(served, _request(nested(levels)), connections=8, seconds=sizes.seconds)


def connections(url: str, sizes: Sizes) -> Iterator[tuple[int, Figures]]:
    """The same load over more and more connections. Requests may wait as long as they must."""
    with _service(url, WAITING_S="60") as served:
        for number in sizes.connections:
            yield number, _loaded(served, _request(nested(1)), connections=number, seconds=sizes.seconds)


def workers(url: str, sizes: Sizes) -> Iterator[tuple[int, Figures]]:
    """The same load on more and more workers."""
    for number in sizes.workers:
        with _service(url, number) as served:
            yield number, _loaded(served, _request(nested(1)), connections=16, seconds=sizes.seconds)


def roles(url: str, sizes: Sizes) -> Iterator[tuple[int, Figures]]:
    """Requests that alternate between a growing number of roles: first with equal grants, then each with other
    tables."""
    query = f"{{ r{sizes.rows[0]}Collection(first: 1) {{ edges {{ node {{ id }} }} }} }}"
    for number in sizes.roles:
        reported: dict[str, float] = {}
        for kind in ("same", "own"):
            requests = [_request(query, f"{kind}{role}") for role in range(number)]
            found = _in_turn(url, requests, sizes.seconds)
            reported |= {f"{kind}: {name}": value for name, value in found.items()}
        yield number, reported


def _in_turn(url: str, requests: Sequence[bytes], seconds: float) -> Figures:
    """The figures of requests that alternate. Each request has been answered once before."""
    with _service(url, 1) as served:
        for request in requests:
            seconds_of(served[0], request)
        found = _loaded(served, *requests, connections=4, seconds=2 * seconds)
        return {**found, "MiB of a worker": _mib(served[1])}


def tables(url: str, sizes: Sizes) -> Iterator[tuple[int, Figures]]:
    """A schema of more and more tables: the first answer, and a change of the schema under load."""
    for number in sizes.tables:
        name = f"tables{number}"
        execute(url, f"create database {name}")
        its = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        execute(its, schema_building.schema(number))
        install(its, grants_on_public="none")
        reported = _started(its)
        execute(url, f"drop database {name} with (force)")
        yield number, reported


def _started(url: str) -> Figures:
    """The first answer of a service, and a change of the schema."""
    with _service(url, 1) as served:
        before = cpu_seconds(served[1])
        reported = {"first answer s": seconds_of(served[0], _request(schema_building.FIRST))}
        reported["first answer CPU s"] = cpu_seconds(served[1]) - before
        reported["MiB of a worker"] = _mib(served[1])
        return {**reported, **_changed(served[0], url)}


def _changed(address: tuple[str, int], url: str) -> Figures:
    """The times of requests, one after the other, while a column is added. The database counts changes, so that
    none is answered by the previous schema."""

    def ask_until(end: float) -> list[float]:
        took = []
        while time.perf_counter() < end:
            took.append(seconds_of(address, _request(schema_building.FIRST)) * 1000)
        return took

    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(ask_until, time.perf_counter() + 5)
        time.sleep(1)
        execute(url, "alter table t1 add column added int")
        assert not asking.done()
        return {"slowest during DDL ms": max(asking.result())}


def execute(url: str, sql: str) -> None:
    """Run statements without results."""
    from tests.postgres_server import connect

    with connect(url) as connection:
        connection.execute_simple(sql)


def _mib(pid: int) -> float:
    reported = [Path(f"/proc/{each}/status").read_text() for each in workers_of(pid)]
    return max(int(found[1]) for each in reported if (found := re.search(r"VmRSS:\s+(\d+) kB", each))) / 1024


GROWING = {each.__name__: each for each in (rows, depth, connections, workers, tables, roles)}
