"""The formats of images: how to recognize them by their bytes, and which ones a client accepts."""

from __future__ import annotations

from collections.abc import Mapping

MEDIA_TYPES: Mapping[str, str] = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "GIF": "image/gif",
    "WEBP": "image/webp",
    "AVIF": "image/avif",
    "SVG": "image/svg+xml",
}
"""The formats in which images are written, by their names in Pillow."""

LARGEST_SIDES: Mapping[str, int] = {"JPEG": 65_500, "WEBP": 16_383, "AVIF": 32_768}
"""The longest side of an image in each format, in pixels. AV1 allows twice as many, but libavif, with which browsers
show AVIF, does not read them."""

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"\0\0\1\0", "ICO"),
    (b"\x1f\x8b", "SVGZ"),
)
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_BEFORE_XML = b"\xef\xbb\xbf \t\r\n"


def format_of(content: bytes) -> str | None:
    """The format of an image by its first bytes; None for a format that cannot be read."""
    for signature, name in _SIGNATURES:
        if content.startswith(signature):
            return name
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WEBP"
    if content[4:8] == b"ftyp":
        return "AVIF" if _AVIF_BRANDS & _brands(content) else None
    return "SVG" if content[:64].lstrip(_BEFORE_XML).startswith(b"<") else None


def _brands(content: bytes) -> set[bytes]:
    """The brands in the first box of an ISO media file (ISO/IEC 14496-12 section 4.3)."""
    box = content[8 : min(int.from_bytes(content[:4]), 512)]
    return {box[start : start + 4] for start in range(0, len(box), 4) if start != 4}


def takes(accept: str | None, name: str) -> bool:
    """Whether an Accept header names this format, and not with the quality 0. Wildcards do not name it."""
    for each in (accept or "").lower().split(","):
        kind, *parameters = (part.strip() for part in each.split(";"))
        if kind == MEDIA_TYPES[name]:
            return not any(_is_zero(each) for each in parameters)
    return False


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name == "q" and value != "" and not value.strip("0.")
