"""Remembers the headers of requests: clients repeat theirs, and parsing one takes longer than finding it here."""

from __future__ import annotations

from typing import Any

# What is received at once with a header is shorter; the rest is received, and counted, in parts.
_LONGEST_BODY = 16 * 1024


class KnownHeader:
    """A header block that was parsed before. ``length``: of the body that follows it; ``largest``: the length that any
    such body may have, None where each request is judged anew."""

    __slots__ = ("environ", "largest", "length", "parsed")

    def __init__(self, parsed: dict[str, Any], length: int) -> None:
        self.parsed = parsed
        self.length = length
        self.largest: int | None = None
        self.environ: dict[str, Any] | None = None

    def takes(self, received: int) -> bool:
        """Whether ``received`` bytes after the block have the whole body, which needs no judgement."""
        if not self.length:
            return True
        return self.largest is not None and self.length <= min(self.largest, received, _LONGEST_BODY)


class HeaderMemory:
    """A cache of parsed headers. Clients repeat theirs, and parsing one takes longer than finding it here."""

    _ENTRIES = 500
    _LONGEST = 2048

    def __init__(self) -> None:
        self._known: dict[bytes, KnownHeader] = {}

    def find(self, block: bytes) -> KnownHeader | None:
        return self._known.get(block)

    def keep(self, block: bytes, known: KnownHeader) -> None:
        if len(block) <= self._LONGEST:
            if len(self._known) >= self._ENTRIES:
                self._known.clear()
            self._known[block] = known
