"""The bytes of objects: each write makes a new blob, named by the version in the object's row."""

from __future__ import annotations

import logging
import re
import uuid

from app.errors import PorticoError
from app.storage.bytes.backend import Backend, BlobMissing

log = logging.getLogger("portico.storage")

PREFIX = "blobs/"
_VERSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def new_version() -> str:
    return str(uuid.uuid4())


def blob_key(version: str) -> str:
    """The key of a version's blob. It contains neither bucket nor name, so that moving an object moves no bytes.

    Raises BlobMissing for a version that this service did not make, as in a row that something else wrote.
    """
    if not _VERSION.fullmatch(version):
        raise BlobMissing
    return f"{PREFIX}{version[:2]}/{version}"


def version_of(key: str) -> str | None:
    """The version whose bytes are under ``key``; None for a key that this service did not make."""
    version = key.rpartition("/")[2]
    return version if _VERSION.fullmatch(version) and blob_key(version) == key else None


def discard(backend: Backend, version: str) -> None:
    """Delete the bytes of a failed write, which no row names. If that fails too, the sweep finds them later."""
    try:
        backend.delete_many([blob_key(version)])
    except (PorticoError, OSError) as ex:
        log.warning("the bytes of a failed write stay until the next sweep (version %s): %s", version, ex)
