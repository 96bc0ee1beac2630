"""Buckets: all under the caller's role, so that a stranger learns nothing of them."""

from __future__ import annotations

from typing import Any

from app.database import Row, StatementError
from app.storage.access import check_service_role, own_context, service_context
from app.storage.bucket_rules import check_mime_types, read_size_limit
from app.storage.errors import (
    StorageError,
    already_exists,
    invalid_request,
    no_such_bucket,
)
from app.storage.names import check_bucket_name
from app.storage.records import Answer, Call, json_answer
from app.storage.rest.failures import as_storage_error, refused
from app.storage.rest.json_bodies import Member, read_json_object
from app.storage.rows import boolean, json_value, known, owner_of, read_metadata, text
from app.storage.sql import COUNT_OBJECTS, CREATE_BUCKET, DELETE_BUCKET, EMPTY_BUCKET, GET_BUCKET, UPDATE_BUCKET
from app.storage.storage import Storage
from app.storage.upkeep.events import REMOVED, ObjectEvent

_LARGEST_TO_EMPTY = 200_000

_PUBLIC = Member("public", "boolean")
_FILE_SIZE_LIMIT = Member("file_size_limit", "any", nullable=True)
_MIME_TYPES = Member("allowed_mime_types", "strings", nullable=True)
_CREATE = (
    Member("name", "string", required=True),
    Member("id", "string"),
    _PUBLIC,
    _FILE_SIZE_LIMIT,
    _MIME_TYPES,
    Member("type", "string", among=("STANDARD", "ANALYTICS")),
)
_UPDATE = (_PUBLIC, _FILE_SIZE_LIMIT, _MIME_TYPES)


def create_bucket(storage: Storage, call: Call) -> Answer:
    """POST /bucket"""
    given = read_json_object(call, _CREATE)
    name = check_bucket_name(given["name"])
    identifier = check_bucket_name(given.get("id") or name)
    if given.get("type", "STANDARD") != "STANDARD":
        raise StorageError("FeatureNotEnabled", 400, "Buckets of the type ANALYTICS are not offered")
    limit, types = _limits(storage, given)
    owner, owner_id = owner_of(call.caller)
    parameters = (
        text(identifier),
        text(name),
        boolean(given.get("public", False)),
        None if limit is None else str(limit).encode(),
        json_value(types),
        owner,
        owner_id,
    )
    try:
        storage.database.run(own_context(storage.contexts, call), [(CREATE_BUCKET, parameters)], read_only=False)
    except StatementError as error:
        if error.diagnosis.sqlstate == "23505":
            raise already_exists("Bucket") from None
        raise refused(error, role=call.caller.role, action="INSERT", table="buckets") from None
    return json_answer({"name": name})


def get_bucket(storage: Storage, call: Call) -> Answer:
    """GET /bucket/{id}"""
    rows = storage.database.run(
        own_context(storage.contexts, call), [(GET_BUCKET, (text(call.bucket),))], read_only=True
    )[0]
    if not rows:
        raise no_such_bucket()
    return Answer(body=known(rows[0][0]))


def update_bucket(storage: Storage, call: Call) -> Answer:
    """PUT /bucket/{id}: null clears a limit, what is absent stays."""
    given = read_json_object(call, _UPDATE)
    if not given:
        raise invalid_request("body must match a schema in anyOf")
    limit, types = _limits(storage, given)
    parameters = (
        text(call.bucket),
        *(boolean(name in given) for name in ("public", "file_size_limit", "allowed_mime_types")),
        boolean(given.get("public", False)),
        None if limit is None else str(limit).encode(),
        json_value(types),
    )
    try:
        rows = storage.database.run(own_context(storage.contexts, call), [(UPDATE_BUCKET, parameters)], read_only=False)
    except StatementError as error:
        raise refused(error, role=call.caller.role, action="UPDATE", table="buckets") from None
    if not rows[0]:
        raise no_such_bucket()
    return json_answer({"message": "Successfully updated"})


def delete_bucket(storage: Storage, call: Call) -> Answer:
    """DELETE /bucket/{id}: the delete itself is the test of permission, and the foreign key the test of emptiness.

    So who may not delete the bucket does not learn whether it has objects, nor whether there is one.
    """
    read_json_object(call, (), optional=True)
    try:
        rows = storage.database.run(
            own_context(storage.contexts, call), [(DELETE_BUCKET, (text(call.bucket),))], read_only=False
        )
    except StatementError as error:
        if error.diagnosis.sqlstate == "23503":
            raise _not_empty(error) from None
        raise as_storage_error(error) from None
    if not rows[0]:
        raise no_such_bucket()
    return json_answer({"message": "Successfully deleted"})


def empty_bucket(storage: Storage, call: Call) -> Answer:
    """POST /bucket/{id}/empty: all objects that were there at the call; for the service role only."""
    check_service_role(call)
    read_json_object(call, (), optional=True)
    context = service_context(storage.contexts, call)
    bound = str(_LARGEST_TO_EMPTY + 1).encode()
    rows = storage.database.run(context, [(COUNT_OBJECTS, (text(call.bucket), bound))], read_only=True)[0]
    if not rows:
        raise no_such_bucket()
    _, count, now = rows[0]
    if int(known(count)) > _LARGEST_TO_EMPTY:
        raise StorageError("InvalidRequest", 409, "Unable to empty the bucket because it contains too many objects")

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [removed(call.bucket, row) for row in results[0]]

    while storage.change(call, context, [(EMPTY_BUCKET, (text(call.bucket), now))], events)[0]:
        pass
    storage.wake.set()
    return json_answer({"message": "Empty bucket has been queued. Completion may take up to an hour."})


def removed(bucket: str, row: Row) -> ObjectEvent:
    """The event for a deleted row of name, version and metadata."""
    version = row[1]
    return ObjectEvent(
        REMOVED, bucket, known(row[0]).decode(), None if version is None else version.decode(), read_metadata(row[2])
    )


def _limits(storage: Storage, given: dict[str, Any]) -> tuple[int | None, list[str] | None]:
    types = given.get("allowed_mime_types")
    limit = read_size_limit(given.get("file_size_limit"), largest=storage.limits.upload)
    return limit, None if types is None else check_mime_types(types)


def _not_empty(error: StatementError) -> StorageError:
    if error.diagnosis.table in ("", "objects"):
        return StorageError("ResourceNotEmpty", 409, "The bucket you tried to delete is not empty")
    return StorageError("ResourceReferenced", 409, "The bucket is referenced by other rows")
