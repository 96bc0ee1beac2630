"""Checksums that are computed while bytes arrive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Digest(Protocol):
    """A checksum that is being computed."""

    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...


class Cyclic:
    """A cyclic redundancy check; ``step`` continues one over further bytes."""

    def __init__(self, step: Callable[[bytes, int], int], size: int) -> None:
        self._step = step
        self._size = size
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = self._step(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._size, "big")
