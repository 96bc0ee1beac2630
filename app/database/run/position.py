"""Positions in the write-ahead log: what a write has reached, and what a read must have seen at least."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.database.wire.failure import StatementError
from app.database.wire.messages import Row
from app.database.wire.sqlstates import INVALID_TEXT_REPRESENTATION
from app.database.wire.statement import Statement

_TEXT = re.compile(r"([0-9A-F]{1,8})-([0-9A-F]{1,8})/([0-9A-F]{1,8})", re.ASCII)
_PAGE = 8192
# The sizes of the header of a page of the log, and of the first page of a segment.
_PAGE_HEADERS = (24, 40)


class Position(NamedTuple):
    """Positions of different timelines cannot be compared: a promotion begins a new one."""

    timeline: int
    lsn: int

    def __str__(self) -> str:
        return f"{self.timeline:X}-{self.lsn_text}"

    @classmethod
    def of_text(cls, text: str) -> Position | None:
        """The position of which ``text`` is the ``str``; None if it is not of one."""
        found = _TEXT.fullmatch(text)
        return cls(int(found[1], 16), (int(found[2], 16) << 32) + int(found[3], 16)) if found else None

    @property
    def lsn_text(self) -> str:
        return f"{self.lsn >> 32:X}/{self.lsn & 0xFFFFFFFF:X}"


REACHED = Statement(
    "SELECT pg_catalog.pg_walfile_name(lsn), lsn FROM pg_catalog.pg_current_wal_insert_lsn() lsn", "reached"
)
"""After a commit, on a primary: a position that the commit is before. Taken earlier it would miss what deferred
triggers write; the position up to which the log is written out would miss an asynchronous commit."""

_ISOLATION = "pg_catalog.current_setting('transaction_isolation')"
_STANDBYS_TIMELINE = (
    "(SELECT greatest(c.min_recovery_end_timeline, r.received_tli)"
    " FROM pg_catalog.pg_control_recovery() c LEFT JOIN pg_catalog.pg_stat_get_wal_receiver() r ON true)"
)
_PRIMARYS_TIMELINE = "pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8)"
_REPLAYED = f"""
CASE WHEN pg_catalog.pg_is_in_recovery()
THEN pg_catalog.pg_last_wal_replay_lsn() >= $1::pg_catalog.pg_lsn AND $2::pg_catalog.int4 = {_STANDBYS_TIMELINE}
ELSE $3::pg_catalog.text = {_PRIMARYS_TIMELINE} END
"""

HAS_REPLAYED = Statement(
    f"SELECT (CASE {_ISOLATION} WHEN 'read committed' THEN '1' ELSE {_ISOLATION} END)::pg_catalog.int4"
    f" / coalesce({_REPLAYED}, false)::pg_catalog.int4",
    "has_replayed",
)
"""The first statement of a flight to a replica: it fails unless the replica has replayed the log up to the position
whose ``replay_parameters`` it takes. It is a statement of its own, since a statement sees what was committed before it
began; for the same reason the isolation level must be the one that takes a new snapshot for each statement."""

PRIMARY_STATE = Statement(
    "SELECT pg_catalog.pg_walfile_name(lsn), lsn, s.system_identifier"
    " FROM pg_catalog.pg_current_wal_flush_lsn() lsn, pg_catalog.pg_control_system() s"
)
"""What a primary has written out, in columns of ``read_position``, and which database it is."""

REPLICA_STATE = Statement(
    f"""
    SELECT pg_catalog.lpad(pg_catalog.to_hex({_STANDBYS_TIMELINE}), 8, '0'), pg_catalog.pg_last_wal_replay_lsn(),
      s.system_identifier, {_ISOLATION} FROM pg_catalog.pg_control_system() s WHERE pg_catalog.pg_is_in_recovery()
    """  # noqa: S608
)
"""The same of a standby, about what it has replayed, and the isolation level; no row where there is no standby."""


def is_badly_isolated(error: StatementError) -> bool:
    """Whether ``HAS_REPLAYED``, the first step, failed for the isolation level of the session."""
    return error.statement_index == 0 and error.diagnosis.sqlstate == INVALID_TEXT_REPRESENTATION


def replay_parameters(position: Position) -> tuple[bytes, ...]:
    return (position.lsn_text.encode(), b"%d" % position.timeline, b"%08X" % position.timeline)


def read_position(file: bytes | None, lsn: bytes | None) -> Position | None:
    """The position of a name of a file of the log, which begins with the timeline, and an LSN in text form."""
    if file is None or lsn is None:
        return None
    high, _, low = lsn.partition(b"/")
    number = (int(high, 16) << 32) + int(low, 16)
    # The insert position after a full page is behind the next page's header, which is written with the next record:
    # until there is one, no standby gets there.
    into_page = number % _PAGE
    return Position(int(file[:8], 16), number - into_page if into_page in _PAGE_HEADERS else number)


class Bookmark:
    """What one request must see, and how far its writes got. Used by one thread at a time.

    ``needed``: what reads must see, None for nothing in particular. ``written``: a position that all writes of the
    request are before; None without one.
    """

    def __init__(self, needed: Position | None = None, *, on_replicas: bool = True) -> None:
        """``on_replicas``: whether a replica may answer the request's reads."""
        self.needed = needed
        self._written: Position | None = None
        self._on_replicas = on_replicas
        self._writing = False

    @property
    def on_replicas(self) -> bool:
        """Whether a replica may answer: not while only the primary knows how far a write got."""
        return self._on_replicas and not self._writing

    @property
    def written(self) -> Position | None:
        return None if self._writing else self._written

    def begin_write(self) -> None:
        """Note that a write of the request is sent."""
        self._writing = True

    def end_write(self, reached: Sequence[Row]) -> None:
        """Note the result of ``REACHED``, without a row if it failed."""
        position = read_position(reached[0][0], reached[0][1]) if reached else None
        if position is not None:
            self._written = self.needed = position
            self._writing = False
