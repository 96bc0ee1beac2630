"""Whether a write may be done: what the database permits the caller, and the conditions that the caller gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.storage.asker import Asker
from app.storage.errors import ObjectExists, PreconditionFailed
from app.storage.permissions import Permission, TriedWrite, try_write
from app.storage.records import ObjectName, Revision
from app.storage.storage import Storage


@dataclass(frozen=True, slots=True)
class Write:
    """What is to be committed.

    ``etags``: the entity tags of which the present object must have one; ``()`` is any object, None no condition.
    ``must_be_new``: there must be no object yet, and it is a condition of the caller's.
    """

    name: ObjectName
    upsert: bool
    owner: object
    user_metadata: Mapping[str, Any]
    event: str
    etags: tuple[str, ...] | None = None
    must_be_new: bool = False


class Described(NamedTuple):
    """What an object says of itself: the metadata of its bytes, and the user's, None when none was given."""

    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A write that was permitted, and how the object was described to the policies that permitted it."""

    described: Described
    permission: Permission


def judge(storage: Storage, asker: Asker, write: Write, described: Described) -> Judged:
    """What the database permits the caller, and whether the write's conditions hold. Raises what forbids it."""
    # Where there is a condition, it says what may be there; for the permission it is the write that counts.
    upsert = write.upsert or write.etags is not None
    tried = TriedWrite(write.name, upsert, described.metadata, described.user_metadata)
    try:
        permission = try_write(storage, asker, tried)
    except ObjectExists:
        if write.must_be_new:
            raise PreconditionFailed from None
        raise
    if not _conditions_hold(write, permission.replaces):
        raise PreconditionFailed
    return Judged(described, permission)


def _conditions_hold(write: Write, there: Revision | None) -> bool:
    if there is None:
        return write.etags is None
    return not write.must_be_new and (not write.etags or there.entity_tag in write.etags)
