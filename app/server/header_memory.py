"""Remembers the headers of requests: clients repeat theirs, and parsing one takes longer than finding it here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class KnownHeader:
    """A header block that was parsed before. ``parsed``: the attributes of its requests; ``environ``: that of WSGI,
    without body and client's address, None before the first request.

    ``whole``: the attributes of a request that is received at once with its body, ``size`` bytes together; None where
    each must be judged.
    """

    __slots__ = ("environ", "parsed", "size", "whole")

    def __init__(self, parsed: dict[str, Any]) -> None:
        self.parsed = parsed
        self.environ: dict[str, Any] | None = None
        self.whole: dict[str, Any] | None = None
        self.size = 0


class HeaderMemory:
    """A cache of parsed headers by their bytes."""

    _ENTRIES = 500
    _LONGEST = 2048

    def __init__(self) -> None:
        self._known: dict[bytes, KnownHeader] = {}
        self.find: Callable[[bytes], KnownHeader | None] = self._known.get

    def keep(self, block: bytes, known: KnownHeader) -> None:
        if len(block) <= self._LONGEST:
            if len(self._known) >= self._ENTRIES:
                self._known.clear()
            self._known[block] = known
