"""Failures around the service: database, connections, a worker. It recovers, and no acknowledged write is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from app.embedded.cluster import EmbeddedPostgres
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import STATEMENT_TIMEOUT_S, Besieged, Grounds
from bench.siege.grounds import grounds as own_grounds
from tests.database.proxy import Proxy
from tests.process.running import until

_INSERT = "mutation ($n: Int!) { insertIntoentryCollection(objects: [{number: $n}]) { affectedCount } }"
_RECOVERED_WITHIN_S = 60.0
_SOON_S = STATEMENT_TIMEOUT_S + 6.0
"""A statement's timeout, its margin, the time for a connection, and some for a busy machine."""


class Writers:
    """Insert numbers, each once, and remember which were acknowledged."""

    def __init__(self, service: Besieged) -> None:
        self._service, self._stop = service, threading.Event()
        self.acknowledged: list[int] = []
        self.asked, self.longest = 0, 0.0
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(4)]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        while not self._stop.is_set():
            number += len(self._threads)
            answer = self._service.graphql(_INSERT, {"n": number})
            self.asked += 1
            self.longest = max(self.longest, answer.seconds)
            if answer.status == 200 and b'"errors"' not in answer.body:
                self.acknowledged.append(number)

    def check(self, tally: Tally) -> None:
        """Each acknowledged number is there once, and no number is there twice."""
        found = [row[0] for row in self._service.sql("select number from entry")]
        lost = set(self.acknowledged) - set(found)
        tally.tried += len(self.acknowledged)
        tally.add(not lost, f"acknowledged and lost: {sorted(lost)[:5]}")
        tally.add(len(found) == len(set(found)), "written twice")


def _recovers(service: Besieged, tally: Tally, kind: str) -> None:
    deadline = time.monotonic() + _RECOVERED_WITHIN_S
    while not (well := service.is_responsive()) and time.monotonic() < deadline:
        time.sleep(0.1)
    tally.add(well, f"{kind}: not well after {_RECOVERED_WITHIN_S:.0f} s")


def _disturbed(grounds: Grounds, seconds: float, kind: str, disturb: Callable[[Besieged], None]) -> Finding:
    tally, count = Tally(), 0
    with grounds.serving() as service:
        with Writers(service) as writers:
            deadline = time.monotonic() + seconds
            while count == 0 or time.monotonic() < deadline:
                time.sleep(0.5)
                disturb(service)
                count += 1
                _recovers(service, tally, kind)
        writers.check(tally)
    writes = (
        f"{len(writers.acknowledged)} of {writers.asked} writes acknowledged, the longest took {writers.longest:.1f} s"
    )
    return tally.finding(f"{count} times; {writes}")


def _end_backends(service: Besieged) -> None:
    service.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )


def _kill_worker(service: Besieged) -> None:
    with suppress(ProcessLookupError):
        os.kill(service.workers()[0], signal.SIGKILL)


def _killed(_: Grounds, seconds: float) -> Finding:
    """A separate server, since a shared one would not survive this."""
    if "TEST_DATABASE_URL" in os.environ:
        return Finding(0, 0, "not tried: the server is somebody else's")
    with own_grounds(durable=True) as own:
        assert own.cluster is not None
        return _disturbed(own, seconds, "PostgreSQL killed", partial(_kill_server, own.cluster))


def _kill_server(cluster: EmbeddedPostgres, _: Besieged) -> None:
    """Returns when another server has come; backends of the killed one may answer for a moment."""
    killed = cluster.server_pid
    os.kill(killed, signal.SIGKILL)
    until(lambda: cluster.server_pid != killed)


@contextmanager
def _relayed(grounds: Grounds) -> Iterator[tuple[Besieged, Proxy]]:
    database_url = grounds.database()
    proxy = Proxy(grounds.login_url(database_url))
    try:
        with grounds.serving(database_url, proxy.url("sslmode=disable&connect_timeout=2")) as service:
            yield service, proxy
    finally:
        proxy.close()


