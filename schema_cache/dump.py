"""The catalog on disk, so that a process can answer before it has read the database's.

A dump is a header line and the compressed text that the database gave. It says nothing about the present: whoever
reads one compares its catalog with the state of the database before using it.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from hashlib import sha256
from pathlib import Path

from schema_cache.catalog_query import catalog_query
from schema_cache.decode import decode
from schema_cache.model import Catalog

_FORMAT = 1
_HEADER_LIMIT = 1000


def write_dump(path: Path, payload: str | bytes) -> None:
    """Stores the catalog's text, whole or not at all, readable by nobody else. Raises ``OSError``."""
    data = payload.encode() if isinstance(payload, str) else payload
    # Level 1: 1.7 MB become 0.2 MB in a few milliseconds, far less than reading them again takes.
    packed = zlib.compress(data, 1)
    header = {**_kind(), "length": len(data), "sha256": sha256(data).hexdigest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(header).encode() + b"\n" + packed)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_dump(path: Path) -> Catalog | None:
    """The catalog that was stored there; None without one, or when it is damaged, of another kind, or not ours."""
    try:
        with path.open("rb") as file:
            if not _is_ours(file.fileno()):
                return None
            header = json.loads(file.readline(_HEADER_LIMIT))
            packed = file.read()
        if _kind().items() - header.items():
            return None
        length = int(header["length"])
        data = zlib.decompressobj().decompress(packed, length + 1)
        if len(data) != length or sha256(data).hexdigest() != header["sha256"]:
            return None
        return decode(data)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError, zlib.error):
        return None


def _kind() -> dict[str, object]:
    """What a dump must say of itself to be understood. Another catalog statement gives another payload."""
    return {"portico_schema_dump": _FORMAT, "query": sha256(catalog_query(counted=True).encode()).hexdigest()}


def _is_ours(descriptor: int) -> bool:
    """Whether only we (or root) could have written the file: its checksum protects against accidents, not people."""
    if not hasattr(os, "geteuid"):
        return True
    status = os.fstat(descriptor)
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & 0o022
