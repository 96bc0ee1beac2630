"""Deleting, copying and moving objects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from app.database import Row, StatementError
from app.storage.access import own_context
from app.storage.bucket_rules import check_mime_type, size_limit
from app.storage.bytes.backend import BlobMissing
from app.storage.bytes.blobs import blob_key, new_version
from app.storage.errors import (
    StorageError,
    already_exists,
    invalid_request,
    missing_blob,
    no_such_object,
    precondition_failed,
    related_missing,
    too_large,
)
from app.storage.http.upload_body import check_content_type, header_metadata
from app.storage.names import check_bucket_name, check_key
from app.storage.permissions import Trial, find_bucket, try_write
from app.storage.records import Answer, Bucket, Call, StoredObject, json_answer
from app.storage.rest.buckets import removed
from app.storage.rest.failures import nothing_affected, refused, row_level_security
from app.storage.rest.json_bodies import Member, read_json_object, refuse_empty_json
from app.storage.rest.uploads import Write, commit, object_exists, write_conditions
from app.storage.rows import json_value, known, owner_of, read_metadata, read_object, text
from app.storage.sql import DELETE_OBJECT, DELETE_OBJECTS, FIND_SOURCE, MOVE_OBJECT, OBJECT_EXISTS
from app.storage.storage import Storage
from app.storage.times import now_as_json
from app.storage.upkeep.events import CREATED_COPY, CREATED_MOVE, REMOVED_BY_MOVE, ObjectEvent

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PREFIXES = (Member("prefixes", "strings", required=True, least=1, most=1000),)
_KEYS = (
    Member("bucketId", "string", required=True),
    Member("sourceKey", "string", required=True),
    Member("destinationKey", "string", required=True),
    Member("destinationBucket", "string"),
)
_COPY = (
    *_KEYS,
    Member("metadata", "object", members=(Member("cacheControl", "string"), Member("mimetype", "string"))),
    Member("copyMetadata", "boolean", default=True),
)


def delete_object(storage: Storage, call: Call) -> Answer:
    """DELETE /object/{bucket}/{key}"""
    refuse_empty_json(call)
    check_key(call.key, any_script=storage.limits.any_script)
    etags, _ = write_conditions(call)
    parameters = (text(call.bucket), text(call.key), json_value(etags or None))
    rows = storage.change(
        call,
        own_context(storage.contexts, call),
        [(DELETE_OBJECT, parameters)],
        lambda results: [removed(call.bucket, row) for row in results[0]],
    )[0]
    if not rows:
        if not object_exists(storage, call, call.bucket, call.key):
            raise no_such_object()
        if etags and _is_visible(storage, call):
            raise precondition_failed()
        raise nothing_affected(role=call.caller.role, action="DELETE", table="objects")
    storage.wake.set()
    return json_answer({"message": "Successfully deleted"})


def _is_visible(storage: Storage, call: Call) -> bool:
    rows = storage.database.run(
        own_context(storage.contexts, call), [(OBJECT_EXISTS, (text(call.bucket), text(call.key)))], read_only=True
    )
    return bool(rows[0])


def delete_objects(storage: Storage, call: Call) -> Answer:
    """DELETE /object/{bucket}: the keys in ``prefixes``; what is not there or not the caller's is left out."""
    keys: list[str] = read_json_object(call, _PREFIXES)["prefixes"]
    wanted = [key for key in dict.fromkeys(keys) if "\0" not in key]
    context = own_context(storage.contexts, call)
    records: list[bytes] = []
    for start in range(0, len(wanted), 500):
        rows = storage.change(
            call,
            context,
            [(DELETE_OBJECTS, (text(call.bucket), json_value(wanted[start : start + 500])))],
            lambda results: [removed(call.bucket, row) for row in results[0]],
        )[0]
        records += [known(row[3]) for row in rows]
    storage.wake.set()
    return Answer(body=b"[" + b",".join(records) + b"]")


