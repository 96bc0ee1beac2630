"""Operations on buckets. They run as the caller's role, so policies decide what a caller learns; exceptions say so.

Callers pass names that ``check_bucket_name`` has accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.database import BoundStatement, StatementError
from app.database.wire.sqlstates import CHECK_VIOLATION, FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION
from app.storage.bucket_configurations import CAN_BE_SUSPENDED, SET_VERSIONING, VersioningStatus
from app.storage.error_translation import refused, translate
from app.storage.errors import (
    BucketExists,
    BucketNotEmpty,
    BucketReferenced,
    InvalidValue,
    NoSuchBucket,
    StorageError,
    TooManyObjects,
)
from app.storage.records import Bucket
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, boolean, json_value, known, number, owner_columns, read_bucket, text
from app.storage.sql import (
    BUCKET,
    COUNT_OBJECTS,
    CREATE_BUCKET,
    CREATE_VERSIONED_BUCKET,
    DELETE_BUCKET,
    EMPTY_BUCKET,
    UPDATE_BUCKET,
    Projection,
    get_bucket,
    list_buckets,
)
from app.storage.sql_versions import EMPTY_VERSIONS
from app.storage.storage import Storage
from app.storage.versions import check_installed, removals, version_removals, with_marker

_LARGEST_TO_EMPTY = 200_000


@dataclass(frozen=True, slots=True)
class BucketSettings:
    """The settings of a bucket. ``given`` names those that the request contains: an update changes no others.
    ``versioning``: None leaves the status as it is."""

    public: bool = False
    file_size_limit: int | None = None
    allowed_mime_types: Sequence[str] | None = None
    given: frozenset[str] = frozenset()
    versioning: VersioningStatus | None = None


def find_bucket(storage: Storage, request: RequestContext, name: str) -> Bucket | None:
    """The bucket, regardless of the caller's rights; None when there is none."""
    rows = storage.database.run(request.service_context(), [(BUCKET, (text(name),))], read_only=True)
    return read_bucket(rows[0][0]) if rows[0] else None


def create(storage: Storage, request: RequestContext, identifier: str, name: str, settings: BucketSettings) -> None:
    """Create a bucket with the caller as its owner. Raises BucketExists or NotPermitted."""
    parameters: tuple[RawValue, ...] = (
        text(identifier),
        text(name),
        boolean(settings.public),
        number(settings.file_size_limit),
        json_value(settings.allowed_mime_types),
        *owner_columns(request.subject),
    )
    statement, versioning = CREATE_BUCKET, settings.versioning
    if versioning is not None and versioning != "DISABLED":
        check_installed(storage)
        statement, parameters = CREATE_VERSIONED_BUCKET, (*parameters, text(versioning))
    try:
        storage.database.run(request.own_context(), [(statement, parameters)], read_only=False)
    except StatementError as ex:
        if ex.state == UNIQUE_VIOLATION:
            raise BucketExists from None
        raise refused(ex, role=request.role, action="INSERT", table="buckets") from None


def get(storage: Storage, request: RequestContext, bucket: str, projection: Projection) -> bytes:
    """The ``projection`` of a bucket that is visible to the caller. Raises NoSuchBucket."""
    rows = storage.database.run(request.own_context(), [(get_bucket(projection), (text(bucket),))], read_only=True)[0]
    if not rows:
        raise NoSuchBucket
    return known(rows[0][0])


def get_all(
    storage: Storage,
    request: RequestContext,
    projection: Projection,
    *,
    search: str | None = None,
    column: str | None = None,
    direction: str = "asc",
    limit: int | None = None,
    offset: int = 0,
) -> bytes:
    """The ``projection`` (an aggregate) of the visible buckets whose names contain ``search``.

    ``column`` is the column of ``storage.buckets`` that they are ordered by.
    """
    statement = list_buckets(projection, column, direction)
    parameters = (text(search or None), number(limit), number(offset))
    return known(storage.database.run(request.own_context(), [(statement, parameters)], read_only=True)[0][0][0])


def update(storage: Storage, request: RequestContext, bucket: str, settings: BucketSettings) -> None:
    """Change the settings in ``given``. Raises NoSuchBucket or NotPermitted, and what ``set_versioning`` raises, after
    which nothing has changed."""
    parameters = (
        text(bucket),
        *(boolean(name in settings.given) for name in ("public", "file_size_limit", "allowed_mime_types")),
        boolean(settings.public),
        number(settings.file_size_limit),
        json_value(settings.allowed_mime_types),
    )
    calls: list[BoundStatement] = [(UPDATE_BUCKET, parameters)]
    if settings.versioning is not None and (settings.versioning != "DISABLED" or storage.features.has_versions):
        check_installed(storage)
        calls.append((SET_VERSIONING, (text(bucket), text(settings.versioning))))
    try:
        rows = storage.database.run(request.own_context(), calls, read_only=False)
    except StatementError as ex:
        if ex.diagnosis.sqlstate == CHECK_VIOLATION and len(calls) > 1:
            raise InvalidValue("versioning_status", hint=CAN_BE_SUSPENDED) from None
        raise refused(ex, role=request.role, action="UPDATE", table="buckets") from None
    if not rows[0]:
        raise NoSuchBucket


def delete(storage: Storage, request: RequestContext, bucket: str) -> None:
    """Delete an empty bucket. Raises NoSuchBucket, BucketNotEmpty or BucketReferenced.

    Policies decide whether the caller may delete the bucket, and the foreign key from objects decides whether it is
    empty. So a caller without permission does not learn whether the bucket exists or has objects.
    """
    try:
        rows = storage.database.run(request.own_context(), [(DELETE_BUCKET, (text(bucket),))], read_only=False)
    except StatementError as ex:
        if ex.state == FOREIGN_KEY_VIOLATION:
            raise _not_empty(ex) from None
        raise translate(ex) from None
    if not rows[0]:
        raise NoSuchBucket


def empty(storage: Storage, request: RequestContext, bucket: str) -> None:
    """Delete all objects that exist at the time of the call, as service_role.

    Raises ServiceRoleOnly, NoSuchBucket or TooManyObjects.
    """
    request.check_service_role()
    context = request.service_context()
    counted = (text(bucket), number(_LARGEST_TO_EMPTY + 1))
    rows = storage.database.run(context, [(COUNT_OBJECTS, counted)], read_only=True)[0]
    if not rows:
        raise NoSuchBucket
    _, count, now = rows[0]
    if int(known(count)) > _LARGEST_TO_EMPTY:
        raise TooManyObjects

    emptying = with_marker(storage, (EMPTY_BUCKET, (text(bucket), now)))
    while storage.change(request, context, emptying, removals(bucket))[0]:
        pass
    if storage.features.has_versions:
        # With the markers that the loop above has made.
        versions: BoundStatement = (EMPTY_VERSIONS, (text(bucket),))
        while rows := storage.change(request, context, [versions], version_removals(bucket))[0]:
            storage.version_counts.add("deleted", sum(row[4] != b"t" for row in rows))
    storage.note_freed()


def _not_empty(ex: StatementError) -> StorageError:
    return BucketNotEmpty() if ex.diagnosis.table in ("", "objects", "versions") else BucketReferenced()
