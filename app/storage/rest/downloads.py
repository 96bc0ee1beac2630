"""Reading objects: who may see which, the headers of an answer, and its bytes."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from app.database import Statement
from app.storage.access import service_context
from app.storage.bytes.backend import BlobMissing, Chunks
from app.storage.bytes.blobs import blob_key
from app.storage.errors import (
    invalid_range,
    missing_blob,
    no_such_bucket,
    no_such_object,
    precondition_failed,
    slow_down,
)
from app.storage.http.kept_headers import DISPOSITION, ENCODING, ROBOTS, kept_header
from app.storage.http.preconditions import judge, range_applies
from app.storage.http.ranges import is_of_other_unit, read_range
from app.storage.names import check_key
from app.storage.records import Answer, Call, Headers, StoredObject
from app.storage.rows import Parameter, boolean, read_bucket, read_object, text
from app.storage.sql import BUCKET_THEN_ROLE, FIND_OBJECT, OBJECT_INFO
from app.storage.storage import Storage
from app.storage.times import http_date, read_http_date

_log = logging.getLogger("portico.storage")

_MODIFIED_IN_METADATA = "lastModified"
_HTML = re.compile("text/html", re.IGNORECASE)
# Browsers do not show it in a sandbox, and let it do nothing to the origin it is from.
_SHOWN_BY_THE_BROWSER_ITSELF = "application/pdf"


@dataclass(frozen=True, slots=True)
class Reading:
    """``as_service``: the object is looked up whoever asks (a public or a signed URL). ``public_only``: the bucket must
    be public. ``expires``: when a signed URL ends, in seconds since 1970."""

    as_service: bool = False
    public_only: bool = False
    expires: int | None = None


def get_authenticated(storage: Storage, call: Call) -> Answer:
    """GET /object/authenticated/{bucket}/{key}"""
    return serve(storage, call, Reading())


def get_object(storage: Storage, call: Call) -> Answer:
    """GET /object/{bucket}/{key}: as authenticated; without a valid token only from public buckets."""
    return serve(storage, call, Reading(public_only=not call.identified))


def get_public(storage: Storage, call: Call) -> Answer:
    """GET /object/public/{bucket}/{key}"""
    return serve(storage, call, Reading(as_service=True, public_only=True))


def info_authenticated(storage: Storage, call: Call) -> Answer:
    """GET /object/info/authenticated/{bucket}/{key}"""
    return info(storage, call, Reading())


def info_object(storage: Storage, call: Call) -> Answer:
    """GET /object/info/{bucket}/{key}"""
    return info(storage, call, Reading(public_only=not call.identified))


def info_public(storage: Storage, call: Call) -> Answer:
    """GET /object/info/public/{bucket}/{key}"""
    return info(storage, call, Reading(as_service=True, public_only=True))


def serve(storage: Storage, call: Call, reading: Reading) -> Answer:
    """The object's bytes, or for HEAD its headers only, which need no bytes."""
    missing = None
    while True:
        found, _ = find(storage, call, reading, FIND_OBJECT)
        if found.version == missing:
            _log.error("the bytes of object %s, version %s, are missing", found.id, found.version)
            raise missing_blob()
        answer = _answer(storage, call, reading, found)
        if answer is not None:
            return answer
        # The object may have been replaced, and the old bytes be gone, since the row was read: then it is newer now.
        missing = found.version


def find(
    storage: Storage, call: Call, reading: Reading, statement: Statement
) -> tuple[StoredObject, tuple[Parameter, ...]]:
    """The object's row by a statement on bucket and key. One round trip, in which the bucket decides on the role.

    Raises NoSuchBucket or NoSuchKey; a bucket that is not public is not there for a stranger.
    """
    check_key(call.key, any_script=storage.limits.any_script)
    role = b"service_role" if reading.as_service else call.caller.role.encode()
    bucket_rows, rows = storage.database.run(
        service_context(storage.contexts, call),
        [
            (BUCKET_THEN_ROLE, (text(call.bucket), role, boolean(True))),
            (statement, (text(call.bucket), text(call.key))),
        ],
        read_only=True,
    )
    bucket = read_bucket(bucket_rows[0])
    if bucket is None or (reading.public_only and not bucket.public):
        raise no_such_bucket()
    if not rows:
        raise no_such_object()
    return read_object(rows[0]), rows[0]


def info(storage: Storage, call: Call, reading: Reading) -> Answer:
    """What is known of an object, as JSON; for HEAD the same headers and the object's length."""
    found, row = find(storage, call, reading, OBJECT_INFO)
    headers: Headers = (
        *((("etag", found.etag),) if found.etag else ()),
        ("last-modified", http_date(modified(found))),
        ("cache-control", found.cache_control),
    )
    if call.method == "HEAD":
        return Answer(headers=headers, length=found.size or 0, content_type=found.content_type)
    return Answer(headers=headers, body=row[4] or b"")


