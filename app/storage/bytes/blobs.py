"""The bytes of objects: each write makes a new blob, named by the version in the object's row.

Derived blobs, such as an image in another size, are named by the same version and deleted with it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import cast

from app.errors import PorticoError
from app.random_uuid import new_uuid
from app.storage.bytes.backend import Backend, BlobMissing, ByteSource, Creating, Stored

log = logging.getLogger("portico.storage")

PREFIX, DERIVED = "blobs/", "derived/"
_VERSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def new_version() -> str:
    return new_uuid()


def is_version(text: str) -> bool:
    """Whether the text has the form of the versions that this service makes."""
    return _VERSION.fullmatch(text) is not None


def blob_key(version: str) -> str:
    """The key of a version's blob. It contains neither bucket nor name, so that moving an object moves no bytes.

    Raises BlobMissing for a version that this service did not make, as in a row that another program wrote.
    """
    if not is_version(version):
        raise BlobMissing
    return f"{PREFIX}{version[:2]}/{version}"


def store(
    backend: Backend, version: str, stream: ByteSource, *, size: int | None, content_type: str | None = None
) -> Stored:
    """Store the bytes of a new version. They are durable on return. Takes, returns and raises what ``Backend.put``
    does."""
    put = cast(Creating, backend).create if _is_creating(type(backend)) else backend.put
    return put(blob_key(version), stream, size=size, content_type=content_type)


@lru_cache(16)
def _is_creating(kind: type[Backend]) -> bool:
    # Comparing an object with a protocol takes 10 us.
    return issubclass(kind, Creating)


def version_of(key: str) -> str | None:
    """The version that a blob's key belongs to, also for derived blobs; None for keys that this service did not
    make."""
    if key.startswith(DERIVED):
        version = key.split("/")[2] if key.count("/") > 2 else ""
        return version if is_version(version) and key.startswith(_derived_prefix(version)) else None
    version = key.rpartition("/")[2]
    return version if is_version(version) and blob_key(version) == key else None


def derived_key(version: str, name: str) -> str:
    """The key of the derived blob of this name. Raises BlobMissing as ``blob_key`` does."""
    blob_key(version)
    return f"{_derived_prefix(version)}{name}"


def derived_keys(backend: Backend, versions: Iterable[str]) -> Iterator[str]:
    """The keys of all blobs that are derived from these versions."""
    if next(iter(backend.list(DERIVED)), None) is None:
        # Most services never derive anything, and each version would take a request to a cloud.
        return
    for version in versions:
        yield from (blob.key for blob in backend.list(_derived_prefix(version)))


def _derived_prefix(version: str) -> str:
    return f"{DERIVED}{version[:2]}/{version}/"


def discard(backend: Backend, version: str) -> None:
    """Delete the bytes of a failed write, which no row names. If that fails too, the sweep deletes them later."""
    try:
        backend.delete_many([blob_key(version)])
    except (PorticoError, OSError) as ex:
        log.warning("the bytes of a failed write stay until the next sweep (version %s): %s", version, ex)


@contextmanager
def discarded_if_refused(backend: Backend, version: str) -> Iterator[None]:
    """Delete the bytes if the write fails. They stay if the outcome of its commit is unknown: a row may name them."""
    try:
        yield
    except PorticoError as ex:
        if ex.code != "OUTCOME_UNKNOWN":
            discard(backend, version)
        raise
