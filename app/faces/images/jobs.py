"""The messages between the service and its decoder processes."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Literal

from app.faces.images.transform import Transform

OutputFormat = Literal["origin", "avif", "webp"]


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """The limits of one image: its decoded pixels, the pixels of all its frames together, and the seconds that it may
    take. At most ``frames`` frames of an animation are drawn."""

    pixels: int
    seconds: float
    frames: int = 1

    @property
    def memory(self) -> int:
        """The address space that the process needs, in bytes. Among the formats that are read, WebP with alpha needs
        the most: 16 bytes for each pixel, plus 50 MiB."""
        return 256 * 1024**2 + 20 * self.pixels


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested drawing. ``negotiated``: the client prefers ``format``, and an image without pixels, such as SVG,
    may keep its own; otherwise the result must have that format."""

    transform: Transform
    format: OutputFormat
    negotiated: bool

    def encode(self, length: int) -> bytes:
        """The line before an image of ``length`` bytes."""
        return json.dumps({**dataclasses.asdict(self), "length": length}).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> tuple[Wanted, int]:
        """The value and the length from the result of ``encode``."""
        members = json.loads(line)
        return cls(Transform(**members["transform"]), members["format"], members["negotiated"]), members["length"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An encoded image."""

    media_type: str
    content: bytes
