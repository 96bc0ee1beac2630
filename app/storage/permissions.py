"""May the caller write this object? The database judges: the write is tried under the caller's role and undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.database import StatementError, Transaction
from app.storage.access import service_context
from app.storage.errors import StorageError, already_exists, no_such_bucket, related_missing
from app.storage.records import Bucket, Call
from app.storage.rest.failures import as_storage_error, refused
from app.storage.rows import boolean, json_value, owner_of, read_bucket, text
from app.storage.sql import BUCKET, BUCKET_THEN_ROLE, TRY_INSERT, TRY_UPSERT
from app.storage.storage import Storage


@dataclass(frozen=True, slots=True)
class Trial:
    """The write that is tried. ``metadata`` and ``user_metadata`` are what policies may test of the coming object."""

    bucket: str
    key: str
    upsert: bool
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None


def find_bucket(storage: Storage, call: Call, name: str) -> Bucket | None:
    """The bucket, whoever asks."""
    rows = storage.database.run(service_context(storage.contexts, call), [(BUCKET, (text(name),))], read_only=True)
    return read_bucket(rows[0][0]) if rows[0] else None


def try_write(storage: Storage, call: Call, trial: Trial) -> Bucket:
    """The bucket, if the caller may write there. Raises what the database refuses: AccessDenied, KeyAlreadyExists, ...

    One round trip: the bucket is read, the role becomes the caller's, the row is written, and all is rolled back.
    """
    statement = TRY_UPSERT if trial.upsert else TRY_INSERT
    parameters = (
        text(trial.bucket),
        text(trial.key),
        *owner_of(call.caller),
        json_value(trial.metadata),
        json_value(trial.user_metadata),
    )
    with storage.database.transaction(service_context(storage.contexts, call)) as transaction:
        try:
            rows = _attempt(transaction, call, trial, (statement, parameters))
        except StatementError as error:
            raise _refusal(error, call, upsert=trial.upsert) from None
    bucket = read_bucket(rows[0][0])
    if bucket is None:
        raise no_such_bucket()
    return bucket


def _attempt(transaction: Transaction, call: Call, trial: Trial, write: Any) -> Any:
    role = call.caller.role.encode()
    return transaction.attempt([(BUCKET_THEN_ROLE, (text(trial.bucket), role, boolean(False))), write])


def _refusal(error: StatementError, call: Call, *, upsert: bool) -> StorageError:
    state = error.diagnosis.sqlstate
    if error.statement_index == 1:
        return as_storage_error(error)
    if state == "23505":
        return already_exists("Key")
    if state == "23503":
        return related_missing()
    action = "INSERT, UPDATE or SELECT" if upsert else "INSERT"
    return refused(error, role=call.caller.role, action=action, table="objects")
