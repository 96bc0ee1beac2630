"""What the service and its decoder processes tell each other."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Literal

from app.storage.images.transform import Transform

OutputFormat = Literal["origin", "avif", "webp"]


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """What one image may take: pixels when decoded, and seconds."""

    pixels: int
    seconds: float

    @property
    def memory(self) -> int:
        """The address space of the process. An image of the kind that needs most, WebP with alpha, is in memory up to
        six times: twice in the codec, as a copy of that, as Pillow's image, and with its alpha multiplied."""
        return 512 * 1024**2 + 6 * 4 * self.pixels


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
