"""Replicas: the choice of one that may answer a read.

A replica may answer if it has replayed the primary's log up to a position: that of the caller's own last write, if the
request names it, and in any case the one that the primary had ``max_lag_s`` ago. The first statement of the flight
asserts this (``app.database.run.position``). If that or anything else fails, the primary answers, so that errors always
come from the primary. ``app.database.run.watch`` finds out which replicas are usable.
"""

from __future__ import annotations

import itertools
import ssl
from collections.abc import Callable, Sequence

from app.database.pool.pool import Busy, Pool, PoolState
from app.database.run.flight import Flight, fly
from app.database.run.position import HAS_REPLAYED, Bookmark, Position, replay_parameters
from app.database.run.watch import PrimaryWatch, ReplicaState, ReplicaWatch
from app.database.wire.connect import is_at_limit
from app.database.wire.failure import StatementError, StatementTimeout
from app.database.wire.messages import Row
from app.database.wire.target import Target
from app.database.wire.tls import tls_context
from app.errors import Unavailable

MakePool = Callable[[Target, ssl.SSLContext | None], Pool]


class _Replica:
    def __init__(self, pool: Pool, watch: ReplicaWatch) -> None:
        self.pool = pool
        self.watch = watch


class Replicas:
    """The replicas of one process; without any, the primary answers everything."""

    def __init__(self, primary: PrimaryWatch, targets: Sequence[Target], make_pool: MakePool) -> None:
        self._primary = primary
        self._members = [_make(target, make_pool, self._primary) for target in targets]
        self._turn = itertools.count()

    def __bool__(self) -> bool:
        return bool(self._members)

    @property
    def pools(self) -> list[Pool]:
        """The pool of each replica, in the order of their URLs."""
        return [each.pool for each in self._members]

    def start(self) -> None:
        if self._members:
            self._primary.start()
        for each in self._members:
            each.watch.start()

    def close(self) -> None:
        self._primary.close()
        for each in self._members:
            each.watch.close()
            each.pool.close()

    def states(self) -> list[tuple[ReplicaState, PoolState]]:
        """The state of each replica and of its pool, in the order of their URLs."""
        return [(each.watch.state(), each.pool.state()) for each in self._members]

    def answer(self, flight: Flight, bookmark: Bookmark, primary: Pool) -> list[list[Row]] | None:
        """The rows of a read-only flight; None if the ``primary`` must answer it. Raises StatementTimeout, RowTooLarge
        and Unavailable: a flight that took too long here is not tried on the primary, since its time is over.

        If all connections of a replica are in use, another replica answers, or else the primary. If all connections of
        all servers are in use, this waits for one of a replica.
        """
        needed = self._needed(bookmark)
        usable = self._usable() if needed is not None else []
        if needed is None or not usable:
            return None
        assertion = (HAS_REPLAYED, replay_parameters(needed), "")
        guarded = flight._replace(prelude=(assertion, *flight.prelude), guarded=True, session=None)
        for replica in usable:
            try:
                return _fly_to(replica, guarded, waits=False)
            except Busy:
                continue
        return None if primary.has_room else _fly_to(usable[0], guarded, waits=True)

    def _needed(self, bookmark: Bookmark) -> Position | None:
        """The position that a replica must have replayed; None if it is not known."""
        floor = self._primary.floor() if bookmark.on_replicas else None
        own = bookmark.needed
        if floor is None or own is None:
            return floor
        # Positions before and after a promotion cannot be compared.
        return max(floor, own) if own.timeline == floor.timeline else None

    def _usable(self) -> list[_Replica]:
        """The usable replicas, in a rotating order."""
        usable = [each for each in self._members if each.watch.is_usable]
        first = next(self._turn) % len(usable) if usable else 0
        return usable[first:] + usable[:first]


def _fly_to(replica: _Replica, flight: Flight, *, waits: bool) -> list[list[Row]] | None:
    try:
        return fly(replica.pool, flight, waits=waits)
    except StatementError as ex:
        explained = replica.pool.explain(ex, None)
        if isinstance(explained, StatementTimeout):
            raise explained from None
    except Unavailable as ex:
        if ex.code == "POOL_TIMEOUT" or is_at_limit(ex.__cause__):
            # The replica is reachable, and the caller's time to wait is over.
            raise
        replica.watch.leave_out()
        if ex.code == "DATABASE_TIMEOUT":
            raise
    return None


def _make(target: Target, make_pool: MakePool, primary: PrimaryWatch) -> _Replica:
    tls = tls_context(target)
    return _Replica(make_pool(target, tls), ReplicaWatch(target, tls, primary))