def _frozen(grounds: Grounds, seconds: float) -> Finding:
    tally, longest = Tally(), 0.0
    with _relayed(grounds) as (service, proxy):
        deadline = time.monotonic() + seconds
        while not tally.tried or time.monotonic() < deadline:
            assert service.is_responsive()
            with proxy.frozen():
                for _ in range(2):
                    answer = service.graphql("{ itemCollection { edges { node { id } } } }", patience_s=4 * _SOON_S)
                    longest = max(longest, answer.seconds)
                    tally.add(
                        answer.status == 503 and answer.seconds < _SOON_S, (answer.status, f"{answer.seconds:.1f} s")
                    )
                version = service.ask("GET", "/version", patience_s=_SOON_S)
                tally.add(version.status in (200, 503), ("/version", version.status, f"{version.seconds:.1f} s"))
            _recovers(service, tally, "frozen")
    return tally.finding(f"the longest answer took {longest:.1f} s")


def _unreachable(grounds: Grounds, _: float) -> Finding:
    tally = Tally()
    with _relayed(grounds) as (service, proxy):
        proxy.refuse = True
        proxy.cut()
        for _ in range(5):
            answer = service.graphql("{ itemCollection { edges { node { id } } } }")
            tally.add(
                answer.status == 503 and answer.seconds < _SOON_S,
                (answer.status, f"{answer.seconds:.1f} s", answer.body),
            )
        health = service.ask("GET", "/health")
        tally.add(health.status == 503, ("/health", health.status))
        proxy.refuse = False
        _recovers(service, tally, "unreachable")
    return tally.finding()


def _changed(grounds: Grounds, before: str, after: str, allowed: Callable[[int, bytes], bool]) -> Finding:
    """The database is changed, its connections end, and requests are answered in words until it is changed back."""
    tally = Tally()
    with grounds.serving() as service:
        name = service.sql("select current_database()")[0][0]
        grounds.server.execute(before.format(name))
        _end_backends(service)
        for number in range(5):
            for query, variables in ((_INSERT, {"n": number}), ("{ itemCollection { edges { node { id } } } }", None)):
                answer = service.graphql(query, variables)
                held = allowed(answer.status, answer.body) and answer.seconds < _SOON_S
                tally.add(held, (query[:8], answer.status, answer.body))
            upload = service.ask("POST", "/object/b/k", b"x")
            tally.add(upload.status not in (0, 500), ("upload", upload.status, upload.body))
        grounds.server.execute(after.format(name))
        _end_backends(service)
        _recovers(service, tally, before)
    return tally.finding()


def _no_connections(grounds: Grounds, _: float) -> Finding:
    return _changed(
        grounds,
        "alter database {} connection limit 0",
        "alter database {} connection limit -1",
        lambda status, _: status == 503,
    )


def _read_only(grounds: Grounds, _: float) -> Finding:
    return _changed(
        grounds,
        "alter database {} set default_transaction_read_only = on",
        "alter database {} reset default_transaction_read_only",
        lambda status, body: status in (200, 503) and b"INTERNAL" not in body,
    )


ATTACKS = (
    Attack(
        "backends ended",
        "no acknowledged write is lost or doubled",
        lambda g, s: _disturbed(g, s, "backends ended", _end_backends),
    ),
    Attack(
        "a worker killed",
        "no acknowledged write is lost, and another worker comes",
        lambda g, s: _disturbed(g, s, "a worker killed", _kill_worker),
    ),
    Attack("PostgreSQL killed", "no acknowledged write is lost, and the service recovers", _killed),
    Attack("PostgreSQL frozen", "requests are given up in time, and the service recovers", _frozen),
    Attack("PostgreSQL unreachable", "requests get clear errors, and the service recovers", _unreachable),
    Attack("no connection left", "requests get clear errors, and the service recovers", _no_connections),
    Attack("a database that is read only", "what is refused is refused in words", _read_only),
)
