"""Lists a page of a bucket's keys, in the order of their bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from app.faces.s3.buckets import check_visible
from app.faces.s3.errors import invalid_argument
from app.faces.s3.grouped_keys import GroupedPage, common_prefix
from app.faces.s3.request import S3Request
from app.identity import SERVICE_ROLE
from app.storage.buckets import find_bucket
from app.storage.errors import NoSuchBucket
from app.storage.listing import Entry, FilledPage, Level, after
from app.storage.long_reads import Read
from app.storage.names import successor
from app.storage.sql import plain_json
from app.storage.sql_pages import PageByCursor
from app.storage.storage import Storage

MAX_KEYS = 1000

_PAGE = PageByCursor(
    folder="pg_catalog.to_json(v.folder)::text",
    entry=f"""pg_catalog.concat('[', pg_catalog.to_json(v.name), ',', {plain_json("v.updated")}, ',',
        coalesce(pg_catalog.to_json(v.metadata ->> 'eTag')::text, 'null'), ',',
        coalesce(v.metadata -> 'size', v.metadata -> 'contentLength', '0'), ']')""",
    column="name",
    direction="asc",
)
_OUR_DELIMITER = "/"


@dataclass(frozen=True, slots=True)
class WantedKeys:
    """The keys that a listing wants. ``after``: the entry after which it begins. ``encode`` encodes keys for XML."""

    prefix: str
    delimiter: str
    after: Entry | None
    limit: int
    encode: Callable[[str], str]

    def encoded(self, text: str | None) -> str | None:
        """The encoded text of an element; None for an absent element."""
        return None if text is None else self.encode(text)

    @property
    def encoded_delimiter(self) -> str | None:
        """The delimiter for its element; None without one."""
        return self.encoded(self.delimiter or None)


class ListedObject(NamedTuple):
    """A listed object. ``modified`` is the time in XML's format; ``entity_tag`` includes its quotes."""

    key: str
    modified: str
    entity_tag: str | None
    size: int


@dataclass(frozen=True, slots=True)
class ListedKeys:
    """Objects, and common prefixes of keys up to a delimiter. ``last`` is the last entry of both."""

    objects: Sequence[ListedObject] = ()
    prefixes: Sequence[str] = ()
    last: Entry | None = None
    has_next: bool = False


def wanted_by(request: S3Request, marker: str, last: Entry | None = None) -> WantedKeys:
    """The keys that the parameters want. The listing begins after ``last`` if given, otherwise after ``marker``."""
    encoding = request.query.get("encoding-type")
    if encoding not in (None, "", "url"):
        raise invalid_argument("Invalid Encoding Method specified in Request")
    prefix, delimiter = request.query.get("prefix", ""), request.query.get("delimiter", "")
    if "\0" in prefix + delimiter + marker:
        raise invalid_argument("A parameter has a NUL character")
    if last is None and marker:
        last = Entry(marker, is_folder=common_prefix(marker, prefix, delimiter) == marker)
    return WantedKeys(
        prefix=prefix,
        delimiter=delimiter,
        after=last,
        limit=request.number("max-keys", MAX_KEYS, most=MAX_KEYS),
        encode=(lambda text: quote(text, safe="/-_.~*")) if encoding == "url" else str,
    )


def listed_keys(storage: Storage, request: S3Request, wanted: WantedKeys) -> ListedKeys:
    """The page. Raises NoSuchBucket if nothing is found and the caller may not see the bucket."""
    found = ListedKeys()
    if wanted.limit:
        with storage.read(request.context) as read:
            find = _by_level if wanted.delimiter in ("", _OUR_DELIMITER) else _by_other_delimiter
            found = find(read, request, wanted)
    if not found.objects and not found.prefixes:
        check_listed(storage, request)
    return found


def check_listed(storage: Storage, request: S3Request) -> None:
    """Raise NoSuchBucket if the caller may not see the bucket, for a listing that found nothing."""
    if request.context.role != SERVICE_ROLE:
        check_visible(storage, request)
    elif find_bucket(storage, request.context, request.bucket) is None:
        raise NoSuchBucket


def _by_level(read: Read, request: S3Request, wanted: WantedKeys) -> ListedKeys:
    page = _page(read, request, wanted, _position(wanted), wanted.limit, delimited=bool(wanted.delimiter))
    prefixes = [each for some in page.folders for each in json.loads(b"[" + some + b"]")]
    return ListedKeys(list(_objects(page)), prefixes, page.last, page.has_next)


def _by_other_delimiter(read: Read, request: S3Request, wanted: WantedKeys) -> ListedKeys:
    """Read keys and group them here. One further query skips the rest of a group, regardless of its size."""
    grouped: GroupedPage[ListedObject] = GroupedPage(wanted.limit)
    position = _position(wanted)
    while True:
        page = _page(read, request, wanted, position, MAX_KEYS, delimited=False)
        fits = all(
            grouped.take(each, common_prefix(each.key, wanted.prefix, wanted.delimiter)) for each in _objects(page)
        )
        last = _entry(grouped.last)
        if not fits or not page.has_next or last is None:
            return ListedKeys(grouped.items, grouped.prefixes, last, grouped.is_truncated)
        position = _beyond(last)


def _entry(last: ListedObject | str | None) -> Entry | None:
    if last is None:
        return None
    return Entry(last, is_folder=True) if isinstance(last, str) else Entry(last.key, is_folder=False)


def _page(
    read: Read, request: S3Request, wanted: WantedKeys, position: str | None, limit: int, *, delimited: bool
) -> FilledPage:
    level = Level(
        read,
        request.context,
        request.bucket,
        wanted.prefix,
        "asc",
        folded=False,
        delimited=delimited,
        position=position,
    )
    page = FilledPage(limit)
    page.fill(level, _PAGE)
    return page


def _objects(page: FilledPage) -> Iterator[ListedObject]:
    return (ListedObject(*each) for some in page.objects for each in json.loads(b"[" + some + b"]"))


def _position(wanted: WantedKeys) -> str | None:
    """Where the walk begins; None for the first key."""
    last = wanted.after
    # A position before the prefix would be outside the range of the walk.
    return None if last is None or last.name < wanted.prefix else _beyond(last)


def _beyond(last: Entry) -> str:
    if last.is_folder:
        return successor(last.name) or last.name
    return after(last.name, "asc", is_folder=False)
