"""The parts of which an object was made. Clients read single parts, and request the parts' sizes and checksums.

An object's metadata stores them compactly: parts of equal size, as most are, in one entry, and checksums concatenated.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.faces.s3.checksums import ALGORITHMS
from app.faces.s3.listed_parts import MOST_PARTS
from app.faces.s3.stored_checksums import StoredChecksums, checksums_in
from app.storage.unfinished.records import UploadPart

_MEMBER, _RUNS, _CHECKSUMS = "parts", "runs", "checksums"
# The size of 10,000 CRC32s. The limit is low because metadata is read with each request, and is part of listings.
_MOST_DIGEST_BYTES = 40_000


class ObjectPart(NamedTuple):
    """A part of an object: its number, and its start and end (exclusive) in the object, in bytes."""

    number: int
    start: int
    end: int
    checksums: StoredChecksums

    @property
    def size(self) -> int:
        return self.end - self.start


def as_parts_member(parts: Sequence[UploadPart]) -> dict[str, Any]:
    """The member of an object's metadata that stores its parts. ``parts`` are in the order of the object."""
    runs: list[list[int]] = []
    for part in parts:
        if runs and runs[-1][0] + runs[-1][1] == part.number and runs[-1][2] == part.size:
            runs[-1][1] += 1
        else:
            runs.append([part.number, 1, part.size])
    stored = [checksums_in(part.notes) for part in parts]
    shared = [name for name in stored[0] if all(name in each for each in stored)]
    joined = {name: b"".join(base64.b64decode(each[name]) for each in stored) for name in shared}
    texts = {name: base64.b64encode(all_).decode() for name, all_ in joined.items() if len(all_) <= _MOST_DIGEST_BYTES}
    return {_MEMBER: {_RUNS: runs, **({_CHECKSUMS: texts} if texts else {})}}


def parts_in(metadata: Mapping[str, Any]) -> Sequence[ObjectPart]:
    """The parts of an object with this metadata; none if it was not uploaded in parts, or if they are unknown."""
    member = metadata.get(_MEMBER)
    try:
        return list(_read(member)) if isinstance(member, dict) else ()
    except (ValueError, TypeError, KeyError, AttributeError):
        # SQL can write any metadata.
        return ()


def _read(member: Mapping[str, Any]) -> Iterator[ObjectPart]:
    runs = [(int(first), int(count), int(size)) for first, count, size in member[_RUNS]]
    total = sum(count for _, count, _ in runs)
    if not 1 <= total <= MOST_PARTS or any(count < 1 or size < 0 for _, count, size in runs):
        raise ValueError
    texts = member.get(_CHECKSUMS, {})
    digests = {name: _split(texts[name], total) for name in ALGORITHMS if name in texts}
    index = start = 0
    for first, count, size in runs:
        for number in range(first, first + count):
            checksums = {name: each[index] for name, each in digests.items()}
            yield ObjectPart(number, start, start + size, checksums)
            index, start = index + 1, start + size


def _split(text: str, count: int) -> list[str]:
    """The ``count`` digests in a text that has them concatenated. Raises ValueError."""
    joined = base64.b64decode(text, validate=True)
    size, rest = divmod(len(joined), count)
    if rest or not size:
        raise ValueError
    return [base64.b64encode(joined[at : at + size]).decode() for at in range(0, size * count, size)]
