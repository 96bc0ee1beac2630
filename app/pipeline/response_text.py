"""Writes the body of a response, and keeps the bodies that are the same for all requests of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from app.packed_text import AnyText, gzipped, length_of, size_of, whole


@dataclass(frozen=True, eq=False)
class KeptResponse(Mapping[str, AnyText]):
    """A response that is the same for all requests of a plan, such as a description of the schema.

    As a mapping it has the JSON text of each key. ``parts``, one after the other, are the body; long ones are packed.
    """

    texts: Mapping[str, AnyText]
    parts: Sequence[AnyText]

    @cached_property
    def length(self) -> int:
        """The length of the body, in bytes."""
        return sum(map(length_of, self.parts))

    @cached_property
    def size(self) -> int:
        """How many bytes of memory the response takes."""
        return sum(map(size_of, self.parts))

    @cached_property
    def packed(self) -> Sequence[bytes]:
        """The pieces of the body compressed by gzip; they are made on first use."""
        return gzipped(self.parts)

    @cached_property
    def digest(self) -> str:
        """Identifies the body; it is computed on first use."""
        found = blake2b(digest_size=16)
        for chunk in self.chunks():
            found.update(chunk)
        return found.hexdigest()

    def chunks(self) -> Iterator[bytes]:
        """The body, one chunk after the other."""
        for part in self.parts:
            yield from (part,) if isinstance(part, bytes) else part.chunks()

    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.chunks())

    def __getitem__(self, key: str) -> AnyText:
        return self.texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def packed(body: bytes) -> bytes:
    """The body compressed by gzip."""
    return b"".join(gzipped((body,)))


def response_body(keys: Sequence[str], texts: Mapping[str, AnyText | None], more: bytes = b"") -> bytes:
    """The body with the JSON text of each key in ``data``, followed by ``more`` members."""
    # Joined in one call, because a response may be large.
    return b"".join((*map(whole, _parts(keys, texts)), b"}", more, b"}"))


def kept_response(keys: Sequence[str], texts: Mapping[str, AnyText]) -> KeptResponse:
    """The response with these texts, to be kept with its plan."""
    parts: list[AnyText] = [b""]
    for part in (*_parts(keys, texts), b"}}"):
        # Short parts are joined.
        if isinstance(part, bytes) and isinstance(parts[-1], bytes):
            parts[-1] += part
        else:
            parts.append(part)
    return KeptResponse(texts, parts)


def _parts(keys: Sequence[str], texts: Mapping[str, AnyText | None]) -> list[AnyText]:
    """The beginning of a body, then the name and the text of each key."""
    parts: list[AnyText] = [b'{"data":{']
    for key in keys:
        parts += (b',"%b":' if len(parts) > 1 else b'"%b":') % key.encode(), texts[key] or b"null"
    return parts
