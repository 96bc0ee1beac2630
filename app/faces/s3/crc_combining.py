"""Computes the CRC of concatenated parts from the parts' CRCs and sizes, without reading the bytes.

A CRC is a remainder of polynomials over GF(2). The CRC of A followed by B is the CRC of A, multiplied by x to the
number of bits in B, plus the CRC of B. (These CRCs invert all bits in their first and last step; both inversions cancel
out.) Polynomials are integers whose highest bit is the coefficient of x to the power of 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

POLYNOMIALS: Mapping[str, tuple[int, int]] = {
    "crc32": (0xEDB88320, 32),
    "crc32c": (0x82F63B78, 32),
    "crc64nvme": (0x9A6C9329AC4BC9B5, 64),
}
"""The divisor of each CRC, without its highest power, and the number of bits of the CRC."""


def combined(name: str, checks: Sequence[bytes], sizes: Sequence[int]) -> bytes:
    """The CRC of all parts in this order. ``checks``: the parts' CRCs. ``sizes``: their sizes in bytes."""
    polynomial, width = POLYNOMIALS[name]
    total = 0
    for check, size in zip(checks, sizes, strict=True):
        total = _product(total, _shift(size, polynomial, width), polynomial, width) ^ int.from_bytes(check)
    return total.to_bytes(width // 8)


# Cached, since the parts of an upload have few different sizes.
@lru_cache(64)
def _shift(size: int, polynomial: int, width: int) -> int:
    """x to the number of bits in ``size`` bytes, modulo the polynomial."""
    power, square, bits = 1 << (width - 1), 1 << (width - 2), size * 8
    while bits:
        if bits & 1:
            power = _product(power, square, polynomial, width)
        square = _product(square, square, polynomial, width)
        bits >>= 1
    return power


def _product(one: int, other: int, polynomial: int, width: int) -> int:
    found = 0
    for position in range(width - 1, -1, -1):
        if one >> position & 1:
            found ^= other
        other = (other >> 1) ^ (polynomial if other & 1 else 0)
    return found
