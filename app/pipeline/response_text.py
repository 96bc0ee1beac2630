"""Writes the body of a response, and keeps the bodies that are the same for all requests of a plan."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_LEVEL = 6


@dataclass(frozen=True, eq=False)
class KeptResponse(Mapping[str, bytes]):
    """A response that is the same for all requests of a plan, such as a description of the schema.

    As a mapping it has the JSON text of each key. These texts are large, so they are stored only once: in ``body``, at
    the slice that ``places`` has for the key.
    """

    body: bytes
    places: Mapping[str, slice]

    @cached_property
    def packed(self) -> bytes:
        """The compressed body; it is compressed on first use."""
        return packed(self.body)

    def __getitem__(self, key: str) -> bytes:
        return self.body[self.places[key]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def packed(body: bytes) -> bytes:
    """The body compressed by gzip. Without a time stamp, so that equal bodies are equal when compressed."""
    return gzip.compress(body, _LEVEL, mtime=0)


def response_body(keys: Sequence[str], texts: Mapping[str, bytes | None], more: bytes = b"") -> bytes:
    """The body with the JSON text of each key in ``data``, followed by ``more`` members."""
    # Joined in one call, because a response may be large.
    return b"".join((*_parts(keys, texts), b"}", more, b"}"))


def kept_response(keys: Sequence[str], texts: Mapping[str, bytes | None]) -> KeptResponse:
    """The response with these texts, to be kept with its plan."""
    ends = list(accumulate(map(len, _parts(keys, texts))))
    places = {key: slice(ends[number * 2 + 1], ends[number * 2 + 2]) for number, key in enumerate(keys)}
    return KeptResponse(response_body(keys, texts), places)


def _parts(keys: Sequence[str], texts: Mapping[str, bytes | None]) -> list[bytes]:
    """The beginning of a body, then the name and the text of each key."""
    parts = [b'{"data":{']
    for key in keys:
        parts += (b',"%b":' if len(parts) > 1 else b'"%b":') % key.encode(), texts[key] or b"null"
    return parts
