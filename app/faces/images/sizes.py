"""The size of a drawn image, and the part of the scaled image that it shows. Clients rely on the exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from app.faces.images.transform import Transform

_HALF = Fraction(1, 2)


class Size(NamedTuple):
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Crop:
    """The part of the scaled image that is shown. It is the complete image unless ``cover`` cuts something off."""

    left: int
    top: int
    size: Size


def scaled_size(source: Size, transform: Transform) -> Size:
    """The size to which an upright image of the size ``source`` is scaled, before anything is cut off.

    Neither side is longer than in the source, or shorter than one pixel.
    """
    across, down = _shrink_factors(source, transform)
    least = min(across, down)
    if least < 1:
        across, down = across / least, down / least
    return Size(_rounded_side(source.width, across), _rounded_side(source.height, down))


def crop_of(scaled: Size, transform: Transform) -> Crop:
    """The shown part of the scaled image. For the gravity ``sm``, only the size is valid."""
    if not transform.is_sized or transform.resize not in ("", "cover"):
        return Crop(0, 0, scaled)
    size = Size(
        min(scaled.width, transform.width or scaled.width), min(scaled.height, transform.height or scaled.height)
    )
    horizontal, vertical = _edges(transform.gravity)
    return Crop(
        _start(scaled.width, size.width, horizontal, transform.x_offset),
        _start(scaled.height, size.height, vertical, transform.y_offset),
        size,
    )


def _shrink_factors(source: Size, transform: Transform) -> tuple[Fraction, Fraction]:
    across = Fraction(source.width, transform.width or source.width)
    down = Fraction(source.height, transform.height or source.height)
    if transform.resize == "fill" or not transform.is_sized:
        return across, down
    if not transform.height:
        return across, across
    if not transform.width:
        return down, down
    both = max(across, down) if transform.resize == "contain" else min(across, down)
    return both, both


def _rounded_side(side: int, factor: Fraction) -> int:
    """The side divided by ``factor``, rounded half up."""
    return max(1, int(side / factor + _HALF))


def _edges(gravity: str) -> tuple[str, str]:
    """The horizontal and vertical edges of a gravity: '' for the middle, ``fp`` for a point."""
    if gravity == "fp":
        return gravity, gravity
    horizontal = next((edge for edge in ("ea", "we") if gravity.endswith(edge)), "")
    vertical = next((edge for edge in ("no", "so") if gravity.startswith(edge)), "")
    return horizontal, vertical


def _start(total: int, part: int, edge: str, offset: float) -> int:
    """Where the part begins. Python rounds half to even, which clients expect here."""
    if edge == "fp":
        start = round(offset * total) - part // 2
    else:
        moved = round(offset if abs(offset) >= 1 else offset * total)
        if edge in ("we", "no"):
            start = moved
        elif edge in ("ea", "so"):
            start = total - part - moved
        else:
            start = round((total - part + 1) / 2) + moved
    return max(0, min(start, total - part))
