"""Animated images: reads the frames to draw, and the options with which Pillow writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from PIL import Image

ANIMATED = frozenset({"GIF", "WEBP"})
"""The formats whose animations stay animations, by their names in Pillow."""


class Frame(NamedTuple):
    """An image, and the time for which it is shown, in milliseconds."""

    image: Image.Image
    shown_ms: int


class TooManyPixels(Exception):
    """The frames together have more pixels than one image may have."""


def further_frames(image: Image.Image, most: int, pixels: int) -> Iterator[None]:
    """Seek ``image`` to each of its frames after the first one, up to ``most`` frames in all.

    Raises TooManyPixels before it decodes more than ``pixels``.
    """
    for number in range(1, most):
        try:
            image.seek(number)
        except EOFError:
            return
        if (number + 1) * image.width * image.height > pixels:
            raise TooManyPixels
        yield


def shown_ms(image: Image.Image) -> int:
    """The time for which the last decoded frame is shown, in milliseconds."""
    return int(image.info.get("duration", 0))


def plays_of(image: Image.Image, source: str) -> int:
    """The number of times that the animation plays; 0 for endlessly. GIF counts only repetitions, WebP all plays."""
    loop = image.info.get("loop")
    if source == "WEBP":
        return int(loop or 0)
    return 1 if loop is None else int(loop) and int(loop) + 1


def options_of(frames: Sequence[Frame], plays: int, name: str) -> dict[str, Any]:
    """Pillow's options that write the further frames after the first one in the format ``name``."""
    options: dict[str, Any] = {
        "save_all": True,
        "append_images": [frame.image for frame in frames[1:]],
        "duration": [frame.shown_ms for frame in frames],
    }
    if name == "WEBP":
        return {**options, "loop": plays}
    if any(frame.image.mode in ("RGBA", "LA") for frame in frames):
        # The previous frame does not show through transparent pixels.
        options["disposal"] = 2
    return options if plays == 1 else {**options, "loop": plays and plays - 1}
