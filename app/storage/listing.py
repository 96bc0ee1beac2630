"""Walks over the entries of one level of a bucket, and finds those that are visible to the caller."""

from __future__ import annotations

from dataclasses import dataclass

from app.database import Row
from app.identity import SERVICE_ROLE
from app.storage.long_reads import Read
from app.storage.names import BEYOND, ranges_in_any_case, successor
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, known, number, text, texts
from app.storage.sql import Direction
from app.storage.sql_listing import LOWER_CASE, MOST_SEEN, ListedLevel, seen, walk, walk_with_page
from app.storage.sql_pages import ListedPage, PageByCursor, page_of_range, page_of_visible

Candidates = tuple[RawValue, RawValue, RawValue]
"""Arrays in PostgreSQL's text format: names, folders, and a second spelling of each folder; None if there is none."""

_ALL = 2**62
_WALK_COLUMNS = 5
LARGEST_STEP = 5000
"""The maximum number of candidates that one statement makes a page of."""


class Level:
    """The entries of one level, as candidates: some may be invisible to the caller.

    A walk as service_role finds them. If its first step does not fill the caller's page, one query for everything that
    the caller sees replaces the walk: PostgreSQL then looks at hidden objects only once, or not at all if no policy can
    show any.

    ``prefix``: the start of all keys; with ``exact``, the only key. ``folded``: keys are compared in lower case, and
    ``prefix`` is in lower case. ``position``: where the walk begins, if not at the first entry.
    """

    def __init__(
        self,
        read: Read,
        request: RequestContext,
        bucket: str,
        prefix: str,
        direction: Direction,
        *,
        folded: bool,
        delimited: bool = True,
        exact: bool = False,
        position: str | None = None,
    ) -> None:
        self._read = read
        self._request = request
        self._bucket = text(bucket)
        self._level = ListedLevel(folded, direction, delimited)
        self._lower, self._upper = _range(prefix, exact=exact)
        if position is None:
            position = self._lower if direction == "asc" else self._upper
        self._position: RawValue = text(position)
        self._prefix_length = number(len(prefix))
        self._steps = 0
        self.at_end = False

    def page(self, page: ListedPage, wanted: int, *own: RawValue) -> Row:
        """The row of ``page`` for the next candidates: at least ``wanted``, or all that are left; then ``at_end`` is
        true. ``own`` are the page's own parameters. On the first call, ``wanted`` must not be less than the page takes,
        unless it is ``LARGEST_STEP``."""
        self._steps += 1
        if self._steps == 1 and wanted < LARGEST_STEP and self._request.role == SERVICE_ROLE:
            return self._walked_page(page, wanted, own)
        few = self._few() if self._steps == 2 else None
        return self._page_of(page, few or self._walked(wanted), own)

    def page_of_all(self, page: ListedPage, *own: RawValue) -> Row:
        """The row of ``page`` for all visible entries that are left."""
        return self._page_of(page, self._few() or self._walked(_ALL), own)

    def _page_of(self, page: ListedPage, candidates: Candidates, own: tuple[RawValue, ...]) -> Row:
        parameters = (self._bucket, *candidates, *own)
        return self._read.row(self._request.own_context(), page_of_visible(page), parameters)

    def _walked_page(self, page: ListedPage, wanted: int, own: tuple[RawValue, ...]) -> Row:
        """The page for service_role, from which no row is hidden. If there is no folder, the walk returns the page."""
        parameters = (*self._walk_parameters(wanted), *own)
        row = self._read.row(self._request.own_context(), walk_with_page(self._level, page), parameters)
        paged, walked = row[:-_WALK_COLUMNS], row[-_WALK_COLUMNS:]
        if walked[0] is not None:
            return self._page_of(page, self._candidates(walked, wanted), own)
        self.at_end = True
        return paged

    def _walked(self, wanted: int) -> Candidates:
        row = self._read.row(self._request.service_context(), walk(self._level), self._walk_parameters(wanted))
        return self._candidates(row, wanted)

    def _walk_parameters(self, wanted: int) -> tuple[RawValue, ...]:
        return self._bucket, self._position, *self._bounds(), self._prefix_length, number(wanted)

    def _candidates(self, row: Row, wanted: int) -> Candidates:
        count, names, folders, lasts, self._position = row
        self.at_end = int(known(count)) < wanted
        return names, folders, lasts

    def _few(self) -> Candidates | None:
        """All visible entries that are left; None if the caller sees many objects."""
        ranges = ranges_in_any_case(self._lower) if self._level.folded else [(self._lower, self._upper)]
        among = (texts([lower for lower, _ in ranges]), texts([upper for _, upper in ranges]))
        parameters = (self._bucket, self._position, *self._bounds(), self._prefix_length, *among)
        count, names, folders, lasts = self._read.row(self._request.own_context(), seen(self._level), parameters)
        if int(known(count)) > MOST_SEEN:
            return None
        self.at_end = True
        return names, folders, lasts

    def _bounds(self) -> tuple[RawValue, RawValue]:
        return text(self._lower), text(self._upper)


def in_lower_case(read: Read, request: RequestContext, key: str) -> str:
    """The key in lower case according to the database's locale, as folded keys are.

    For ``I``, the dotted ``I`` and a sigma at the end of a word, some locales differ from Python.
    """
    if key.isascii() and "I" not in key:
        return key.lower()
    return known(read.row(request.own_context(), LOWER_CASE, (text(key),))[0]).decode()


def page_of_keys(
    read: Read,
    request: RequestContext,
    bucket: str,
    prefix: str,
    page: PageByCursor,
    *own: RawValue,
    exact: bool = False,
) -> Row:
    """The row of ``page`` for all keys with this prefix, or, if ``exact``, for the key that equals it."""
    lower, upper = _range(prefix, exact=exact)
    return read.row(request.own_context(), page_of_range(page), (text(bucket), text(lower), text(upper), None, *own))


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a listing: its full name, and its time if the listing is ordered by one."""

    name: str
    is_folder: bool
    time: str = ""


class FilledPage:
    """A page that is being filled. ``left``: the number of entries that still fit. ``folders``, ``objects``: members of
    JSON arrays. ``last``: the last entry on the page."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.has_next = False
        self.folders: list[bytes] = []
        self.objects: list[bytes] = []
        self.last: Entry | None = None

    def take(self, row: Row) -> None:
        """Add the row of a ``PageByCursor``."""
        found, given, folders, objects, is_folder, name, time = row
        if folders:
            self.folders.append(folders)
        if objects:
            self.objects.append(objects)
        self.left -= int(known(given))
        self.has_next = int(known(found)) > int(known(given))
        if name is not None:
            self.last = Entry(name.decode(), is_folder == b"t", (time or b"").decode())

    def fill(self, level: Level, page: PageByCursor) -> None:
        """Add entries of the level, in the order of their names, until the page is full or none are left."""
        step = self.left + 1
        while not level.at_end and not self.has_next:
            if self.left > 0:
                self.take(level.page(page, step, number(self.left)))
            else:
                # The page is full: look for one more visible entry.
                self.has_next = int(known(level.page(page, step, b"1")[0])) > 0
            step = min(step * 2, LARGEST_STEP)


def _range(prefix: str, *, exact: bool) -> tuple[str, str]:
    return prefix, after(prefix, "asc", is_folder=False) if exact else successor(prefix) or BEYOND


def after(name: str, direction: Direction, *, is_folder: bool) -> str:
    """Where a listing by name continues after an entry."""
    if direction == "desc":
        return name
    return name[:-1] + "0" if is_folder else name + "\x01"
