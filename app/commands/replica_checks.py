"""Findings of ``portico doctor`` about the replicas of DATABASE_READ_URLS."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from app.commands.finding import Finding
from app.database import Database
from app.database.run.watch import ReplicaState
from app.settings import Settings

_LONGEST_WAIT_S = 5.0
_PAUSE_S = 0.05


def replicas(settings: Settings, database: Database) -> Iterator[Finding]:
    """Check each replica as a service does, and report whether it would answer reads."""
    if settings.database_read_urls:
        database.start()
        yield from _findings(_states(database))


def _states(database: Database) -> Sequence[ReplicaState]:
    """The state of each replica, once all were checked or after some seconds."""
    until = time.monotonic() + _LONGEST_WAIT_S
    while True:
        states = [state for state, _ in database.replicas.states()]
        if all(state.was_checked for state in states) or time.monotonic() > until:
            return states
        time.sleep(_PAUSE_S)


def _findings(states: Sequence[ReplicaState]) -> Iterator[Finding]:
    for state in states:
        if state.usable:
            yield Finding("ok", f"the replica {state.place} answers reads")
        else:
            fix = "correct it, or DATABASE_READ_URLS; until then the primary answers its reads"
            yield Finding("note", f"the replica {state.place} is left out: {state.what}", fix)
