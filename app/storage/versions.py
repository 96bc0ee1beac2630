"""Versions of objects: those that are not current are rows of ``storage.versions``.

Triggers of the database keep them: each change that replaces or deletes an object in a bucket with versions, by SQL or
in any protocol, leaves its row there in the same transaction. Policies on ``storage.versions`` decide who sees and
deletes them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from app.database import BoundStatement, Row, StatementError
from app.storage.error_translation import no_row_deleted, no_row_updated, refused
from app.storage.errors import BytesMissing, IsDeleteMarker, NoSuchVersion, NotInstalled, RowLocked
from app.storage.names import check_key
from app.storage.records import ObjectName, StoredObject
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, boolean, json_value, known, number, read_metadata, read_object, text
from app.storage.sql import NOTHING, Projection
from app.storage.sql_versions import (
    DELETE_CURRENT,
    DELETE_MADE_MARKER,
    DELETE_VERSION,
    LIST_VERSIONS,
    MADE_MARKER,
    NEWEST_MARKER,
    NUMBER_OF_VERSION,
    SET_TAGS,
    find_version,
)
from app.storage.storage import Storage
from app.storage.upkeep.events import ObjectEvent, RemovalCause, removed, version_removed

log = logging.getLogger("portico.storage")

UNVERSIONED = "null"
"""The id of the version that was written while its bucket kept none. A key has at most one."""

# Each further attempt means that another deletion was faster.
_MOST_ATTEMPTS = 100

T = TypeVar("T")
EventsOf = Callable[[list[list[Row]]], list[ObjectEvent]]


class ListedVersion(NamedTuple):
    """A version in a listing. ``number`` orders the versions of a key; ``modified``: when it
    was written, as clients compare times."""

    key: str
    version_id: str
    number: int
    is_delete_marker: bool
    modified: str
    metadata: Mapping[str, Any]
    is_latest: bool
    owner_id: str | None


class ListedKinds(NamedTuple):
    """The kinds of versions in a listing."""

    current: bool = True
    older: bool = True
    markers: bool = True


EVERY_KIND = ListedKinds()


class DeletedVersion(NamedTuple):
    """A version that is gone for good. ``was_marker``: without this delete marker, the version before may be current
    again."""

    was_marker: bool


def find(
    storage: Storage, request: RequestContext, name: ObjectName, version_id: str, projection: Projection = NOTHING
) -> tuple[StoredObject, RawValue]:
    """The version and its ``projection``, with the caller's rights. Raises NoSuchVersion, IsDeleteMarker or
    NotInstalled."""
    check_installed(storage)
    check_key(name.key, any_script=storage.any_script)
    wanted = _parameters(name, version_id)
    rows = storage.database.run(request.own_context(), [(find_version(projection), wanted)], read_only=True)[0]
    if not rows:
        raise NoSuchVersion
    if rows[0][5] == b"t":
        raise IsDeleteMarker(version_id)
    return read_object(rows[0]), rows[0][4]


def find_with_bytes(
    storage: Storage,
    request: RequestContext,
    name: ObjectName,
    version_id: str,
    use: Callable[[StoredObject, RawValue], T | None],
    projection: Projection = NOTHING,
) -> T:
    """The result of ``use`` as in ``reading.find_with_bytes``. The bytes of a version never change: if they are
    missing, it may have been deleted since its row was read. Raises what ``find`` raises, and BytesMissing."""
    used = use(*find(storage, request, name, version_id, projection))
    if used is None:
        found, _ = find(storage, request, name, version_id, projection)
        log.error("the bytes of version %s of object %s are missing", found.version, found.id)
        raise BytesMissing
    return used


def newest_marker(storage: Storage, request: RequestContext, name: ObjectName) -> str | None:
    """The id of the delete marker that hides a key without a current version, if the caller may see the marker."""
    if not storage.features.has_versions:
        return None
    parameters = (text(name.bucket), text(name.key))
    rows = storage.database.run(request.own_context(), [(NEWEST_MARKER, parameters)], read_only=True)[0]
    return known(rows[0][0]).decode() if rows else None


def list_versions(
    storage: Storage,
    request: RequestContext,
    bucket: str,
    lower: str,
    upper: str,
    limit: int,
    after: tuple[str, int] | None = None,
    kinds: ListedKinds = EVERY_KIND,
) -> list[ListedVersion]:
    """The versions of these ``kinds`` that the caller may see of keys from ``lower`` up to, not including, ``upper``:
    by key, the newest first. ``after``: the key and the number of the last one before."""
    check_installed(storage)
    key, last = (None, None) if after is None else after
    bounds = (text(bucket), text(lower), text(upper), number(limit), text(key), number(last))
    parameters = (*bounds, *map(boolean, kinds))
    with storage.read(request) as read:
        rows = read.rows(request.own_context(), LIST_VERSIONS, parameters)
    return [_listed(row) for row in rows]


def number_of(storage: Storage, request: RequestContext, name: ObjectName, version_id: str) -> int | None:
    """The number of a version, with the caller's rights; None if it is not there any more."""
    wanted = _parameters(name, version_id)
    rows = storage.database.run(request.own_context(), [(NUMBER_OF_VERSION, wanted)], read_only=True)[0]
    return int(known(rows[0][0])) if rows else None


