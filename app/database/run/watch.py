"""Watches the primary and its replicas: polls the position of each on a separate connection."""

from __future__ import annotations

import dataclasses
import logging
import ssl
import time
from bisect import bisect_left
from dataclasses import dataclass
from operator import itemgetter
from threading import Event, Thread

from app.database.run.position import PRIMARY_STATE, REPLICA_STATE, Position, read_position
from app.database.wire.connect import connect
from app.database.wire.failure import ConnectionLost, StatementError
from app.database.wire.messages import Row
from app.database.wire.statement import Statement
from app.database.wire.target import Target
from app.database.wire.wire import DatabaseConnection
from app.errors import Unavailable

log = logging.getLogger("portico.database")

_LONGEST_INTERVAL_S, _SHORTEST_INTERVAL_S = 1.0, 0.05
_LONGEST_WAIT_S = 2.0
_SAMPLES_KEPT_S = 60.0
_NOT_CHECKED = "not checked yet"


@dataclass(frozen=True, slots=True)
class ReplicaState:
    """``place``: host and port, for the operator. ``usable``: whether it answers reads. ``lag_s``: at most how many
    seconds ago the primary was at the position where the replica is now; None if that is not known. ``what``: ``ok``,
    or why the replica is left out."""

    place: str
    usable: bool
    lag_s: float | None
    what: str

    @property
    def was_checked(self) -> bool:
        """Whether the replica was checked since the start."""
        return self.what != _NOT_CHECKED


class _Watch:
    """A thread that polls the state of one server until it is closed."""

    def __init__(self, target: Target, tls: ssl.SSLContext | None, question: Statement, interval_s: float) -> None:
        self.target = dataclasses.replace(target, connect_timeout_s=_LONGEST_WAIT_S)
        self._tls = tls
        self._question = question
        self._interval_s = interval_s
        self._connection: DatabaseConnection | None = None
        self._closing = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        self._thread = Thread(target=self._watch, name="database-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join(2 * _LONGEST_WAIT_S)

    def _watch(self) -> None:
        while not self._closing.is_set():
            sent_at = time.monotonic()
            try:
                row = self._read_state()
            except (Unavailable, ConnectionLost, StatementError) as ex:
                self._disconnect()
                self._failed(str(ex.__cause__ or ex))
            else:
                self._received(sent_at, row)
            self._closing.wait(self._interval_s)
        self._disconnect()

    def _read_state(self) -> Row:
        connection = self._connection
        if connection is None or connection.is_dead():
            self._disconnect()
            connection = self._connection = connect(self.target, self._tls, prepared_limit=1)
            connection.wait_at_most(_LONGEST_WAIT_S)
        rows = connection.pipeline([(self._question, (), "")])[0]
        return rows[0] if rows else (None, None, None, None)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _received(self, sent_at: float, row: Row) -> None:
        raise NotImplementedError

    def _failed(self, why: str) -> None:
        raise NotImplementedError


class PrimaryWatch(_Watch):
    """The positions of the primary of the last minute or more, with their times."""

    def __init__(self, target: Target, tls: ssl.SSLContext | None, max_lag_s: float) -> None:
        """``max_lag_s``: how old the data of a replica may be; 0 for any age."""
        interval_s = min(_LONGEST_INTERVAL_S, max(_SHORTEST_INTERVAL_S, max_lag_s / 4)) if max_lag_s else 1.0
        super().__init__(target, tls, PRIMARY_STATE, interval_s)
        self.interval_s = interval_s
        self.identifier: bytes | None = None
        self._max_lag_s = max_lag_s
        # Replaced as a whole, so that other threads read it without a lock.
        self._samples: tuple[tuple[float, Position], ...] = ()

    def floor(self) -> Position | None:
        """The position that a replica must have replayed so that its data is not too old; None if the primary has not
        answered for so long that this is unknown."""
        samples = self._samples
        if not samples:
            return None
        if not self._max_lag_s:
            return Position(samples[-1][1].timeline, 0)
        # The oldest sample that is not too old. It includes all that was committed before the time of the limit.
        index = bisect_left(samples, time.monotonic() - self._max_lag_s, key=itemgetter(0))
        return samples[index][1] if index < len(samples) else None

    def lag_s(self, position: Position) -> float | None:
        """At most how many seconds ago the primary was at this position; None if it is not known."""
        reached = [at for at, sample in self._samples if sample <= position]
        return time.monotonic() - reached[-1] if reached else None

    def _received(self, sent_at: float, row: Row) -> None:
        position = read_position(row[0], row[1])
        if position is None:
            return
        self.identifier = row[2]
        kept_since = sent_at - max(_SAMPLES_KEPT_S, 2 * self._max_lag_s)
        kept = [each for each in self._samples if each[0] >= kept_since and each[1].timeline == position.timeline]
        self._samples = (*kept, (sent_at, position))

    def _failed(self, why: str) -> None:
        """Do nothing: the pool of the primary logs the failure."""


class ReplicaWatch(_Watch):
    """Whether a replica may answer reads."""

    def __init__(self, target: Target, tls: ssl.SSLContext | None, primary: PrimaryWatch) -> None:
        super().__init__(target, tls, REPLICA_STATE, primary.interval_s)
        self._primary = primary
        self._place = target.place
        self.is_usable = False
        self._what = _NOT_CHECKED
        self._position: Position | None = None

    def state(self) -> ReplicaState:
        position = self._position
        lag_s = None if position is None else self._primary.lag_s(position)
        return ReplicaState(self._place, self.is_usable, lag_s, self._what)

    def leave_out(self) -> None:
        """Use the replica for nothing until the next successful check."""
        self.is_usable = False
        self._what = "it failed to answer"

    def _received(self, sent_at: float, row: Row) -> None:
        self._position = read_position(row[0], row[1])
        if self._primary.identifier is None:
            # The primary has not answered yet, so there is nothing to compare with.
            return
        self._update(self._misfit(row))

    def _failed(self, why: str) -> None:
        self._position = None
        self._update(why)

    def _misfit(self, row: Row) -> str:
        """Why the replica must be left out; '' if it need not."""
        position, floor = self._position, self._primary.floor()
        if position is None:
            return "it is not a standby"
        _, _, identifier, isolation = row
        if isolation != b"read committed":
            return "default_transaction_isolation must be 'read committed'"
        if floor is None:
            return "the primary does not answer"
        if identifier != self._primary.identifier:
            return "it is a standby of another database"
        if position.timeline != floor.timeline:
            return f"it is on timeline {position.timeline}, the primary on {floor.timeline}"
        return "it is too far behind" if position < floor else ""

    def _update(self, why: str) -> None:
        if why and (self.is_usable or self._what == _NOT_CHECKED):
            log.warning("the replica %s is left out: %s", self._place, why)
        if not why and not self.is_usable:
            log.warning("the replica %s answers reads", self._place)
        self.is_usable = not why
        self._what = why or "ok"
