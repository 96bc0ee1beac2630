"""Checksums that are kept with an object, or with a part of one, and what answers say of them.

Only those that were verified are kept. The checksum of an object made of parts is either that of all its bytes, or the
checksum of the parts' checksums with their number behind it, as the client chose when it began.
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

KeptChecksums = Mapping[str, str]
"""Texts in base64 by algorithm."""

WHOLE, COMPOSITE = "FULL_OBJECT", "COMPOSITE"

_MEMBER = "checksums"
_KIND = PREFIX + "type"
_HASHES = frozenset(ALGORITHMS) - frozenset(POLYNOMIALS)
_TEXT = re.compile(r"[A-Za-z0-9+/]+=*(-\d{1,5})?", re.ASCII)


def as_member(checksums: KeptChecksums) -> dict[str, Any]:
    """The member of an object's metadata, or of a part's notes, that keeps them."""
    return {_MEMBER: dict(checksums)} if checksums else {}


def kept_in(members: Mapping[str, Any]) -> KeptChecksums:
    """The checksums in an object's metadata or in a part's notes."""
    found = members.get(_MEMBER)
    if not isinstance(found, dict):
        return {}
    return {
        name: text for name, text in found.items()
        if name in ALGORITHMS and isinstance(text, str) and _TEXT.fullmatch(text)
    }  # fmt: skip


def headers_of(checksums: KeptChecksums, *, kind: bool = True) -> Headers:
    """The headers that tell them; parts have none for the ``kind``."""
    told = tuple((PREFIX + name, text) for name, text in checksums.items())
    return (*told, *kind_header(checksums)) if kind else told


def kind_header(checksums: KeptChecksums) -> Headers:
    """The header that tells what they are of: of all bytes, or of the checksums of parts."""
    return ((_KIND, _kind_of(checksums)),) if checksums else ()


def elements_of(checksums: KeptChecksums, *, kind: bool = True) -> list[Element]:
    """The elements that tell them, as ``headers_of`` does."""
    told: list[Element] = [(_element(name), text) for name, text in checksums.items()]
    return [*told, ("ChecksumType", _kind_of(checksums))] if told and kind else told


def wanted_of(headers: Mapping[str, str]) -> dict[str, str]:
    """What a new upload says of its checksum, to be kept in its notes. Raises S3Error."""
    algorithm = headers.get(PREFIX + "algorithm", "").lower()
    kind = headers.get(_KIND, "").upper()
    if kind not in ("", WHOLE, COMPOSITE) or (kind == WHOLE and algorithm in _HASHES):
        raise invalid_argument(f"{_KIND} must be {COMPOSITE}, or {WHOLE} for a CRC")
    if not kind and algorithm in ALGORITHMS:
        kind = WHOLE if algorithm == "crc64nvme" else COMPOSITE
    return {name: text for name, text in (("algorithm", algorithm.upper()), ("type", kind)) if text}


def wanted_headers(wanted: Mapping[str, str]) -> Headers:
    """The answer to a new upload repeats what it wants."""
    return tuple((PREFIX + name, text) for name, text in wanted.items())


def fits(part: UploadPart, node: Node) -> bool:
    """Whether the checksums in the element of a list of parts are those of the part, as far as they are kept."""
    kept = kept_in(part.notes)
    return all((text_of(node, _element(name)) or text).strip() == text for name, text in kept.items())


def joined_checksums(upload: Upload, parts: Sequence[UploadPart], headers: Mapping[str, str]) -> KeptChecksums:
    """The checksums of the object that ``parts`` make: of each algorithm that all of them have.

    Raises S3Error (BadDigest) where the request that completes the upload has another one in ``headers``.
    """
    kept = [kept_in(part.notes) for part in parts]
    sizes = [part.size for part in parts]
    shared = [name for name in kept[0] if all(name in each for each in kept)]
    kind = str(headers.get(_KIND, "").upper() or upload.notes.get("type") or COMPOSITE)
    joined = {name: _joined(name, [each[name] for each in kept], sizes, kind) for name in shared}
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


def _kind_of(checksums: KeptChecksums) -> str:
    return COMPOSITE if any("-" in text for text in checksums.values()) else WHOLE


def _element(name: str) -> str:
    return f"Checksum{name.upper()}"
