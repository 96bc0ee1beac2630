"""Databases on a cluster of Citus, and plain ones beside them on its coordinator.

CITUS_URL leads to a database of the coordinator in which Citus is installed and which knows the workers. Its user must
be a superuser on all of them, without a password. The tests create databases of their own and drop them.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pg8000.exceptions
import pg8000.native

from app.database.url.url import parse_database_url
from app.installation.install import install

_HERE = Path(__file__).parent
SCHEMA, DISTRIBUTION, KEYS, FUNCTIONS, ROWS = (
    (_HERE / f"{name}.sql").read_text() for name in ("schema", "distribution", "keys", "functions", "rows")
)
_TENANT_OF_CLAIM = "nullif(current_setting('request.jwt.claim.tenant', true), '')::int"
_PROTECTED = (
    *("tenant", "author", "book", "review", "genre", "book_genre", "device", "measure", "event"),
    *("note", "profile", "visit", "setting", "badge"),
)
SHARDS = 4
_LOGINS = "alter role anon login; alter role authenticated login; alter role service_role login;"


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """A context in which no other process of the tests changes roles, which all databases of a server share."""
    with (Path(tempfile.gettempdir()) / "portico_test_citus.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Cluster:
    """A running cluster. ``nodes``: host and port of the coordinator, then of the workers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._numbers = itertools.count(1)
        self._created: list[str] = []
        nodes = run(url, "select nodename, nodeport from pg_dist_node where isactive order by groupid, nodeport")
        self.nodes: Sequence[tuple[str, int]] = [(str(host), int(str(port))) for host, port in nodes]

    @_one_at_a_time()
    def create(self, *, sharded: bool) -> str:
        """Create an empty database, with Citus on all nodes if ``sharded``. Returns its URL on the coordinator."""
        name = f"test_citus_{os.getpid()}_{next(self._numbers)}"
        self._created.append(name)
        for number, node in enumerate(self.nodes if sharded else self.nodes[:1]):
            run_apart(self._at(node, "postgres"), f"create database {name}")
            if sharded:
                run_apart(self._at(node, name), "create extension citus")
            if number == 0:
                install(self._at(node, name))
        coordinator, *workers = self.nodes
        url = self._at(coordinator, name)
        if sharded:
            run_apart(url, f"select citus_set_coordinator_host('{coordinator[0]}', {coordinator[1]})")
            for host, port in workers:
                run_apart(url, f"select citus_add_node('{host}', {port})")
        run_apart(url, _LOGINS)
        return url

    def worker(self, url: str, number: int) -> str:
        """The URL of the same database on a worker, from 0."""
        return self._at(self.nodes[1 + number], urlsplit(url).path.lstrip("/"))

    def close(self) -> None:
        """Drop all databases that were created."""
        for connection in _CONNECTIONS.values():
            with suppress(pg8000.exceptions.InterfaceError):
                connection.close()
        _CONNECTIONS.clear()
        for node in self.nodes:
            for name in self._created:
                with closing(_connect(self._at(node, "postgres"))) as connection:
                    connection.execute_simple(f"drop database if exists {name} with (force)")

    def _at(self, node: tuple[str, int], database: str) -> str:
        parts = urlsplit(self.url)
        user = parts.username or "postgres"
        return urlunsplit(("postgresql", f"{user}@{node[0]}:{node[1]}", f"/{database}", "", ""))


@_one_at_a_time()
def populate(url: str, *, by_schema: bool = False, by_row: bool = False, policies: bool = True) -> str:
    """Create the tables of the tests, with their rows. Returns ``url``."""
    sharding = f"set citus.shard_count = {SHARDS};" if by_row else ""
    by = "set citus.enable_schema_based_sharding = on;" if by_schema else ""
    if by_schema:
        shared, own = SCHEMA.split("create table app.tenant", 1)
        run(url, shared)
        run(url, "select create_reference_table('public.country')")
        run(url, f"{by} create schema app; create table app.tenant{own}")
    else:
        run(url, f"create schema app; {SCHEMA}")
    if by_row:
        run(url, f"{sharding} {DISTRIBUTION}")
    for key in KEYS.split(";\n")[:-1]:
        run(url, key)
    run(url, FUNCTIONS)
    if policies:
        _protect(url)
    run(url, ROWS)
    run(url, "analyze app.book; analyze app.author; analyze app.review")
    # It is not DDL, so it has to be counted: services notice the distribution of the tables.
    run(url, "comment on table app.memo is 'made'")
    return url


def _protect(url: str) -> None:
    """Show authenticated the rows of the claim ``tenant`` alone."""
    for name in _PROTECTED:
        column = "id" if name == "tenant" else "tenant_id"
        run(url, f"alter table app.{name} enable row level security")
        run(url, f"create policy own on app.{name} to authenticated using ({column} = {_TENANT_OF_CLAIM})")


def run(url: str, sql: str) -> list[list[object]]:
    """Run SQL without parameters. Returns the rows of the last statement."""
    if url not in _CONNECTIONS:
        _CONNECTIONS[url] = _connect(url)
    return [list(row) for row in _CONNECTIONS[url].execute_simple(sql).rows or ()]


def run_apart(url: str, sql: str) -> list[list[object]]:
    """The same on a connection of its own, for a server that may crash."""
    with closing(_connect(url)) as connection:
        return [list(row) for row in connection.execute_simple(sql).rows or ()]


def until(url: str, sql: str, value: int, timeout_s: float = 60.0) -> None:
    """Wait until a query returns ``value``. The server may be down at first."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            if run_apart(url, sql) == [[value]]:
                return
        except (pg8000.exceptions.Error, OSError):
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(f"{sql} did not return {value}")
        time.sleep(0.02)


_CONNECTIONS: dict[str, pg8000.native.Connection] = {}


def _connect(url: str) -> pg8000.native.Connection:
    target = parse_database_url(url)
    return pg8000.native.Connection(
        target.user, host=target.host, port=target.port, database=target.database, ssl_context=False
    )
