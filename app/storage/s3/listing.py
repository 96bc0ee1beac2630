"""Listings of a bucket, in the order of the keys' bytes: versions 1 and 2, and that of versions."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from app.identity import SERVICE_ROLE
from app.storage.buckets import find_bucket
from app.storage.errors import NoSuchBucket
from app.storage.http.answer import Answer
from app.storage.listing import Entry, FilledPage, Level, after
from app.storage.long_reads import Read
from app.storage.names import successor
from app.storage.s3.buckets import check_visible, owner
from app.storage.s3.call import S3Call
from app.storage.s3.elements import XML, Element, document
from app.storage.s3.errors import invalid_argument
from app.storage.sql import plain_json
from app.storage.sql_pages import PageByCursor
from app.storage.storage import Storage

LARGEST_PAGE = 1000

_PAGE = PageByCursor(
    folder="to_json(v.folder)::text",
    entry=f"""concat('[', to_json(v.name), ',', {plain_json("v.updated")}, ',',
        coalesce(to_json(v.metadata ->> 'eTag')::text, 'null'), ',',
        coalesce(v.metadata -> 'size', v.metadata -> 'contentLength', '0'), ']')""",
    column="name",
    direction="asc",
)
_OUR_DELIMITER = "/"


@dataclass(frozen=True, slots=True)
class WantedKeys:
    """What a listing asks for. ``after``: the entry, or the text, after which it begins."""

    prefix: str
    delimiter: str
    after: Entry | None
    limit: int
    encode: Callable[[str], str]

    def encoded(self, text: str | None) -> str | None:
        """Text for an element that may be absent."""
        return None if text is None else self.encode(text)


@dataclass(slots=True)
class Listed:
    """A page: objects as lists of key, time, entity tag and size; and what keys up to a delimiter have in common."""

    objects: list[list[Any]] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    last: Entry | None = None
    has_next: bool = False


def list_objects(storage: Storage, call: S3Call) -> Answer:
    """GET /{bucket}: version 1, whose marker is a key or a common prefix."""
    marker = call.query.get("marker", "")
    wanted = wanted_by(call, marker)
    found = listed(storage, call, wanted)
    next_marker = found.last.name if found.has_next and found.last and wanted.delimiter else None
    body = document(
        "ListBucketResult",
        ("Name", call.bucket),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("Marker", wanted.encode(marker)),
        ("NextMarker", wanted.encoded(next_marker)),
        ("MaxKeys", wanted.limit),
        ("Delimiter", wanted.encode(wanted.delimiter) if wanted.delimiter else None),
        ("IsTruncated", found.has_next),
        *contents(found, wanted),
        *common_prefixes(found, wanted),
        ("EncodingType", call.query.get("encoding-type")),
    )
    return Answer(body=body, content_type=XML)


def list_objects_v2(storage: Storage, call: S3Call) -> Answer:
    """GET /{bucket}?list-type=2"""
    token = call.query.get("continuation-token")
    start = call.query.get("start-after", "")
    wanted = wanted_by(call, start, decode_token(token) if token is not None else None)
    found = listed(storage, call, wanted)
    following = encode_token(found.last) if found.has_next and found.last else None
    members = owner(call) if call.query.get("fetch-owner") == "true" else None
    body = document(
        "ListBucketResult",
        ("Name", call.bucket),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("ContinuationToken", token),
        *contents(found, wanted, members),
        ("IsTruncated", found.has_next),
        ("MaxKeys", wanted.limit),
        ("Delimiter", wanted.encode(wanted.delimiter) if wanted.delimiter else None),
        ("EncodingType", call.query.get("encoding-type")),
        ("KeyCount", len(found.objects) + len(found.prefixes)),
        *common_prefixes(found, wanted),
        ("NextContinuationToken", following),
        ("StartAfter", wanted.encode(start) if start else None),
    )
    return Answer(body=body, content_type=XML)


def list_versions(storage: Storage, call: S3Call) -> Answer:
    """GET /{bucket}?versions: each object has one version, whose id is null."""
    marker = call.query.get("key-marker", "")
    wanted = wanted_by(call, marker)
    found = listed(storage, call, wanted)
    members = owner(call)
    versions: list[Element] = [
        (
            "Version",
            [
                ("Key", wanted.encode(key)),
                ("VersionId", "null"),
                ("IsLatest", True),
                ("LastModified", modified),
                ("ETag", etag),
                ("Size", size),
                ("StorageClass", "STANDARD"),
                ("Owner", members),
            ],
        )
        for key, modified, etag, size in found.objects
    ]
    following = found.last.name if found.has_next and found.last else None
    body = document(
        "ListVersionsResult",
        ("Name", call.bucket),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("KeyMarker", wanted.encode(marker)),
        ("NextKeyMarker", wanted.encoded(following)),
        ("NextVersionIdMarker", "null" if following is not None else None),
        ("MaxKeys", wanted.limit),
        ("Delimiter", wanted.encode(wanted.delimiter) if wanted.delimiter else None),
        ("IsTruncated", found.has_next),
        *versions,
        *common_prefixes(found, wanted),
        ("EncodingType", call.query.get("encoding-type")),
    )
    return Answer(body=body, content_type=XML)


def wanted_by(call: S3Call, marker: str, last: Entry | None = None) -> WantedKeys:
    """What the parameters ask for. ``marker`` is a text after which the listing begins; ``last`` counts more."""
    encoding = call.query.get("encoding-type")
    if encoding not in (None, "", "url"):
        raise invalid_argument("Invalid Encoding Method specified in Request")
    prefix, delimiter = call.query.get("prefix", ""), call.query.get("delimiter", "")
    if "\0" in prefix + delimiter + marker:
        raise invalid_argument("A parameter has a NUL character")
    if last is None and marker:
        last = Entry(marker, is_folder=common_prefix(marker, prefix, delimiter) == marker)
    return WantedKeys(
        prefix=prefix,
        delimiter=delimiter,
        after=last,
        limit=call.number("max-keys", LARGEST_PAGE, most=LARGEST_PAGE),
        encode=(lambda text: quote(text, safe="/-_.~*")) if encoding == "url" else str,
    )


def listed(storage: Storage, call: S3Call, wanted: WantedKeys) -> Listed:
    """The page. Raises NoSuchBucket where nothing is found in a bucket that the caller may not see."""
    found = Listed()
    if wanted.limit:
        with storage.read(call.asker) as read:
            find = _by_level if wanted.delimiter in ("", _OUR_DELIMITER) else _by_other_delimiter
            find(read, call, wanted, found)
    if not found.objects and not found.prefixes:
        if call.asker.role != SERVICE_ROLE:
            check_visible(storage, call)
        elif find_bucket(storage, call.asker, call.bucket) is None:
            raise NoSuchBucket
    return found


def _by_level(read: Read, call: S3Call, wanted: WantedKeys, found: Listed) -> None:
    page = _page(read, call, wanted, _position(wanted), wanted.limit, delimited=bool(wanted.delimiter))
    found.objects = _objects(page)
    found.prefixes = [each for some in page.folders for each in json.loads(b"[" + some + b"]")]
    found.last, found.has_next = page.last, page.has_next


def _by_other_delimiter(read: Read, call: S3Call, wanted: WantedKeys, found: Listed) -> None:
    """Read keys and group them here; a group is skipped by one further query, however many keys it has."""
    position = _position(wanted)
    while True:
        page = _page(read, call, wanted, position, LARGEST_PAGE, delimited=False)
        for each in _objects(page):
            common = common_prefix(each[0], wanted.prefix, wanted.delimiter)
            if common is not None and found.prefixes[-1:] == [common]:
                continue
            if len(found.objects) + len(found.prefixes) >= wanted.limit:
                found.has_next = True
                return
            if common is None:
                found.objects.append(each)
            else:
                found.prefixes.append(common)
            found.last = Entry(common or each[0], is_folder=common is not None)
        if not page.has_next or found.last is None:
            return
        position = _beyond(found.last)


def _page(
    read: Read, call: S3Call, wanted: WantedKeys, position: str | None, limit: int, *, delimited: bool
) -> FilledPage:
    level = Level(
        read, call.asker, call.bucket, wanted.prefix, "asc", folded=False, delimited=delimited, position=position
    )
    page = FilledPage(limit)
    page.fill(level, _PAGE)
    return page


def _objects(page: FilledPage) -> list[list[Any]]:
    return [each for some in page.objects for each in json.loads(b"[" + some + b"]")]


def _position(wanted: WantedKeys) -> str | None:
    """Where the walk begins; None for the first key."""
    last = wanted.after
    # A position before the prefix would be one outside the range that is walked.
    return None if last is None or last.name < wanted.prefix else _beyond(last)


def _beyond(last: Entry) -> str:
    if last.is_folder:
        return successor(last.name) or last.name
    return after(last.name, "asc", is_folder=False)


def common_prefix(key: str, prefix: str, delimiter: str) -> str | None:
    """The key up to the first delimiter after the prefix; None without one."""
    if not delimiter or not key.startswith(prefix):
        return None
    end = key.find(delimiter, len(prefix))
    return None if end < 0 else key[: end + len(delimiter)]


def contents(found: Listed, wanted: WantedKeys, members: list[Element] | None = None) -> Iterator[Element]:
    """The elements of objects."""
    for key, modified, etag, size in found.objects:
        yield (
            "Contents",
            [
                ("Key", wanted.encode(key)),
                ("LastModified", modified),
                ("ETag", etag),
                ("Size", size),
                ("StorageClass", "STANDARD"),
                ("Owner", members),
            ],
        )


def common_prefixes(found: Listed, wanted: WantedKeys) -> Iterator[Element]:
    """The elements of common prefixes."""
    for each in found.prefixes:
        yield ("CommonPrefixes", [("Prefix", wanted.encode(each))])


def encode_token(last: Entry) -> str:
    """The continuation token of the page that ends with this entry."""
    return base64.urlsafe_b64encode(f"{'f' if last.is_folder else 'o'}{last.name}".encode()).decode()


def decode_token(token: str) -> Entry:
    """The entry in a token that ``encode_token`` made. Raises S3Error."""
    try:
        text = base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    if text[:1] not in ("f", "o") or "\0" in text:
        raise invalid_argument("The continuation token provided is incorrect")
    return Entry(text[1:], is_folder=text[0] == "f")
