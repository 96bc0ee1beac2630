"""Walking over the entries of a level of a bucket, and which of them the caller sees."""

from __future__ import annotations

from app.database import Row, Statement
from app.storage.asker import Asker
from app.storage.names import successor
from app.storage.rows import RawValue, known, number, text
from app.storage.sql_listing import BEYOND, Direction, walk
from app.storage.storage import Storage

Candidates = tuple[RawValue, RawValue, RawValue]
"""Arrays as the database gives and takes them: ids, folders, and another spelling of each folder."""


class Level:
    """A walk over the entries of one level, with the service's rights: candidates, of which the caller may see some.

    ``prefix`` is what keys begin with; ``folded``: in lower case, as the keys are compared then. ``position``: where
    the walk begins, if not at the first entry.
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
        """At least ``wanted`` further entries, or all that are left; then ``at_end`` is true."""
        bounds = (text(self._lower), text(self._upper))
        parameters = (self._bucket, self._position, *bounds, self._prefix_length, number(wanted))
        context = self._asker.service_context()
        row = self._storage.database.run(context, [(self._statement, parameters)], read_only=True)[0][0]
        count, ids, folders, lasts, self._position = row
        self.at_end = int(known(count)) < wanted
        return ids, folders, lasts


def bounds_of(prefix: str) -> Candidates:
    """What stands for all keys with this prefix where a statement takes candidates or bounds."""
    return text(prefix), text(successor(prefix) or BEYOND), None


def page(
    storage: Storage, asker: Asker, bucket: str, statement: Statement, candidates: Candidates, *more: RawValue
) -> Row:
    """The row of a statement of ``sql_listing`` on candidates, asked with the caller's own rights."""
    parameters = (text(bucket), *candidates, *more)
    return storage.database.run(asker.own_context(), [(statement, parameters)], read_only=True)[0][0]
