"""The bounded connection pool: waits are limited, dead connections are replaced."""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from threading import Condition, Lock
from typing import cast
from weakref import WeakSet

import sqlalchemy.exc
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from app.database.pool.outage import Outage
from app.database.wire.connect import is_at_limit
from app.database.wire.failure import ConnectionLost, StatementError, explain
from app.database.wire.log_throttle import LogThrottle
from app.database.wire.session_attrs import misfit
from app.database.wire.sqlstates import QUERY_CANCELED, READ_ONLY_SQL_TRANSACTION
from app.database.wire.wire import IDLE, DatabaseConnection
from app.errors import PorticoError, Unavailable

log = logging.getLogger("portico.database")

# The server's caches for a connection only grow. After a failover behind one host name, connections must move.
_RENEW_AFTER_S = 3600.0
_PAUSE_AT_LIMIT_S = 0.05
# Long enough for another process to open the connections that this one gave up.
_YIELD_S = 2.0
_ENDING_S = 1.0
_ENDING_LOOK_S = 0.01
_WRITABLE = ("read-write", "primary")


@dataclass(frozen=True, slots=True)
class PoolState:
    """``size``: the most connections that there may be; ``open``: those that exist; ``in_use``: those that are taken.
    ``waits``: how often a thread waited until a connection became free or was opened, ``waited_s``: the total of these
    times, ``timeouts``: how many of them ended without a connection."""

    size: int
    open: int
    in_use: int
    waits: int = 0
    waited_s: float = 0.0
    timeouts: int = 0

    def plus(self, other: PoolState) -> PoolState:
        """The sum of both."""
        return PoolState(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


class Busy(Unavailable):
    """All connections are in use, and no further one can be opened now."""


class _OpeningPaused(Unavailable):
    """The pool opens no connection for a short time."""


Share = Callable[[int, bool], int]
"""Takes the number of a process's open connections and whether a server refused it one since the last call. Returns how
many connections the process should give up."""


@dataclass(frozen=True, slots=True, eq=False)
class Lease:
    """A connection taken from the pool. It belongs to the thread that took it until it is given back."""

    connection: DatabaseConnection
    proxy: PoolProxiedConnection
    renew_at: float


class Pool:
    """Connections from SQLAlchemy's QueuePool, the most recently returned first. ``wanted``: the value of
    ``target_session_attrs`` that ``connect`` applies."""

    def __init__(
        self, connect: Callable[[], DatabaseConnection], *, size: int, timeout_s: float, wanted: str = "any"
    ) -> None:
        self._connect = connect
        self._wanted = wanted
        self.size = size
        self._timeout_s = timeout_s
        self._throttle = LogThrottle()
        self._outage = Outage(self._throttle)
        self._opened: WeakSet[DatabaseConnection] = WeakSet()
        # This many connections are closed when they are given back. Infinite once the pool is closed.
        self._leaving = 0.0
        self._was_refused = False
        # No connection is opened before this time: another process gets the next one, or the server just refused one.
        self._none_before = 0.0
        self._renewed_at = 0.0
        # A checkout from QueuePool costs 17 us of a request's 55. So leases for which no thread waits are kept here,
        # and QueuePool is used only when there is none.
        self._parked: deque[Lease] = deque()
        self._waiting: deque[None] = deque()
        self._freed = Condition()
        self._counting = Lock()
        self._waits, self._waited_s, self._timeouts = 0, 0.0, 0
        self._queue = QueuePool(
            self._open,  # type: ignore[arg-type]  # has the methods of a DB-API connection that the pool calls
            pool_size=size,
            max_overflow=0,
            timeout=timeout_s,
            # The wire leaves no transaction open; a connection that failed is invalidated.
            reset_on_return=None,
        )

    @property
    def has_room(self) -> bool:
        """Whether a connection is free, or may be opened."""
        return bool(self._parked) or self._queue.checkedout() < self.size

    def acquire(self, *, waits: bool = True, session: object = None) -> Lease:
        """Take a connection that was just checked to be alive, if possible one whose session has the context
        ``session``. Raises Unavailable: POOL_TIMEOUT or DATABASE_UNAVAILABLE. With ``waits`` false it raises Busy
        instead of waiting."""
        while True:
            lease = self._take(waits, session)
            if lease.connection.opened_at >= self._renewed_at and not lease.connection.is_dead():
                return lease
            # The server has closed the connection, for instance because it was restarted.
            lease.connection.usable = False
            lease.proxy.invalidate()

    def give_back(self, lease: Lease) -> None:
        connection = lease.connection
        if (
            not connection.usable
            or connection.transaction_status != IDLE
            or self._leaving
            or time.monotonic() > lease.renew_at
        ):
            # Closing also ends a transaction that was left open.
            lease.proxy.invalidate()
            self._leaving = max(0.0, self._leaving - 1)
            return
        self._parked.append(lease)
        # This comes after parking, because a thread that began to wait earlier may have missed the lease.
        if self._waiting:
            self._unpark()
            with self._freed:
                self._freed.notify()

    def explain(self, error: StatementError, role: str | None) -> PorticoError:
        """The error to report for a statement that failed on a connection of this pool. ``role``: that of the request;
        None for statements of the service itself."""
        if self._leaving == math.inf and error.diagnosis.sqlstate == QUERY_CANCELED:
            return Unavailable(
                "The service is stopping; nothing was changed.", code="DATABASE_UNAVAILABLE", hint="Try again."
            )
        return explain(error, role, self._throttle)

    def reaches_wrong_server(self, lease: Lease, error: StatementError) -> bool:
        """Whether a write failed because the server no longer accepts writes, as after a failover, although
        ``target_session_attrs`` requires one that does. If so, each connection is replaced before its next use."""
        if error.diagnosis.sqlstate != READ_ONLY_SQL_TRANSACTION or self._wanted not in _WRITABLE:
            return False
        try:
            if lease.connection.transaction_status != IDLE:
                lease.connection.simple("ROLLBACK")
            difference = misfit(lease.connection, self._wanted)
        except (ConnectionLost, StatementError) as ex:
            difference = str(ex)
        if difference is None:
            return False
        log.warning("all database connections are opened again: %s (target_session_attrs=%s)", difference, self._wanted)
        self._renewed_at = time.monotonic()
        lease.connection.usable = False
        return True

    def share(self, surplus: Share) -> None:
        """Close as many connections as ``surplus`` returns, for processes that get none, and open none for a short
        time. Call this periodically."""
        was_refused, self._was_refused = self._was_refused, False
        count = surplus(self._count_open(), was_refused)
        if not count:
            return
        self._open_none_for(_YIELD_S)
        self._leaving = max(self._leaving, count)
        while self._leaving and self._parked:
            with contextlib.suppress(IndexError):
                self.give_back(self._parked.pop())

    def _count_open(self) -> int:
        with self._counting:
            return sum(each.usable for each in self._opened)

    def _take(self, waits: bool, session: object) -> Lease:
        lease = self._take_parked(session)
        if lease is not None:
            return lease
        if not waits and not self.has_room:
            raise Busy("All connections are in use.", code="POOL_TIMEOUT")
        self._waiting.append(None)
        began = time.monotonic()
        timeouts = 0
        try:
            # A lease that was returned before the append above was parked; one returned later goes to the queue.
            self._unpark()
            proxy = self._from_queue(began + self._timeout_s, waits)
        except sqlalchemy.exc.TimeoutError:
            timeouts = 1
            raise Unavailable(
                f"No database connection became free in {self._timeout_s:g} s.",
                code="POOL_TIMEOUT",
                hint="Try again; if it happens often, allow more connections or shorter statements.",
            ) from None
        finally:
            self._waiting.pop()
            self._count(time.monotonic() - began, timeouts)
        connection = cast(DatabaseConnection, proxy.dbapi_connection)
        return Lease(connection, proxy, connection.opened_at + _RENEW_AFTER_S)

    def _take_parked(self, session: object) -> Lease | None:
        while self._parked:
            # Another thread may take it, or park one, at any time, also while the deque is copied (RuntimeError).
            with contextlib.suppress(ValueError, IndexError, RuntimeError):
                lease = _best(tuple(self._parked), session)
                self._parked.remove(lease)
                return lease
        return None

    def _from_queue(self, until: float, waits: bool) -> PoolProxiedConnection:
        """A connection of the queue. While the server or the role's limit allows no further one, this waits until one
        is given back here or closed by another process. With ``waits`` false it raises Busy instead."""
        while True:
            # The queue also holds entries of closed connections. An entry whose connection cannot be opened again goes
            # to the end, so that the loop reaches the open ones behind it.
            for _ in range(1 + self._queue.checkedin()):
                try:
                    return self._queue.connect()
                except Unavailable as ex:
                    if not _may_wait(ex) or (waits and time.monotonic() + _PAUSE_AT_LIMIT_S > until):
                        raise
            self._was_refused = True
            if not waits:
                raise Busy("The server allows no further connection.", code="POOL_TIMEOUT")
            with self._freed:
                self._freed.wait(_PAUSE_AT_LIMIT_S)
            self._unpark()

    def _count(self, waited_s: float, timeouts: int) -> None:
        with self._counting:
            self._waits += 1
            self._waited_s += waited_s
            self._timeouts += timeouts

    def _unpark(self) -> None:
        try:
            lease = self._parked.pop()
        except IndexError:
            return
        lease.proxy.close()

    def _open(self) -> DatabaseConnection:
        if time.monotonic() < self._none_before:
            raise _OpeningPaused("The database accepts no more connections now.", code="DATABASE_UNAVAILABLE")
        try:
            connection = self._connect()
        except Unavailable as ex:
            if is_at_limit(ex.__cause__):
                self._open_none_for(_PAUSE_AT_LIMIT_S)
            self._outage.failed(ex)
            raise
        self._outage.connected()
        with self._counting:
            self._opened.add(connection)
        return connection

    def _open_none_for(self, seconds: float) -> None:
        self._none_before = max(self._none_before, time.monotonic() + seconds)

    def state(self) -> PoolState:
        parked, taken = len(self._parked), self._queue.checkedout()
        return PoolState(
            size=self.size,
            open=self._count_open(),
            in_use=max(0, taken - parked),
            waits=self._waits,
            waited_s=self._waited_s,
            timeouts=self._timeouts,
        )

    def close(self) -> None:
        """Close the connections. Statements on those in use are cancelled, and these connections are closed when they
        are given back; this waits at most 1 s for them."""
        self._leaving = math.inf
        while self._parked:
            self._unpark()
        self._queue.dispose()
        with self._counting:
            busy = [each for each in self._opened if each.usable]
        # A server that cannot be reached for one cannot be reached for others.
        with contextlib.suppress(OSError):
            for each in busy:
                each.cancel()
        until = time.monotonic() + _ENDING_S
        while any(each.usable for each in busy) and time.monotonic() < until:
            time.sleep(_ENDING_LOOK_S)


def _may_wait(ex: Unavailable) -> bool:
    """Whether a connection may become free, or may be opened soon."""
    return isinstance(ex, _OpeningPaused) or is_at_limit(ex.__cause__)


def _best(parked: Sequence[Lease], session: object) -> Lease:
    """The lease to take for a flight with this context: its own caller's, then the one whose context is least likely to
    be used again. ``parked``: the most recently returned last."""
    best, best_rank = parked[0], 0
    for lease in reversed(parked):
        kept = lease.connection.session
        if kept is None:
            rank = 2
        elif kept is session:
            return lease
        else:
            rank = 0 if lease.connection.is_session_reused else 1
        if rank > best_rank:
            best, best_rank = lease, rank
    return best
