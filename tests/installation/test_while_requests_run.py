"""Upgrades, and drop and create, while requests run: no request fails, no row is lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from app.database import Context, ContextBuilder, Database, Statement, StatementError
from app.identity import Caller
from app.installation.install import install, upgrade
from app.installation.scripts import versions
from app.installation.version import VERSION
from tests.installation.catalog import describe
from tests.installation.conftest import Session
from tests.process.running import until

# Errors after which the service plans again, since the schema changed. 42P01: the check ran before the drop.
AGAIN = frozenset({"PTSCH", "42883", "3F000", "42P01"})
WRITE = Statement("insert into storage.objects (bucket_id, name, version) values ('b', $1, $2) returning name")
REPLACE = Statement("update storage.objects set version = $2 where bucket_id = 'b' and name = $1 returning name")
READ = Statement("select count(*) from storage.objects where bucket_id = 'b' and name = $1")


@dataclass(frozen=True)
class Settings:
    database_url: str
    pool_size: int = 4
    pool_timeout_s: float = 60
    prepared_statements: bool = True
    prepared_statement_limit: int = 50
    statement_timeout_ms: int = 30_000
    database_margin_s: float = 60.0
    database_read_urls: tuple[str, ...] = ()
    service_database_url: str | None = None
    read_max_lag_s: float = 5.0


def version_of(database: Database) -> bytes | None:
    try:
        return database.read("select graphql.schema_version()::text")
    except StatementError as error:
        if error.diagnosis.sqlstate in AGAIN:
            return None
        raise


def context_for(version: bytes | None) -> Context:
    caller = Caller.of({}, default_role="service_role")
    return ContextBuilder().build(caller, schema_version=None if version is None else int(version))


class Requests:
    """Writes, replaces and reads objects in some threads until it is stopped."""

    def __init__(self, url: str, threads: int = 3) -> None:
        self.database = Database(Settings(url))
        self.failures: list[str] = []
        self.outcomes: Counter[str] = Counter()
        self.written = [0] * threads
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(threads)]

    def __enter__(self) -> Requests:
        for thread in self._threads:
            thread.start()
        until(lambda: sum(self.written) >= 20 or self.failures)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self.database.close()

    def _run(self, number: int) -> None:
        version = version_of(self.database)
        turn = 0
        while not self._stop.is_set():
            name = f"{number}/{turn}".encode()
            # without the counter the service polls for changes, and notices when it is back
            version = version or version_of(self.database)
            for attempt in range(50):
                try:
                    calls = [(WRITE, [name, b"1"]), (REPLACE, [name, b"2"]), (READ, [name])]
                    answer = self.database.run(context_for(version), calls, read_only=False)
                    assert [rows[0][0] for rows in answer] == [name, name, b"1"]
                    self.outcomes["again" if attempt else "at once"] += 1
                    break
                except StatementError as error:
                    self.outcomes[error.diagnosis.sqlstate] += 1
                    if error.diagnosis.sqlstate not in AGAIN:
                        self.failures.append(f"{error.diagnosis.sqlstate} {error.diagnosis.message}")
                        return
                    version = version_of(self.database)
                except Exception as error:
                    self.failures.append(repr(error))
                    return
            else:
                self.failures.append("not answered after 50 attempts")
                return
            self.written[number] += 1
            turn += 1


def drop_and_create(session, _url: str) -> None:
    session.run("drop extension portico")
    session.run("create extension portico")


def drop_and_create_in_one(session, _url: str) -> None:
    session.run("begin; drop extension portico; create extension portico; commit")


def upgraded(_session, url: str) -> None:
    assert upgrade(url).after == VERSION


def initialized_again(_session, url: str) -> None:
    assert install(url).after == VERSION


@pytest.mark.parametrize(
    ("oldest", "times", "change"),
    [
        (False, 10, drop_and_create),
        (False, 10, drop_and_create_in_one),
        (True, 1, drop_and_create_in_one),
        (True, 1, upgraded),
        (False, 10, initialized_again),
    ],
)
def test_requests_succeed_while_the_extension_changes(
    extension_url: str, session: Session, oldest: bool, times: int, change: Callable[[object, str], None]
) -> None:
    install(extension_url, version=versions()[0] if oldest else VERSION, as_extension=True)
    _change_while_requests_run(extension_url, session, times, change)


def test_requests_succeed_during_an_upgrade_without_the_extension(database_url: str, session: Session) -> None:
    install(database_url, version=versions()[0], as_extension=False)
    _change_while_requests_run(database_url, session, 1, upgraded)


def _go_on(requests: Requests, count: int) -> bool:
    """Whether they have written this number of objects, or failed."""
    return sum(requests.written) >= count or bool(requests.failures)


def _change_while_requests_run(url: str, session: Session, times: int, change: Callable[[object, str], None]) -> None:
    owner = session(url)
    owner.run("insert into storage.buckets (id, name) values ('b', 'b')")
    with Requests(url) as requests:
        for _ in range(times):
            change(owner, url)
            before = sum(requests.written)
            until(partial(_go_on, requests, before + 5))
    assert requests.failures == []
    assert requests.outcomes["again"] > 0
    rows = owner.run("select count(*), count(*) filter (where version = '2') from storage.objects")
    assert rows == [[sum(requests.written)] * 2]
    assert owner.run("select count(*) from storage.work") == [[sum(requests.written)]]
    assert owner.run("select version from graphql.installation") == [[VERSION]]
    assert describe(owner)["event triggers"] != []