def copy_object(storage: Storage, call: Call) -> Answer:
    """POST /object/copy"""
    given = read_json_object(call, _COPY)
    bucket, source_key, target_bucket, target_key = _keys(storage, given)
    for attempt in (1, 2):
        source, user_metadata = _source(storage, call, bucket, source_key)
        metadata = {**source.metadata, "lastModified": now_as_json()}
        if not given["copyMetadata"]:
            metadata.update(_changed(given.get("metadata") or {}))
            user_metadata = header_metadata(call) or {}
        upsert = call.header("x-upsert") == "true"
        if attempt == 1:
            target = try_write(storage, call, Trial(target_bucket, target_key, upsert, metadata, user_metadata))
            _check_rules(storage, target, target_key, metadata)
        version = new_version()
        try:
            storage.backend.copy(blob_key(source.version), blob_key(version))
            break
        except BlobMissing:
            # Replaced and gone since the row was read: then the row is newer now.
            if attempt == 2:
                raise missing_blob() from None
    write = Write(
        bucket=target_bucket,
        key=target_key,
        upsert=upsert,
        owner=call.caller.claims.get("sub"),
        user_metadata=user_metadata,
        event=CREATED_COPY,
    )
    row = commit(storage, call, write, version, metadata)
    record: dict[str, Any] = json.loads(known(row[2]))
    return json_answer({"Key": f"{target_bucket}/{target_key}", "Id": record["id"], **record})


def _changed(given: Mapping[str, str]) -> dict[str, str]:
    """The file metadata that a copy gets instead of its source's; they will be headers of answers."""
    if _CONTROL.search(given.get("cacheControl", "")):
        raise invalid_request("body/metadata/cacheControl must not have control characters")
    check_content_type(given.get("mimetype", ""))
    return {name: value for name, value in given.items() if value}


def _check_rules(storage: Storage, bucket: Bucket, key: str, metadata: Mapping[str, Any]) -> None:
    """An object that comes from another place obeys the bucket as an upload does."""
    found = StoredObject(id="", version="", updated_at=0, metadata=metadata)
    if (found.size or 0) > size_limit(bucket, key, storage.limits.upload):
        raise too_large()
    check_mime_type(found.content_type, bucket, key)


def _source(storage: Storage, call: Call, bucket: str, key: str) -> tuple[StoredObject, Mapping[str, Any]]:
    rows = storage.database.run(
        own_context(storage.contexts, call), [(FIND_SOURCE, (text(bucket), text(key)))], read_only=True
    )[0]
    if not rows:
        raise no_such_object()
    return read_object(rows[0]), read_metadata(rows[0][4])


def move_object(storage: Storage, call: Call) -> Answer:
    """POST /object/move: the row gets another name; its bytes stay where they are.

    One statement under the caller's role moves whatever version is the newest at that moment, so a write that comes
    in between is either moved with it or makes a new object at the old place. Nothing is lost and nothing is copied.
    """
    given = read_json_object(call, _KEYS)
    bucket, source_key, target_bucket, target_key = _keys(storage, given)
    if (bucket, source_key) == (target_bucket, target_key):
        _source(storage, call, bucket, source_key)
        return json_answer({"message": "Successfully moved"})
    if target_bucket != bucket:
        source, _ = _source(storage, call, bucket, source_key)
        target = find_bucket(storage, call, target_bucket)
        if target is None:
            raise related_missing()
        _check_rules(storage, target, target_key, source.metadata)
    parameters = (text(bucket), text(source_key), text(target_bucket), text(target_key), *owner_of(call.caller))

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        found = []
        for _, version, metadata in results[0]:
            name = None if version is None else version.decode()
            old = {"bucketId": bucket, "name": source_key, "version": name}
            file_metadata = read_metadata(metadata)
            found.append(ObjectEvent(REMOVED_BY_MOVE, bucket, source_key, name, file_metadata))
            found.append(ObjectEvent(CREATED_MOVE, target_bucket, target_key, name, file_metadata, old))
        return found

    try:
        rows = storage.change(call, own_context(storage.contexts, call), [(MOVE_OBJECT, parameters)], events)[0]
    except StatementError as error:
        raise _not_moved(error, call) from None
    if not rows:
        _source(storage, call, bucket, source_key)
        raise row_level_security(role=call.caller.role, action="UPDATE", table="objects")
    return json_answer({"message": "Successfully moved"})


def _not_moved(error: StatementError, call: Call) -> StorageError:
    if error.diagnosis.sqlstate == "23505":
        return already_exists("Resource")
    if error.diagnosis.sqlstate == "23503":
        return related_missing()
    return refused(error, role=call.caller.role, action="UPDATE", table="objects")


def _keys(storage: Storage, given: dict[str, Any]) -> tuple[str, str, str, str]:
    bucket = check_bucket_name(given["bucketId"])
    target_bucket = check_bucket_name(given.get("destinationBucket") or bucket)
    any_script = storage.limits.any_script
    source = check_key(given["sourceKey"], any_script=any_script)
    return bucket, source, target_bucket, check_key(given["destinationKey"], any_script=any_script)
