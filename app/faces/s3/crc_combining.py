"""The cyclic redundancy check of bytes whose parts' checks and sizes are known, without reading the bytes.

A check is a remainder of polynomials over GF(2). That of A followed by B is the check of A, multiplied by x to the
number of bits in B, plus the check of B: what the first and the last step of these checks (all bits are inverted) add
to both cancels out. Polynomials are integers whose highest bit is the coefficient of x to the power of 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

POLYNOMIALS: Mapping[str, tuple[int, int]] = {
    "crc32": (0xEDB88320, 32),
    "crc32c": (0x82F63B78, 32),
    "crc64nvme": (0x9A6C9329AC4BC9B5, 64),
}
"""What each of these checks divides by, without the highest power, and the number of its bits."""


def combined(name: str, checks: Sequence[bytes], sizes: Sequence[int]) -> bytes:
    """The check of the parts with these checks and sizes in bytes, in this order."""
    polynomial, width = POLYNOMIALS[name]
    whole = 0
    for check, size in zip(checks, sizes, strict=True):
        whole = _product(whole, _shift(size, polynomial, width), polynomial, width) ^ int.from_bytes(check)
    return whole.to_bytes(width // 8)


# The parts of an upload have few sizes.
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
