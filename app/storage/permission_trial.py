"""Whether a write is allowed: the database must permit it, and the caller's own conditions must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.storage.errors import ObjectExists, PreconditionFailed
from app.storage.permissions import Permission, TriedWrite, try_write
from app.storage.records import ObjectName, Revision
from app.storage.request_context import RequestContext
from app.storage.storage import Storage
from app.storage.tags import check_installed


class Write(NamedTuple):
    """A write to check and commit.

    ``etags``: the existing object must have one of these entity tags; ``()`` stands for any object, None for no
    condition. ``must_be_new``: the caller requires that no such object exists. ``replacing_event``: the event if an
    object is replaced; None for ``event``. ``upload_type``: how the bytes were sent; events contain it. ``tags``: those
    of the new object.
    """

    name: ObjectName
    upsert: bool
    owner: object
    user_metadata: Mapping[str, Any] | None
    event: str
    etags: tuple[str, ...] | None = None
    must_be_new: bool = False
    replacing_event: str | None = None
    upload_type: str = "standard"
    tags: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class PermittedWrite:
    """A permitted write. ``tried`` is the row that the policies have checked."""

    tried: TriedWrite
    permission: Permission


Trial = Callable[[Storage, RequestContext, TriedWrite], Permission]


def tried_as(write: Write, metadata: Mapping[str, Any]) -> TriedWrite:
    """The trial of a write whose bytes have this ``metadata``."""
    # A condition on entity tags means that the write replaces an object, regardless of ``upsert``.
    upsert = write.upsert or write.etags is not None
    return TriedWrite(write.name, upsert, write.owner, metadata, write.user_metadata, write.tags)


def check_write(
    storage: Storage, request: RequestContext, write: Write, metadata: Mapping[str, Any], trial: Trial = try_write
) -> PermittedWrite:
    """The permission for the write. Raises PreconditionFailed, or why the database refuses the write."""
    check_installed(storage, write.tags)
    tried = tried_as(write, metadata)
    try:
        permission = trial(storage, request, tried)
    except ObjectExists:
        if write.must_be_new:
            raise PreconditionFailed from None
        raise
    if not _conditions_hold(write, permission.replaces):
        raise PreconditionFailed
    return PermittedWrite(tried, permission)


def _conditions_hold(write: Write, there: Revision | None) -> bool:
    if there is None:
        return write.etags is None
    return not write.must_be_new and (not write.etags or there.entity_tag in write.etags)
