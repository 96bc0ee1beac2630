"""Checks of what was uploaded, between its last byte and its commit: who raises refuses it, and it is never seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.storage.bytes.backend import Readable


@dataclass(frozen=True, slots=True)
class UploadedObject:
    """An upload whose bytes are stored and whose row is not written yet.

    ``metadata`` is what the row will have (size, mimetype, eTag, ...). ``open_read`` gives the bytes, which whoever
    opens them closes.
    """

    bucket: str
    key: str
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any]
    open_read: Callable[[], Readable] = field(repr=False)


ObjectCheck = Callable[[UploadedObject], None]
"""Raises a StorageError to refuse the upload."""
