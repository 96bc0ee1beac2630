"""Walking over the entries of one level of a bucket, and finding which are visible to the caller."""

from __future__ import annotations

from dataclasses import dataclass

from app.database import Row, Statement
from app.storage.asker import Asker
from app.storage.long_reads import Read
from app.storage.names import BEYOND, spellings, successor
from app.storage.rows import RawValue, known, number, text, texts
from app.storage.sql_listing import MOST_SEEN, Direction, seen, walk

Candidates = tuple[RawValue, RawValue, RawValue]
"""Arrays in PostgreSQL's text format: ids, folders, and a second spelling of each folder; None if there is none."""

_ALL = 2**62
_LARGEST_STEP = 5000


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


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a listing: its whole name, and its time if the listing is ordered by one."""

    name: str
    is_folder: bool
    time: str = ""


class FilledPage:
    """A page as it fills; ``left`` is how many entries it still takes. ``folders`` and ``objects`` are JSON arrays
    without their brackets. ``last`` is the last entry given."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.has_next = False
        self.folders: list[bytes] = []
        self.objects: list[bytes] = []
        self.last: Entry | None = None

    def take(self, row: Row) -> None:
        """Add a row of ``page_by_cursor``."""
        found, given, folders, objects, is_folder, name, time = row
        if folders:
            self.folders.append(folders[1:-1])
        if objects:
            self.objects.append(objects[1:-1])
        self.left -= int(known(given))
        self.has_next = int(known(found)) > int(known(given))
        if name is not None:
            self.last = Entry(name.decode(), is_folder == b"t", (time or b"").decode())

    def fill(self, read: Read, asker: Asker, bucket: str, level: Level, statement: Statement) -> None:
        """Take entries of the level, in the order of their names, until the page is full or they are all given."""
        step = self.left + 1
        while not level.at_end and not self.has_next:
            candidates = level.more(step)
            if self.left > 0:
                self.take(page(read, asker, bucket, statement, candidates, number(self.left)))
            else:
                # The page is full: look for one more visible entry.
                row = page(read, asker, bucket, statement, candidates, b"1")
                self.has_next = int(known(row[0])) > 0
            step = min(step * 2, _LARGEST_STEP)


def after(name: str, direction: Direction, *, is_folder: bool) -> str:
    """Where a listing by name continues after an entry."""
    if direction == "desc":
        return name
    return name[:-1] + "0" if is_folder else name + "\x01"


def page(read: Read, asker: Asker, bucket: str, statement: Statement, candidates: Candidates, *more: RawValue) -> Row:
    """The row of a statement of ``sql_pages`` about candidates, run with the caller's own rights."""
    return read.row(asker.own_context(), statement, (text(bucket), *candidates, *more))
