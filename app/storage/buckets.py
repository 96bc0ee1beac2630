"""Buckets: all under the caller's role, so that a stranger learns nothing of them.

Their names have been checked by ``check_bucket_name``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.database import Row, StatementError
from app.storage.asker import Asker
from app.storage.errors import (
    BucketExists,
    BucketNotEmpty,
    BucketReferenced,
    NoSuchBucket,
    StorageError,
    TooManyObjects,
)
from app.storage.records import Bucket
from app.storage.rows import boolean, json_value, known, number, owner_columns, read_bucket, text
from app.storage.sql import (
    BUCKET,
    COUNT_OBJECTS,
    CREATE_BUCKET,
    DELETE_BUCKET,
    EMPTY_BUCKET,
    UPDATE_BUCKET,
    Projection,
    get_bucket,
    list_buckets,
)
from app.storage.storage import Storage
from app.storage.translation import refused, translate
from app.storage.upkeep.events import ObjectEvent, removed

_LARGEST_TO_EMPTY = 200_000


@dataclass(frozen=True, slots=True)
class BucketSettings:
    """What an owner may say of a bucket. ``given`` names those of the three that are: an update changes no others."""

    public: bool = False
    file_size_limit: int | None = None
    allowed_mime_types: Sequence[str] | None = None
    given: frozenset[str] = frozenset()


def find_bucket(storage: Storage, asker: Asker, name: str) -> Bucket | None:
    """The bucket, whoever asks."""
    rows = storage.database.run(asker.service_context(), [(BUCKET, (text(name),))], read_only=True)
    return read_bucket(rows[0][0]) if rows[0] else None


def create(storage: Storage, asker: Asker, identifier: str, name: str, settings: BucketSettings) -> None:
    """Raises BucketExists or NotPermitted."""
    parameters = (
        text(identifier),
        text(name),
        boolean(settings.public),
        number(settings.file_size_limit),
        json_value(settings.allowed_mime_types),
        *owner_columns(asker.subject),
    )
    try:
        storage.database.run(asker.own_context(), [(CREATE_BUCKET, parameters)], read_only=False)
    except StatementError as ex:
        if ex.diagnosis.sqlstate == "23505":
            raise BucketExists from None
        raise refused(ex, role=asker.role, action="INSERT", table="buckets") from None


def tell(storage: Storage, asker: Asker, bucket: str, told: Projection) -> bytes:
    """What is ``told`` of a bucket that the caller sees. Raises NoSuchBucket."""
    rows = storage.database.run(asker.own_context(), [(get_bucket(told), (text(bucket),))], read_only=True)[0]
    if not rows:
        raise NoSuchBucket
    return known(rows[0][0])


def tell_all(
    storage: Storage,
    asker: Asker,
    told: Projection,
    *,
    search: str | None = None,
    column: str | None = None,
    direction: str = "asc",
    limit: int | None = None,
    offset: int = 0,
) -> bytes:
    """What is ``told`` (an aggregate) of the buckets that the caller sees and whose names contain ``search``.

    ``column``, one of the table's, orders them.
    """
    statement = list_buckets(told, column, direction)
    parameters = (text(search.lower() if search else None), number(limit), number(offset))
    return known(storage.database.run(asker.own_context(), [(statement, parameters)], read_only=True)[0][0][0])


def update(storage: Storage, asker: Asker, bucket: str, settings: BucketSettings) -> None:
    """Change the settings that are given. Raises NoSuchBucket or NotPermitted."""
    parameters = (
        text(bucket),
        *(boolean(name in settings.given) for name in ("public", "file_size_limit", "allowed_mime_types")),
        boolean(settings.public),
        number(settings.file_size_limit),
        json_value(settings.allowed_mime_types),
    )
    try:
        rows = storage.database.run(asker.own_context(), [(UPDATE_BUCKET, parameters)], read_only=False)
    except StatementError as ex:
        raise refused(ex, role=asker.role, action="UPDATE", table="buckets") from None
    if not rows[0]:
        raise NoSuchBucket


def delete(storage: Storage, asker: Asker, bucket: str) -> None:
    """Delete an empty bucket: the delete itself tests the permission, and the foreign key the emptiness.

    So a caller without the permission does not learn whether the bucket has objects, nor whether it exists. Raises
    NoSuchBucket, BucketNotEmpty or BucketReferenced.
    """
    try:
        rows = storage.database.run(asker.own_context(), [(DELETE_BUCKET, (text(bucket),))], read_only=False)
    except StatementError as ex:
        if ex.diagnosis.sqlstate == "23503":
            raise _not_empty(ex) from None
        raise translate(ex) from None
    if not rows[0]:
        raise NoSuchBucket


def empty(storage: Storage, asker: Asker, bucket: str) -> None:
    """Delete all objects that are there at the call, with the service's rights.

    Raises ServiceRoleOnly, NoSuchBucket or TooManyObjects.
    """
    asker.check_service_role()
    context = asker.service_context()
    counted = (text(bucket), number(_LARGEST_TO_EMPTY + 1))
    rows = storage.database.run(context, [(COUNT_OBJECTS, counted)], read_only=True)[0]
    if not rows:
        raise NoSuchBucket
    _, count, now = rows[0]
    if int(known(count)) > _LARGEST_TO_EMPTY:
        raise TooManyObjects

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [removed(bucket, row) for row in results[0]]

    while storage.change(asker, context, [(EMPTY_BUCKET, (text(bucket), now))], events)[0]:
        pass
    storage.wake.set()


def _not_empty(ex: StatementError) -> StorageError:
    return BucketNotEmpty() if ex.diagnosis.table in ("", "objects") else BucketReferenced()
