"""The transform of an image that a request wants, and its text formats."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

RESIZES = ("cover", "contain", "fill")
FORMATS = ("origin", "avif", "webp")
GRAVITIES = ("no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp")
LEAST_QUALITY, BEST_QUALITY = 20, 100

_RESIZING_TYPES = {"cover": "fill", "contain": "fit", "fill": "force"}
_ABSENT = "undefined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """The transform; 0 and '' mean that a parameter is absent. Without a format, the format is negotiated.

    The offsets move the part that ``cover`` cuts out, inwards from the edge of the gravity. An absolute value below 1
    is a fraction of the scaled image; larger values are pixels. With the gravity ``fp`` they are the point to keep in
    view.
    """

    width: int = 0
    height: int = 0
    resize: str = ""
    quality: int = 0
    format: str = ""
    gravity: str = ""
    x_offset: float = 0.0
    y_offset: float = 0.0

    @property
    def is_sized(self) -> bool:
        return bool(self.width or self.height)

    def clamped(self, longest_side: int) -> Transform:
        """The same with sides of at most ``longest_side`` pixels."""
        return dataclasses.replace(self, width=min(self.width, longest_side), height=min(self.height, longest_side))

    def as_header(self) -> str:
        """The value of ``x-transformations`` in the syntax of imgproxy, which clients read; '' without parameters."""
        words = (
            *_pairs(height=self.height, width=self.width),
            *_pairs(resizing_type=_RESIZING_TYPES[self.resize or "cover"] if self.is_sized else ""),
            *_pairs(quality=self.quality, format="" if self.format == "origin" else self.format),
            *self._gravity(),
        )
        return ",".join(words)

    def as_claim(self) -> str:
        """The text in the token of a signed URL; '' without parameters."""
        words = (
            *_pairs(height=self.height, width=self.width, resize=self.resize),
            *_pairs(quality=self.quality, format=self.format),
            *self._gravity(),
        )
        return ",".join(words)

    def _gravity(self) -> Iterator[str]:
        if self.gravity:
            moved = self.gravity == "fp" or self.x_offset or self.y_offset
            offsets = f":{_short(self.x_offset)}:{_short(self.y_offset)}" if moved else ""
            yield f"gravity:{self.gravity}{offsets}"


def _pairs(**values: int | str) -> Iterator[str]:
    return (f"{name}:{value}" for name, value in values.items() if value)


def _short(number: float) -> str:
    """The number without a fraction of zero."""
    return str(int(number)) if number.is_integer() else repr(number)


def members_of_claim(claim: str) -> dict[str, str]:
    """The members of a text that ``as_claim`` or an older server wrote, by the names of the parameters."""
    pairs = (pair.partition(":") for pair in claim.split(","))
    given = {name: value for name, _, value in pairs if value and value != _ABSENT}
    gravity, *offsets = given.get("gravity", "").split(":")
    if gravity:
        given |= {"gravity": gravity, **dict(zip(("x_offset", "y_offset"), offsets, strict=False))}
    return given
