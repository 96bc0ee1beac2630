"""Refuses uploads whose first bytes do not match their declared type: an image, a PDF or an archive.

The setting CHECK_CONTENT_TYPES enables it. The signatures are those of https://mimesniff.spec.whatwg.org/ and of the
formats themselves. Types without a signature in the table are not checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from app.hooks import hookimpl
from app.settings import Setting, Settings
from app.settings.kinds import SWITCH
from app.storage.bytes.joined_chunks import as_source
from app.storage.errors import ContentMismatch
from app.storage.upkeep.events import ObjectCheck, UploadedObject

CHECK_CONTENT_TYPES = Setting(
    "check_content_types",
    SWITCH,
    False,
    "Whether to refuse uploads declared as an image, a PDF or an archive whose first bytes do not match that type.",
    section="Object storage",
)

_LOOKED_AT = 32

Signature = tuple[int, bytes]
"""The offset and the bytes expected there."""

_IS_MEDIA_FILE: tuple[Signature, ...] = ((4, b"ftyp"),)

SIGNATURES: Mapping[str, tuple[Signature, ...]] = {
    "image/png": ((0, b"\x89PNG\r\n\x1a\n"),),
    "image/jpeg": ((0, b"\xff\xd8\xff"),),
    "image/gif": ((0, b"GIF87a"), (0, b"GIF89a")),
    "image/webp": ((8, b"WEBP"),),
    "image/bmp": ((0, b"BM"),),
    # The second of each pair is BigTIFF, for more than 4 GiB.
    "image/tiff": ((0, b"II*\x00"), (0, b"II+\x00"), (0, b"MM\x00*"), (0, b"MM\x00+")),
    "image/avif": _IS_MEDIA_FILE,
    "image/heic": _IS_MEDIA_FILE,
    "video/mp4": _IS_MEDIA_FILE,
    "application/pdf": ((0, b"%PDF-"),),
    "application/zip": ((0, b"PK\x03\x04"), (0, b"PK\x05\x06")),
    "application/gzip": ((0, b"\x1f\x8b"),),
}


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (CHECK_CONTENT_TYPES,)


@hookimpl
def object_checks(settings: Settings) -> Sequence[ObjectCheck]:
    return (check_content_type,) if settings[CHECK_CONTENT_TYPES] else ()


def check_content_type(uploaded: UploadedObject) -> None:
    """Raise ContentMismatch if the first bytes do not match the declared type."""
    declared = str(uploaded.metadata.get("mimetype", "")).partition(";")[0].strip().lower()
    signatures = SIGNATURES.get(declared)
    if signatures is None:
        return
    with closing(uploaded.open_read()) as readable:
        start = as_source(readable).read(_LOOKED_AT)
    if not any(start[place : place + len(mark)] == mark for place, mark in signatures):
        raise ContentMismatch(declared)
