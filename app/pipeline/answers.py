"""The text of an answer, and those answers that a plan keeps."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

_LEVEL = 6


@dataclass(frozen=True)
class KeptAnswer:
    """An answer that is the same for all requests of a plan, such as a description of the schema."""

    body: bytes

    @cached_property
    def packed(self) -> bytes:
        """The body compressed, once."""
        return packed(self.body)


def packed(body: bytes) -> bytes:
    """The body compressed by gzip: the same one as the same bytes, without a time stamp."""
    return gzip.compress(body, _LEVEL, mtime=0)


def answer_of(keys: Iterable[str], texts: Mapping[str, bytes | None], more: bytes = b"") -> bytes:
    """The answer with the json text of each key as its data, and with ``more`` members behind that."""
    parts = [b'{"data":{']
    for key in keys:
        parts += (b"," if len(parts) > 1 else b"", b'"%b":' % key.encode(), texts[key] or b"null")
    # Joined at once: an answer may be large.
    return b"".join((*parts, b"}", more, b"}"))
