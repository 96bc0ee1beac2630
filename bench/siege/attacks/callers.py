"""Callers of every kind on shared connections, while statements are cancelled, backends end and tables change."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress

from bench.siege.client import token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_MINE = "{ noteCollection(first: 30) { edges { node { owner body } } } }"
_BACKENDS = """from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()"""
_DISTURBANCES = (
    *[f"select pg_cancel_backend(pid) {_BACKENDS} order by random() limit 2"] * 10,
    *[f"select pg_terminate_backend(pid) {_BACKENDS} order by random() limit 1"] * 5,
    "alter table note add column if not exists more text; alter table note drop column more",
)
"""Changes are rare: after each of them everybody waits until the schema was read again."""


def _no_foreign_row(grounds: Grounds, seconds: float) -> Finding:
    service = grounds.service
    tally, lock, stop = Tally(), threading.Lock(), threading.Event()
    refused = 0

    def caller(number: int) -> None:
        nonlocal refused
        chance = random.Random(number)
        while not stop.is_set():
            user = f"user {chance.randrange(20)}" if chance.random() < 0.9 else None
            answer = service.graphql(_MINE, None, token("authenticated", sub=user) if user else None)
            found = (answer.json or {}).get("data")
            rows = found["noteCollection"]["edges"] if found else []
            owners = {row["node"]["owner"] for row in rows}
            with lock:
                refused += found is None
                tally.add(owners <= {user} and (found is None or bool(rows) == (user is not None)), (user, owners))

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    disturbed, deadline = 0, time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(Exception):
            service.sql(_DISTURBANCES[disturbed % len(_DISTURBANCES)])
        disturbed += 1
        time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()
    return tally.finding(f"{disturbed} cancels, ends and changes; {refused} refused for it")


_INSERT = "mutation { insertIntoentryCollection(objects: [{number: 1}]) { affectedCount } }"
_SPOILERS, _STATE = ("mutation { spoil }", "mutation { replacePrepared }"), "{ state }"


def _nothing_stays(grounds: Grounds, seconds: float) -> Finding:
    """A function spoils its session, on each connection again and again; later callers notice nothing."""
    service, tally = grounds.service, Tally()
    clean = service.graphql(_STATE).json["data"]
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or tally.tried < 30:
        spoilt = service.graphql(_SPOILERS[tally.tried % len(_SPOILERS)])
        tally.add(spoilt.status in (200, 503), ("spoil", spoilt.status, spoilt.body))
        inserted, state = service.graphql(_INSERT), service.graphql(_STATE)
        # A backend that an earlier attack ended may still cause a 503.
        tally.add(b"affectedCount" in inserted.body or inserted.status == 503, ("insert", inserted.body))
        tally.add(state.status == 503 or (state.json or {}).get("data") == clean, (state.body, clean))
    return tally.finding()


ATTACKS = (
    Attack("mixed callers, disturbed", "no caller gets another caller's row", _no_foreign_row),
    Attack("spoilt sessions", "what a function sets in its session is gone for the next caller", _nothing_stays),
)