def delete(storage: Storage, request: RequestContext, name: ObjectName, version_id: str) -> DeletedVersion:
    """Delete a version for good, with the caller's rights to delete versions and, for the current one, the object.

    If it was the current one or the newest delete marker, the version before is current afterwards. All of that is one
    transaction. Raises NoSuchVersion, DeletionNotPermitted, RowLocked or NotInstalled.
    """
    check_installed(storage)
    check_key(name.key, any_script=storage.any_script)
    wanted = _parameters(name, version_id)

    def check(results: list[list[Row]]) -> None:
        current, older, markers, [[made]] = results
        made_marker = known(made).decode() if current else ""
        expected = 0 if not made_marker else 1 if version_id == made_marker else 2
        if current and len(older) + len(markers) != expected:
            raise no_row_deleted(role=request.role, table="versions")

    calls: list[BoundStatement] = [
        (DELETE_CURRENT, wanted),
        (DELETE_VERSION, wanted),
        (DELETE_MADE_MARKER, wanted[:2]),
        (MADE_MARKER, ()),
    ]
    seen = None
    for _ in range(_MOST_ATTEMPTS):
        results = storage.change(
            request,
            request.own_context(),
            calls,
            # A current version is in both results: its deletion first makes it an older one.
            lambda results: [version_removed(name.bucket, row) for row in results[0] or results[1]],
            check=check,
        )
        current, older = results[0], results[1]
        if current or older:
            storage.note_freed()
            deleted = DeletedVersion(not current and older[0][4] == b"t")
            storage.version_counts.add("undeleted" if deleted.was_marker else "deleted")
            return deleted
        # The statements do not find a version that another deletion made current, or not current, while they ran.
        there = number_of(storage, request, name, version_id)
        if there is None:
            raise NoSuchVersion
        if there == seen:
            raise no_row_deleted(role=request.role, table="versions")
        seen = there
    raise RowLocked


def with_marker(storage: Storage, deletion: BoundStatement) -> list[BoundStatement]:
    """The deletion, and a statement for the id of the delete markers that it makes, if the database keeps versions."""
    return [deletion, (MADE_MARKER, ())] if storage.features.has_versions else [deletion]


def made_marker(results: list[list[Row]]) -> str | None:
    """The id of the markers, in the results of ``with_marker``; None if it made none."""
    return known(results[1][0][0]).decode() or None if len(results) > 1 else None


def removals(bucket: str, cause: RemovalCause = "ObjectRemoved") -> EventsOf:
    """A function that makes the events of deleted objects from the results of ``with_marker``."""

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        marker = made_marker(results)
        return [removed(bucket, row, marker, cause=cause) for row in results[0]]

    return events


def version_removals(bucket: str, cause: RemovalCause = "ObjectRemoved") -> EventsOf:
    """A function that makes the events of versions and markers that were deleted for good, from the first result."""
    return lambda results: [version_removed(bucket, row, cause=cause) for row in results[0]]


def set_tags(
    storage: Storage, request: RequestContext, name: ObjectName, version_id: str, tags: Mapping[str, str]
) -> None:
    """Replace the tags of a version with the caller's rights. Raises NoSuchVersion, NotPermitted or NotInstalled."""
    check_installed(storage)
    parameters = (text(name.bucket), text(name.key), json_value(tags or None), text(version_id))
    try:
        rows = storage.database.run(request.own_context(), [(SET_TAGS, parameters)], read_only=False)[0]
    except StatementError as ex:
        raise refused(ex, role=request.role, action="UPDATE", table="versions") from None
    if not rows:
        if number_of(storage, request, name, version_id) is not None:
            raise no_row_updated(role=request.role, table="versions")
        raise NoSuchVersion


def check_installed(storage: Storage) -> None:
    """Raise NotInstalled if the database keeps no versions."""
    if not storage.features.has_versions:
        raise NotInstalled


def _parameters(name: ObjectName, version_id: str) -> Sequence[RawValue]:
    return text(name.bucket), text(name.key), text(version_id)


def _listed(row: Row) -> ListedVersion:
    key, version_id, order, is_marker, updated_at, metadata, is_latest, owner_id = row
    return ListedVersion(
        known(key).decode(),
        known(version_id).decode(),
        int(known(order)),
        is_marker == b"t",
        (updated_at or b"").decode(),
        read_metadata(metadata),
        is_latest == b"t",
        None if owner_id is None else owner_id.decode(),
    )