def modified(found: StoredObject) -> int:
    """The second in which the bytes were written, for Last-Modified; the row also changes when it is moved."""
    value = found.metadata.get(_MODIFIED_IN_METADATA)
    if isinstance(value, str):
        seconds = _from_iso(value)
        if seconds is not None:
            return seconds
    return int(found.updated_at)


def _from_iso(value: str) -> int | None:
    try:
        return int(datetime.fromisoformat(value).timestamp())
    except ValueError:
        return read_http_date(value)


def _answer(storage: Storage, call: Call, reading: Reading, found: StoredObject) -> Answer | None:
    """The answer, or None when the bytes are gone."""
    second = modified(found)
    verdict = judge(call.headers, etag=found.etag, modified=second)
    if verdict == "failed":
        raise precondition_failed()
    if verdict == "not modified":
        return Answer(304, _headers(call, reading, found, second), content_type=None)
    headers = _headers(call, reading, found, second, differs="if-none-match" in call.headers)
    content_type = _harmless(found.content_type)
    range_value = call.header("range")
    wanted = (
        range_value is not None
        and not is_of_other_unit(range_value)
        and range_applies(call.headers, etag=found.etag, modified=second)
    )
    if call.method == "HEAD":
        return Answer(200, headers, content_type=content_type, length=found.size or 0)
    start, end, status, size = 0, None, 200, found.size
    if wanted and range_value is not None:
        if size is None:
            size = storage.backend.stat(blob_key(found.version)) or 0
        if size == 0:
            raise invalid_range(0)
        start, end = read_range(range_value, size)
        status, headers = 206, (*headers, ("content-range", f"bytes {start}-{end - 1}/{size}"))
    storage.note_access(found.id)
    try:
        body, length = _open(storage, found.version, start, end)
    except BlobMissing:
        return None
    return Answer(status, headers, body, content_type, length)


def _open(storage: Storage, version: str, start: int, end: int | None) -> tuple[Any, int]:
    """A file, which leaves without a thread; or a stream from afar, which holds one as long as its client likes."""
    readable = storage.backend.open_read(blob_key(version), start, end)
    if readable.chunks is None:
        return readable.stream, readable.length
    if not storage.streams.acquire(blocking=False):
        readable.close()
        raise slow_down("Too many downloads are running")
    return _RemoteStream(readable.chunks, storage), readable.length


class _RemoteStream:
    """Chunks from afar, and the place among the streams that they take until they are closed."""

    def __init__(self, chunks: Chunks, storage: Storage) -> None:
        self._chunks = chunks
        self._storage = storage
        self._open = True

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._chunks)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._storage.streams.release()
            self._chunks.close()


def _headers(call: Call, reading: Reading, found: StoredObject, second: int, *, differs: bool = False) -> Headers:
    """``differs``: the client has another version and asked whether it is still the newest."""
    headers = [
        ("accept-ranges", "bytes"),
        *((("etag", found.etag),) if found.etag else ()),
        ("last-modified", http_date(second)),
        ("x-robots-tag", kept_header(found.metadata, ROBOTS) or "none"),
    ]
    if reading.expires is not None:
        headers.append(("expires", http_date(reading.expires)))
    else:
        cache_control = found.cache_control
        if differs:
            more = "must-revalidate" if call.method == "HEAD" else "stale-while-revalidate=30"
            cache_control = f"{cache_control}, {more}"
        headers.append(("cache-control", cache_control))
    if not found.content_type.lower().startswith(_SHOWN_BY_THE_BROWSER_ITSELF):
        headers.append(("content-security-policy", "sandbox"))
    encoding = kept_header(found.metadata, ENCODING)
    if encoding:
        headers.append(("content-encoding", encoding))
    download = call.query.get("download")
    disposition = kept_header(found.metadata, DISPOSITION) if download is None else content_disposition(download)
    if disposition:
        headers.append(("content-disposition", disposition))
    return tuple(headers)


def content_disposition(name: str) -> str:
    """RFC 6266, with the name in both forms; without a name the client takes the one in the URL."""
    if not name:
        return "attachment;"
    encoded = quote(name, safe="!~*'()")
    return f"attachment; filename={encoded}; filename*=UTF-8''{encoded}"


def _harmless(content_type: str) -> str:
    """Pages are not shown as such: they would run scripts with the rights of whoever looks at them. In other kinds of
    documents, such as SVG, scripts do not run because of the content security policy."""
    return _HTML.sub("text/plain", content_type)
