"""The connections of one worker: their number, and which ones have timed out."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from app.server.capacity import WorkerTotals
from app.server.connection.connection import Connection, Waits
from app.server.connection.ending import LONGEST_S
from app.settings import Settings

# A client that did something this recently is not closed to make room for another.
_ACTIVE_S = 1.0
# The lowest average speed of a body. The slowest mobile networks are twenty times faster.
_LEAST_BYTES_PER_S = 500


class Connections:
    """The open connections, shared by the worker's threads. ``totals`` publishes their number to other workers."""

    def __init__(self, totals: WorkerTotals, settings: Settings) -> None:
        self._totals = totals
        self._settings = settings
        self._lock = threading.Lock()
        self._open: set[Connection] = set()
        self._turned_away: set[Connection] = set()
        totals.connections = 0

    def __len__(self) -> int:
        return len(self._open)

    @property
    def turned_away(self) -> int:
        """The number of connections that are open only until the client has read its refusal."""
        return len(self._turned_away)

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._open))

    def add(self, connection: Connection, *, turned_away: bool = False) -> None:
        with self._lock:
            self._open.add(connection)
            if turned_away:
                self._turned_away.add(connection)
            self._totals.connections = len(self._open)

    def discard(self, connection: Connection) -> None:
        with self._lock:
            self._open.discard(connection)
            self._turned_away.discard(connection)
            self._totals.connections = len(self._open)

    def close_late(self) -> None:
        """Close the connections that have timed out."""
        now = time.monotonic()

        def is_late(connection: Connection) -> bool:
            return now > self._end_of(connection)

        for connection in self:
            if is_late(connection):
                connection.close_if(is_late)

    def _end_of(self, connection: Connection) -> float:
        """The time at which the connection times out, in seconds of ``time.monotonic``."""
        waits_for = connection.waits_for
        if waits_for is Waits.REQUEST:
            return connection.since + self._settings.idle_timeout_s
        if waits_for is Waits.HEADER:
            return connection.since + self._settings.header_timeout_s
        if waits_for is Waits.BODY:
            limit = self._settings.body_timeout_s
            least = connection.since + limit + connection.body_received / _LEAST_BYTES_PER_S
            return min(connection.last_activity + limit, least)
        if waits_for is Waits.RESPONSE:
            return connection.last_activity + self._settings.send_timeout_s
        return connection.since + LONGEST_S

    def close_unused(self) -> None:
        """Close the connections that wait for another request."""
        for connection in self:
            connection.close_if(lambda each: each.waits_for is Waits.REQUEST)

    def make_room(self) -> bool:
        """Close the connection whose client has been inactive longest. Returns whether there was one."""
        before = time.monotonic() - _ACTIVE_S

        def may_go(connection: Connection) -> bool:
            waits = connection.waits_for in (Waits.REQUEST, Waits.HEADER, Waits.BODY)
            return waits and connection.last_activity < before

        waiting = sorted(filter(may_go, self), key=lambda connection: connection.last_activity)
        return any(connection.close_if(may_go) for connection in waiting)
