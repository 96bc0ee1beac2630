"""Configurations of a bucket that are columns of ``storage.buckets``, so that SQL can set them too.

They are read and written as the caller's role: policies on buckets decide. Databases of earlier versions lack the
columns; there a configuration cannot be written, and reads as absent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from app.database import Statement, StatementError
from app.database.wire.sqlstates import CHECK_VIOLATION, UNDEFINED_COLUMN
from app.storage.error_translation import refused
from app.storage.errors import InvalidValue, NoSuchBucket, NotInstalled
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, json_value, text
from app.storage.storage import Storage

ConfigurationColumn = Literal["cors", "tags", "lifecycle"]
VersioningStatus = Literal["DISABLED", "ENABLED", "SUSPENDED"]

CAN_BE_SUSPENDED = "The versioning of a bucket can be suspended, not disabled."


@lru_cache(8)
def _read(column: ConfigurationColumn) -> Statement:
    # A column that does not exist is absent from the row's JSON, and no error.
    sql = f"SELECT pg_catalog.to_jsonb(b) -> '{column}' FROM storage.buckets b WHERE b.id = $1"  # noqa: S608
    return Statement(sql, "read_configuration")


@lru_cache(8)
def _write(column: ConfigurationColumn) -> Statement:
    sql = f"UPDATE storage.buckets b SET {column} = $2::jsonb WHERE b.id = $1 RETURNING b.id"  # noqa: S608
    return Statement(sql, "write_configuration")


SET_VERSIONING = Statement(
    "UPDATE storage.buckets b SET versioning_status = $2 WHERE b.id = $1 RETURNING b.id", "set_versioning"
)
_VERSIONING = Statement(
    "SELECT pg_catalog.to_jsonb(b) ->> 'versioning_status' FROM storage.buckets b WHERE b.id = $1", "versioning"
)


def versioning(storage: Storage, request: RequestContext, bucket: str) -> VersioningStatus:
    """Whether the bucket keeps versions. Raises NoSuchBucket."""
    rows = storage.database.run(request.own_context(), [(_VERSIONING, (text(bucket),))], read_only=True)[0]
    if not rows:
        raise NoSuchBucket
    found = (rows[0][0] or b"").decode()
    return "ENABLED" if found == "ENABLED" else "SUSPENDED" if found == "SUSPENDED" else "DISABLED"


def set_versioning(storage: Storage, request: RequestContext, bucket: str, status: VersioningStatus) -> None:
    """Let a bucket keep versions, or suspend that. Raises NoSuchBucket, NotPermitted, NotInstalled, or InvalidValue for
    DISABLED if it was enabled before."""
    if not storage.features.has_versions:
        raise NotInstalled
    try:
        parameters = (text(bucket), text(status))
        rows = storage.database.run(request.own_context(), [(SET_VERSIONING, parameters)], read_only=False)[0]
    except StatementError as ex:
        if ex.diagnosis.sqlstate == CHECK_VIOLATION:
            raise InvalidValue("versioning_status", hint=CAN_BE_SUSPENDED) from None
        raise refused(ex, role=request.role, action="UPDATE", table="buckets") from None
    if not rows:
        raise NoSuchBucket


def read(storage: Storage, request: RequestContext, bucket: str, column: ConfigurationColumn) -> RawValue:
    """The configuration as JSON; None if there is none. Raises NoSuchBucket."""
    rows = storage.database.run(request.own_context(), [(_read(column), (text(bucket),))], read_only=True)[0]
    if not rows:
        raise NoSuchBucket
    return None if rows[0][0] == b"null" else rows[0][0]


def write(storage: Storage, request: RequestContext, bucket: str, column: ConfigurationColumn, value: object) -> None:
    """Set the configuration, a value for JSON, or remove it if it is None. Raises NoSuchBucket, NotPermitted, or
    NotInstalled."""
    parameters = (text(bucket), json_value(value))
    try:
        rows = storage.database.run(request.own_context(), [(_write(column), parameters)], read_only=False)[0]
    except StatementError as ex:
        if ex.state == UNDEFINED_COLUMN:
            raise NotInstalled from None
        raise refused(ex, role=request.role, action="UPDATE", table="buckets") from None
    if not rows:
        raise NoSuchBucket
    if column == "cors":
        storage.bucket_origins.forget()
