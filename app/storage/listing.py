"""Walking over the entries of one level of a bucket, and finding which are visible to the caller."""

from __future__ import annotations

from app.database import Row, Statement
from app.storage.asker import Asker
from app.storage.long_reads import Read
from app.storage.names import BEYOND, spellings, successor
from app.storage.rows import RawValue, known, number, text, texts
from app.storage.sql_listing import MOST_SEEN, Direction, seen, walk

Candidates = tuple[RawValue, RawValue, RawValue]
"""Arrays in PostgreSQL's text format: ids, folders, and a second spelling of each folder."""

_ALL = 2**62


class Level:
    """The entries of one level, as candidates: some may be invisible to the caller.

    A walk as service_role finds them. If its first step leaves the caller's page unfilled, the walk is replaced by a
    query for everything that the caller sees: PostgreSQL then looks at hidden objects only once, or not at all if no
    policy can show any.

    ``prefix`` is what the keys begin with. ``folded``: keys are compared in lower case, and so is the prefix.
    ``position``: where the walk begins, if not at the first entry.
    """

    def __init__(
        self,
        read: Read,
        asker: Asker,
        bucket: str,
        prefix: str,
        direction: Direction,
        *,
        folded: bool,
        delimited: bool = True,
        position: str | None = None,
    ) -> None:
        self._read = read
        self._asker = asker
        self._bucket = text(bucket)
        self._walk = walk(folded=folded, direction=direction, delimited=delimited)
        self._seen = seen(folded=folded, direction=direction, delimited=delimited)
        self._lower, self._upper = prefix, successor(prefix) or BEYOND
        self._ranges = spellings(prefix) if folded else [(self._lower, self._upper)]
        if position is None:
            position = self._lower if direction == "asc" else self._upper
        self._position: RawValue = text(position)
        self._prefix_length = number(len(prefix))
        self._steps = 0
        self.at_end = False

    def more(self, wanted: int) -> Candidates:
        """At least ``wanted`` more entries, or all visible ones that are left; ``at_end`` is then true."""
        self._steps += 1
        few = self._few() if self._steps == 2 else None
        return few or self._walked(wanted)

    def all(self) -> Candidates:
        """All visible entries that are left, and maybe others."""
        return self._few() or self._walked(_ALL)

    def _walked(self, wanted: int) -> Candidates:
        parameters = (self._bucket, self._position, *self._bounds(), self._prefix_length, number(wanted))
        row = self._read.row(self._asker.service_context(), self._walk, parameters)
        count, ids, folders, lasts, self._position = row
        self.at_end = int(known(count)) < wanted
        return ids, folders, lasts

    def _few(self) -> Candidates | None:
        """All visible entries that are left; None if the caller sees many objects."""
        ranges = (texts([lower for lower, _ in self._ranges]), texts([upper for _, upper in self._ranges]))
        parameters = (self._bucket, self._position, *self._bounds(), self._prefix_length, *ranges)
        count, ids, folders, lasts = self._read.row(self._asker.own_context(), self._seen, parameters)
        if int(known(count)) > MOST_SEEN:
            return None
        self.at_end = True
        return ids, folders, lasts

    def _bounds(self) -> tuple[RawValue, RawValue]:
        return text(self._lower), text(self._upper)


def bounds_of(prefix: str) -> Candidates:
    """All keys with this prefix, in the form in which statements take candidates."""
    return text(prefix), text(successor(prefix) or BEYOND), None


def page(read: Read, asker: Asker, bucket: str, statement: Statement, candidates: Candidates, *more: RawValue) -> Row:
    """The row of a statement of ``sql_listing`` about candidates, run with the caller's own rights."""
    return read.row(asker.own_context(), statement, (text(bucket), *candidates, *more))
