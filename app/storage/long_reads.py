"""A limit on long reads, whose duration depends on rows that the caller may not see.

PostgreSQL applies the policies to such rows one by one, so any caller could occupy every thread. A read that does not
finish within ``MOMENT_S`` needs a place. The places are limited for each role, and no role can take all of them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence

from app.database import Context, Database, Row, Statement, StatementTimeout
from app.storage.errors import TooManyLongReads

MOMENT_S = 0.2
"""The time that a read may take without a place, in seconds: ten times that of an ordinary listing."""

_LIMIT_TIME = Statement("SELECT pg_catalog.num_nulls(set_config('statement_timeout', $1, true))", "limit_time")


class LongReads:
    """The places of one process: as many as a quarter of its threads for each role, and half for all roles together."""

    def __init__(self, threads: int) -> None:
        self._of_a_role, self._in_all = max(1, threads // 4), max(1, threads // 2)
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, role: str) -> None:
        """Take a place. Raises TooManyLongReads."""
        with self._lock:
            if self._taken[role] >= self._of_a_role or self._taken.total() >= self._in_all:
                raise TooManyLongReads
            self._taken[role] += 1

    def give_back(self, role: str) -> None:
        with self._lock:
            self._taken[role] -= 1

    def taken(self, role: str) -> int:
        """The number of places that the role occupies."""
        return self._taken[role]


class Read:
    """The statements of one request. Together they may take ``MOMENT_S``; beyond that they need a place.

    With a place, they may together take as long as one statement may. Leaving the context manager releases the place.
    ``places`` is None for a role from which no row is hidden: only the usual statement timeout applies to it.
    """

    def __init__(self, database: Database, places: LongReads | None, role: str) -> None:
        self._database = database
        self._places = places
        self._role = role
        self._began = time.monotonic()
        self._has_place = False

    def __enter__(self) -> Read:
        return self

    def __exit__(self, *_: object) -> None:
        if self._places is not None and self._has_place:
            self._has_place = False
            self._places.give_back(self._role)

    def row(self, context: Context, statement: Statement, parameters: Sequence[bytes | None]) -> Row:
        """The only row of a reading statement. Raises TooManyLongReads, StatementTimeout and other database errors."""
        return self.rows(context, statement, parameters)[0]

    def rows(self, context: Context, statement: Statement, parameters: Sequence[bytes | None]) -> list[Row]:
        """All rows of a reading statement. Raises as ``row``."""
        call = (statement, parameters)
        if self._places is None:
            return self._database.run(context, [call], read_only=True)[0]
        if not self._has_place:
            try:
                return self._within(MOMENT_S, context, call)
            except StatementTimeout:
                self._places.take(self._role)
                self._has_place = True
        return self._within(context.statement_timeout_s, context, call)

    def _within(self, seconds: float, context: Context, call: tuple[Statement, Sequence[bytes | None]]) -> list[Row]:
        """Run the statement. The time limit ``seconds`` counts from the creation of this object; 0 means no limit."""
        if not seconds:
            return self._database.run(context, [call], read_only=True)[0]
        # For PostgreSQL, 0 means no limit.
        left_ms = max(1, round((self._began + seconds - time.monotonic()) * 1000))
        limited = [(_LIMIT_TIME, (str(left_ms).encode(),)), call]
        return self._database.run(context, limited, read_only=True)[1]
