"""Checksums that are stored with an object, or with a part of one, and their headers and elements in responses.

Only verified checksums are stored. The checksum of an object made of parts is either that of all its bytes, or the
checksum of the parts' checksums followed by their number, as the client chose when it began the upload.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element as Node

from app.faces.s3.checksums import ALGORITHMS, PREFIX, digest_of
from app.faces.s3.crc_combining import POLYNOMIALS, combined
from app.faces.s3.errors import bad_digest, invalid_argument
from app.faces.s3.xml_reading import text_of
from app.faces.s3.xml_writing import Element
from app.http.response import Headers
from app.storage.unfinished.records import Upload, UploadPart

StoredChecksums = Mapping[str, str]
"""Checksums in base64, by algorithm."""

WHOLE, COMPOSITE = "FULL_OBJECT", "COMPOSITE"

_MEMBER = "checksums"
_KIND = PREFIX + "type"
_HASHES = frozenset(ALGORITHMS) - frozenset(POLYNOMIALS)
_TEXT = re.compile(r"[A-Za-z0-9+/]+=*(-\d{1,5})?", re.ASCII)


def as_member(checksums: StoredChecksums) -> dict[str, Any]:
    """The member of an object's metadata, or of a part's notes, that stores the checksums."""
    return {_MEMBER: dict(checksums)} if checksums else {}


def checksums_in(members: Mapping[str, Any]) -> StoredChecksums:
    """The checksums in an object's metadata or in a part's notes."""
    found = members.get(_MEMBER)
    if not isinstance(found, dict):
        return {}
    return {
        name: text for name, text in found.items()
        if name in ALGORITHMS and isinstance(text, str) and _TEXT.fullmatch(text)
    }  # fmt: skip


def headers_of(checksums: StoredChecksums, *, kind: bool = True) -> Headers:
    """The headers for these checksums. ``kind``: with the header for their kind, which parts do not have."""
    headers = tuple((PREFIX + name, text) for name, text in checksums.items())
    return (*headers, *kind_header(checksums)) if kind else headers


def kind_header(checksums: StoredChecksums) -> Headers:
    """The header for the kind of the checksums: of all bytes, or of the checksums of parts."""
    return ((_KIND, _kind_of(checksums)),) if checksums else ()


def elements_of(checksums: StoredChecksums, *, kind: bool = True) -> list[Element]:
    """The XML elements for these checksums; for ``kind`` see ``headers_of``."""
    elements: list[Element] = [(_element(name), text) for name, text in checksums.items()]
    return [*elements, ("ChecksumType", _kind_of(checksums))] if elements and kind else elements


def requested_checksum(headers: Mapping[str, str]) -> dict[str, str]:
    """The algorithm and kind of the checksum of a new upload, for its notes. Raises S3Error."""
    algorithm = headers.get(PREFIX + "algorithm", "").lower()
    kind = headers.get(_KIND, "").upper()
    if kind not in ("", WHOLE, COMPOSITE) or (kind == WHOLE and algorithm in _HASHES):
        raise invalid_argument(f"{_KIND} must be {COMPOSITE}, or {WHOLE} for a CRC")
    if not kind and algorithm in ALGORITHMS:
        kind = WHOLE if algorithm == "crc64nvme" else COMPOSITE
    return {name: text for name, text in (("algorithm", algorithm.upper()), ("type", kind)) if text}


def requested_checksum_headers(wanted: Mapping[str, str]) -> Headers:
    """The response headers for a new upload, which repeat the algorithm and kind of its checksum."""
    return tuple((PREFIX + name, text) for name, text in wanted.items())


def fits(part: UploadPart, node: Node) -> bool:
    """Whether the checksums in the element of a listed part equal the part's stored checksums."""
    stored = checksums_in(part.notes)
    return all((text_of(node, _element(name)) or text).strip() == text for name, text in stored.items())


def joined_checksums(upload: Upload, parts: Sequence[UploadPart], headers: Mapping[str, str]) -> StoredChecksums:
    """The checksums of the object made of ``parts``, for each algorithm for which all parts have a checksum.

    Raises S3Error (BadDigest) if the request that completes the upload has a different one in ``headers``.
    """
    stored = [checksums_in(part.notes) for part in parts]
    sizes = [part.size for part in parts]
    shared = [name for name in stored[0] if all(name in each for each in stored)]
    kind = str(headers.get(_KIND, "").upper() or upload.notes.get("type") or COMPOSITE)
    joined = {name: _joined(name, [each[name] for each in stored], sizes, kind) for name in shared}
    found = {name: text for name, text in joined.items() if text is not None}
    for name, text in found.items():
        # minio-go leaves out the number of parts.
        if headers.get(PREFIX + name, text).strip() not in (text, text.partition("-")[0]):
            raise bad_digest(name.upper())
    return found


def _joined(name: str, texts: Sequence[str], sizes: Sequence[int], kind: str) -> str | None:
    digests = [base64.b64decode(text) for text in texts]
    if name in POLYNOMIALS and (kind == WHOLE or name == "crc64nvme"):
        return base64.b64encode(combined(name, digests, sizes)).decode()
    digest = digest_of(name, b"".join(digests))
    return None if digest is None else f"{base64.b64encode(digest).decode()}-{len(digests)}"


def _kind_of(checksums: StoredChecksums) -> str:
    return COMPOSITE if any("-" in text for text in checksums.values()) else WHOLE


def _element(name: str) -> str:
    return f"Checksum{name.upper()}"
