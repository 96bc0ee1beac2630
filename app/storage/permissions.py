"""May the caller write this object? The database judges: the write is tried under the caller's role and undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.database import StatementError, Transaction
from app.storage.asker import Asker
from app.storage.errors import NoSuchBucket, ObjectExists, RelatedMissing, StorageError
from app.storage.records import Bucket, ObjectName
from app.storage.rows import boolean, json_value, owner_columns, read_bucket, text
from app.storage.sql import BUCKET_THEN_ROLE, TRY_INSERT, TRY_UPSERT
from app.storage.storage import Storage
from app.storage.translation import refused, translate


@dataclass(frozen=True, slots=True)
class TriedWrite:
    """The write that is tried. ``metadata`` and ``user_metadata`` are what policies may test of the coming object."""

    name: ObjectName
    upsert: bool
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None


def try_write(storage: Storage, asker: Asker, tried: TriedWrite) -> Bucket:
    """The bucket, if the caller may write there. Raises what the database refuses: NotPermitted, ObjectExists, ...

    One round trip: the bucket is read, the role becomes the caller's, the row is written, and all is rolled back.
    """
    statement = TRY_UPSERT if tried.upsert else TRY_INSERT
    parameters = (
        text(tried.name.bucket),
        text(tried.name.key),
        *owner_columns(asker.subject),
        json_value(tried.metadata),
        json_value(tried.user_metadata),
    )
    with storage.database.transaction(asker.service_context()) as transaction:
        try:
            rows = _attempt(transaction, asker, tried, (statement, parameters))
        except StatementError as ex:
            raise _refusal(ex, asker, upsert=tried.upsert) from None
    bucket = read_bucket(rows[0][0])
    if bucket is None:
        raise NoSuchBucket
    return bucket


def _attempt(transaction: Transaction, asker: Asker, tried: TriedWrite, write: Any) -> Any:
    role = asker.role.encode()
    return transaction.attempt([(BUCKET_THEN_ROLE, (text(tried.name.bucket), role, boolean(False))), write])


def _refusal(ex: StatementError, asker: Asker, *, upsert: bool) -> StorageError:
    state = ex.diagnosis.sqlstate
    if ex.statement_index == 1:
        return translate(ex)
    if state == "23505":
        return ObjectExists()
    if state == "23503":
        return RelatedMissing()
    action = "INSERT, UPDATE or SELECT" if upsert else "INSERT"
    return refused(ex, role=asker.role, action=action, table="objects")
