"""Positions in the write-ahead log: the one that a write has reached, and the one that a read must see at least."""

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
# The header sizes of a page of the log, and of the first page of a segment.
_PAGE_HEADERS = (24, 40)


class Position(NamedTuple):
    """Positions of different timelines cannot be compared: a promotion begins a new one."""

    timeline: int
    lsn: int

    def __str__(self) -> str:
        return f"{self.timeline:X}-{self.lsn_text}"

    @classmethod
    def of_text(cls, text: str) -> Position | None:
        """The position that ``str`` wrote as ``text``; None if the text is not a position."""
        found = _TEXT.fullmatch(text)
        return cls(int(found[1], 16), (int(found[2], 16) << 32) + int(found[3], 16)) if found else None

    @property
    def lsn_text(self) -> str:
        return f"{self.lsn >> 32:X}/{self.lsn & 0xFFFFFFFF:X}"


REACHED = Statement(
    "SELECT pg_catalog.pg_walfile_name(lsn), lsn FROM pg_catalog.pg_current_wal_insert_lsn() lsn", "reached"
)
"""Selects, after a commit on a primary, a position behind the commit. Before the commit it would not cover what
deferred triggers write. The flushed position would not cover an asynchronous commit."""

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
"""The first statement of a flight to a replica. It fails unless the replica has replayed the log up to a position; its
parameters are that position's ``replay_parameters``. It is a separate statement, since a statement sees only what was
committed before it began. For the same reason the isolation level must be READ COMMITTED, with a new snapshot for each
statement."""

PRIMARY_STATE = Statement(
    "SELECT pg_catalog.pg_walfile_name(lsn), lsn, s.system_identifier"
    " FROM pg_catalog.pg_current_wal_flush_lsn() lsn, pg_catalog.pg_control_system() s"
)
"""A primary's flushed position, as the two arguments of ``read_position``, and the identifier of its cluster."""

REPLICA_STATE = Statement(
    f"""
    SELECT pg_catalog.lpad(pg_catalog.to_hex({_STANDBYS_TIMELINE}), 8, '0'), pg_catalog.pg_last_wal_replay_lsn(),
      s.system_identifier, {_ISOLATION} FROM pg_catalog.pg_control_system() s WHERE pg_catalog.pg_is_in_recovery()
    """  # noqa: S608
)
"""The same for a standby, with its replayed position, and also its isolation level. No row if it is not a standby."""


def is_badly_isolated(error: StatementError) -> bool:
    """Whether ``HAS_REPLAYED``, the first step, failed because of the isolation level of the session."""
    return error.statement_index == 0 and error.diagnosis.sqlstate == INVALID_TEXT_REPRESENTATION


def replay_parameters(position: Position) -> tuple[bytes, ...]:
    return (position.lsn_text.encode(), b"%d" % position.timeline, b"%08X" % position.timeline)


def read_position(file: bytes | None, lsn: bytes | None) -> Position | None:
    """A position from the name of a log file, which begins with the timeline, and an LSN in text form."""
    if file is None or lsn is None:
        return None
    high, _, low = lsn.partition(b"/")
    number = (int(high, 16) << 32) + int(low, 16)
    # After a full page, the insert position is behind the next page's header. That header is written with the next
    # record: until then no standby reaches it.
    into_page = number % _PAGE
    return Position(int(file[:8], 16), number - into_page if into_page in _PAGE_HEADERS else number)


class Bookmark:
    """The position that one request must see, and the one that its writes reached. Used by one thread at a time.

    ``needed``: the position that reads must see; None for any. ``written``: a position behind all writes of the
    request; None if there were none, or if the position is not known.
    """

    def __init__(self, needed: Position | None = None, *, on_replicas: bool = True) -> None:
        """``on_replicas``: whether a replica may answer the request's reads."""
        self.needed = needed
        self._written: Position | None = None
        self._on_replicas = on_replicas
        self._writing = False

    @property
    def on_replicas(self) -> bool:
        """Whether a replica may answer: not while only the primary knows the position of a write."""
        return self._on_replicas and not self._writing

    @property
    def written(self) -> Position | None:
        return None if self._writing else self._written

    def begin_write(self) -> None:
        """Record that a write of the request is sent."""
        self._writing = True

    def end_write(self, reached: Sequence[Row]) -> None:
        """Record the result of ``REACHED``, which has no row if the statement failed."""
        position = read_position(reached[0][0], reached[0][1]) if reached else None
        if position is not None:
            self._written = self.needed = position
            self._writing = False
