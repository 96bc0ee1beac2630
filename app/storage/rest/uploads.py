"""Writing an object: permission, bytes under a fresh version, and the commit that makes the row name them.

A crash before the commit leaves the old object whole and at worst bytes that no row names; there is no state between.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.database import Row, StatementError
from app.errors import PorticoError
from app.storage.access import service_context
from app.storage.bucket_rules import check_mime_type, size_limit
from app.storage.bytes.backend import ByteSource, Stored
from app.storage.bytes.blobs import blob_key, discard, new_version
from app.storage.checks import UploadedObject
from app.storage.errors import (
    StorageError,
    already_exists,
    no_such_bucket,
    precondition_failed,
    related_missing,
    too_large,
)
from app.storage.http.kept_headers import headers_to_keep
from app.storage.http.preconditions import read_entity_tags
from app.storage.http.upload_body import UploadBody, read_upload
from app.storage.names import check_key
from app.storage.permissions import Trial, find_bucket, try_write
from app.storage.records import Answer, Bucket, Call, json_answer
from app.storage.rest.failures import as_storage_error
from app.storage.rows import Parameter, json_value, known, owner_columns, text
from app.storage.sql import COMMIT_ANY, COMMIT_MATCHING, COMMIT_NEW, OBJECT_EXISTS
from app.storage.storage import Storage
from app.storage.times import now_as_json
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT, ObjectEvent

_log = logging.getLogger("portico.storage")


@dataclass(frozen=True, slots=True)
class Write:
    """What is to be committed. ``etags`` is the condition of If-Match: None without one, ``()`` for any version."""

    bucket: str
    key: str
    upsert: bool
    owner: object
    user_metadata: Mapping[str, Any]
    event: str
    etags: tuple[str, ...] | None = None
    must_be_new: bool = False


def create_object(storage: Storage, call: Call) -> Answer:
    """POST /object/{bucket}/{key}: a new object; with ``x-upsert: true`` it may replace one."""
    return upload(storage, call, upsert=call.header("x-upsert") == "true", event=CREATED_POST)


def put_object(storage: Storage, call: Call) -> Answer:
    """PUT /object/{bucket}/{key}: an object, new or replaced."""
    return upload(storage, call, upsert=True, event=CREATED_PUT)


def upload(storage: Storage, call: Call, *, upsert: bool, event: str) -> Answer:
    body = read_upload(call)
    kept = headers_to_keep(call)
    etags, must_be_new = write_conditions(call)
    write = Write(
        bucket=call.bucket,
        key=call.key,
        upsert=upsert and not must_be_new,
        owner=call.caller.claims.get("sub"),
        user_metadata=body.user_metadata or {},
        event=event,
        etags=etags,
        must_be_new=must_be_new,
    )
    bucket = _permitted(storage, call, write, body)
    row = store(storage, call, write, body, limit=size_limit(bucket, call.key, storage.limits.upload), kept=kept)
    return json_answer({"Key": f"{call.bucket}/{call.key}", "Id": known(row[0]).decode()})


def write_conditions(call: Call) -> tuple[tuple[str, ...] | None, bool]:
    """If-Match as tags (``()`` is any version), and whether If-None-Match wants that there is no object."""
    none_match = call.header("if-none-match")
    must_be_new = none_match is not None and read_entity_tags(none_match).anything
    match = call.header("if-match")
    if match is None:
        return None, must_be_new
    tags = read_entity_tags(match)
    return (() if tags.anything else tags.strong or ("",)), must_be_new


def _permitted(storage: Storage, call: Call, write: Write, body: UploadBody) -> Bucket:
    """The bucket, after all checks that need none of the bytes; the first that fails is told.

    Nearly always all is well, so everything is asked at once, and looked at in the order that clients rely on.
    """
    trial = Trial(
        bucket=write.bucket,
        key=write.key,
        # The condition is judged at the commit; for the permission it is the write that counts.
        upsert=write.upsert or write.etags is not None,
        metadata={"mimetype": body.mime_type, "contentLength": body.declared},
        user_metadata=body.user_metadata,
    )
    try:
        check_key(write.key, any_script=storage.limits.any_script)
        bucket = try_write(storage, call, trial)
    except StorageError as error:
        known_bucket = find_bucket(storage, call, write.bucket)
        if known_bucket is None:
            raise no_such_bucket() from None
        check_content(storage, known_bucket, write.key, body)
        if write.must_be_new and error.code == "KeyAlreadyExists":
            raise precondition_failed() from None
        raise
    check_content(storage, bucket, write.key, body)
    return bucket


def check_content(storage: Storage, bucket: Bucket, key: str, body: UploadBody) -> None:
    """Size, as far as it is known, and type."""
    if body.size is not None and body.size > size_limit(bucket, key, storage.limits.upload):
        raise too_large()
    check_mime_type(body.mime_type, bucket, key)


def store(storage: Storage, call: Call, write: Write, body: UploadBody, *, limit: int, kept: Mapping[str, str]) -> Row:
    """Write the bytes and commit the row; its id, whether it is new, and its record as JSON."""
    version = new_version()
    try:
        stored = storage.backend.put(
            blob_key(version), _Limited(body.stream, limit), size=body.size, content_type=body.mime_type
        )
        metadata = {**file_metadata(stored, body), **kept}
        for check in storage.checks:
            check(_uploaded(storage, write, version, metadata))
    except BaseException:
        # Whatever it is: a check is somebody else's code.
        discard(storage.backend, version)
        raise
    return commit(storage, call, write, version, metadata)


def _uploaded(storage: Storage, write: Write, version: str, metadata: Mapping[str, Any]) -> UploadedObject:
    return UploadedObject(
        write.bucket, write.key, metadata, write.user_metadata, lambda: storage.backend.open_read(blob_key(version))
    )


def file_metadata(stored: Stored, body: UploadBody) -> dict[str, Any]:
    return {
        "eTag": f'"{stored.md5}"',
        "size": stored.size,
        "mimetype": body.mime_type,
        "cacheControl": body.cache_control,
        "lastModified": now_as_json(),
        "contentLength": stored.size,
        "httpStatusCode": 200,
    }


def commit(storage: Storage, call: Call, write: Write, version: str, metadata: Mapping[str, Any]) -> Row:
    """Make the row name ``version``, whose bytes are deleted when that is refused; the row as ``store`` gives it.

    Whether the object may be there already is decided here, once and for all. Raises KeyAlreadyExists,
    PreconditionFailed, or that the bucket is gone.
    """
    try:
        return _commit(storage, call, write, version, metadata)
    except PorticoError as error:
        # Unless it is unknown whether the row was committed: then it may name these bytes.
        if error.code != "OUTCOME_UNKNOWN":
            discard(storage.backend, version)
        raise


def _commit(storage: Storage, call: Call, write: Write, version: str, metadata: Mapping[str, Any]) -> Row:
    parameters: list[Parameter] = [
        text(write.bucket),
        text(write.key),
        *owner_columns(write.owner),
        text(version),
        json_value(metadata),
        json_value(write.user_metadata),
    ]
    if write.etags is not None:
        statement = COMMIT_MATCHING
        parameters.append(json_value(write.etags or None))
    else:
        statement = COMMIT_ANY if write.upsert else COMMIT_NEW

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [ObjectEvent(write.event, write.bucket, write.key, version, metadata) for _ in results[0]]

    try:
        rows = storage.change(call, service_context(storage.contexts, call), [(statement, parameters)], events)[0]
    except StatementError as error:
        if error.diagnosis.sqlstate == "23503":
            raise related_missing() from None
        raise as_storage_error(error) from None
    if not rows:
        raise precondition_failed() if write.etags is not None or write.must_be_new else already_exists("Key")
    storage.wake.set()
    return rows[0]


def object_exists(storage: Storage, call: Call, bucket: str, key: str) -> bool:
    rows = storage.database.run(
        service_context(storage.contexts, call), [(OBJECT_EXISTS, (text(bucket), text(key)))], read_only=True
    )
    return bool(rows[0])


@dataclass(slots=True)
class _Limited:
    """A source that raises EntityTooLarge when it gives more than ``limit`` bytes, whatever was declared."""

    source: ByteSource
    limit: int
    given: int = field(default=0)

    def read(self, size: int = -1, /) -> bytes:
        chunk = self.source.read(size)
        self.given += len(chunk)
        if self.given > self.limit:
            raise too_large()
        return chunk
