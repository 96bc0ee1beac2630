"""Walking over the entries of one level of a bucket, and finding which are visible to the caller."""

from __future__ import annotations

from app.database import Row, Statement
from app.storage.asker import Asker
from app.storage.names import successor
from app.storage.rows import RawValue, known, number, text
from app.storage.sql_listing import BEYOND, Direction, walk
from app.storage.storage import Storage

Candidates = tuple[RawValue, RawValue, RawValue]
"""Arrays in PostgreSQL's text format: ids, folders, and a second spelling of each folder."""


class Level:
    """A walk over the entries of one level as service_role. They are candidates: some may be invisible to the caller.

    ``prefix`` is what the keys begin with. ``folded``: keys are compared in lower case, and so is the prefix.
    ``position``: where the walk begins, if not at the first entry.
    """

    def __init__(
        self,
        storage: Storage,
        asker: Asker,
        bucket: str,
        prefix: str,
        direction: Direction,
        *,
        folded: bool,
        delimited: bool = True,
        position: str | None = None,
    ) -> None:
        self._storage = storage
        self._asker = asker
        self._bucket = text(bucket)
        self._statement = walk(folded=folded, direction=direction, delimited=delimited)
        self._lower, self._upper = prefix, successor(prefix) or BEYOND
        if position is None:
            position = self._lower if direction == "asc" else self._upper
        self._position: RawValue = text(position)
        self._prefix_length = number(len(prefix))
        self.at_end = False

    def more(self, wanted: int) -> Candidates:
        """At least ``wanted`` more entries, or all that are left; ``at_end`` is then true."""
        bounds = (text(self._lower), text(self._upper))
        parameters = (self._bucket, self._position, *bounds, self._prefix_length, number(wanted))
        context = self._asker.service_context()
        row = self._storage.database.run(context, [(self._statement, parameters)], read_only=True)[0][0]
        count, ids, folders, lasts, self._position = row
        self.at_end = int(known(count)) < wanted
        return ids, folders, lasts


def bounds_of(prefix: str) -> Candidates:
    """All keys with this prefix, in the form in which statements take candidates."""
    return text(prefix), text(successor(prefix) or BEYOND), None


def page(
    storage: Storage, asker: Asker, bucket: str, statement: Statement, candidates: Candidates, *more: RawValue
) -> Row:
    """The row of a statement of ``sql_listing`` about candidates, run with the caller's own rights."""
    parameters = (text(bucket), *candidates, *more)
    return storage.database.run(asker.own_context(), [(statement, parameters)], read_only=True)[0][0]
