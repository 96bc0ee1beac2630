"""The text of an answer, and those answers that a plan keeps."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_LEVEL = 6


@dataclass(frozen=True, eq=False)
class KeptResponse(Mapping[str, bytes]):
    """An answer that is the same for all requests of a plan, such as a description of the schema. As a mapping it has
    the json text of each key; these are large, and so stand in ``body`` only, each at one of the ``places``."""

    body: bytes
    places: Mapping[str, slice]

    @cached_property
    def packed(self) -> bytes:
        """The body compressed, once."""
        return packed(self.body)

    def __getitem__(self, key: str) -> bytes:
        return self.body[self.places[key]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def packed(body: bytes) -> bytes:
    """The body compressed by gzip: the same one as the same bytes, without a time stamp."""
    return gzip.compress(body, _LEVEL, mtime=0)


def answer_of(keys: Sequence[str], texts: Mapping[str, bytes | None], more: bytes = b"") -> bytes:
    """The answer with the json text of each key as its data, and with ``more`` members behind that."""
    # Joined at once: an answer may be large.
    return b"".join((*_parts(keys, texts), b"}", more, b"}"))


def kept_answer(keys: Sequence[str], texts: Mapping[str, bytes | None]) -> KeptResponse:
    """The same to be kept."""
    ends = list(accumulate(map(len, _parts(keys, texts))))
    places = {key: slice(ends[number * 2 + 1], ends[number * 2 + 2]) for number, key in enumerate(keys)}
    return KeptResponse(answer_of(keys, texts), places)


def _parts(keys: Sequence[str], texts: Mapping[str, bytes | None]) -> list[bytes]:
    """The beginning of an answer, then the name and the text of each key."""
    parts = [b'{"data":{']
    for key in keys:
        parts += (b',"%b":' if len(parts) > 1 else b'"%b":') % key.encode(), texts[key] or b"null"
    return parts
