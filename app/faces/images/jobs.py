"""What the service and its decoder processes tell each other."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Literal

from app.faces.images.transform import Transform

OutputFormat = Literal["origin", "avif", "webp"]


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """What one image may take: pixels when decoded, those of all its frames together, and seconds. Of an animation,
    ``frames`` are drawn."""

    pixels: int
    seconds: float
    frames: int = 1

    @property
    def memory(self) -> int:
        """The address space of the process. Of the images that are read, WebP with alpha needs most: 16 bytes for each
        pixel, and 50 MiB besides."""
        return 256 * 1024**2 + 20 * self.pixels


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be drawn. ``negotiated``: the format is what the client prefers, and an image without pixels may stay
    as it is; otherwise it has to be that format."""

    transform: Transform
    format: OutputFormat
    negotiated: bool

    def encode(self, length: int) -> bytes:
        """The line before an image of ``length`` bytes."""
        return json.dumps({**dataclasses.asdict(self), "length": length}).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> tuple[Wanted, int]:
        """What ``encode`` encoded."""
        members = json.loads(line)
        return cls(Transform(**members["transform"]), members["format"], members["negotiated"]), members["length"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An encoded image."""

    media_type: str
    content: bytes
