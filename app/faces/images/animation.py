"""Images of several frames: which of them are drawn, and how they are written again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from PIL import Image

ANIMATED = frozenset({"GIF", "WEBP"})
"""The formats whose animations are kept, by their names in Pillow."""


class Frame(NamedTuple):
    """An image and for how many milliseconds it is shown."""

    image: Image.Image
    shown_ms: int


class TooManyPixels(Exception):
    """The frames have more pixels together than one image may have."""


def further_frames(image: Image.Image, most: int, pixels: int) -> Iterator[None]:
    """Turns ``image`` into each of its frames after the first one, up to ``most`` frames in all.

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
    """For how long the frame that was decoded last is shown."""
    return int(image.info.get("duration", 0))


def plays_of(image: Image.Image, source: str) -> int:
    """How often the animation is played; 0 for ever. GIF counts the repetitions and WebP the first time too."""
    loop = image.info.get("loop")
    if source == "WEBP":
        return int(loop or 0)
    return 1 if loop is None else int(loop) and int(loop) + 1


def options_of(frames: Sequence[Frame], plays: int, name: str) -> dict[str, Any]:
    """Pillow's options that write further frames behind the first one in the format ``name``."""
    options: dict[str, Any] = {
        "save_all": True,
        "append_images": [frame.image for frame in frames[1:]],
        "duration": [frame.shown_ms for frame in frames],
    }
    if name == "WEBP":
        return {**options, "loop": plays}
    if any(frame.image.mode in ("RGBA", "LA") for frame in frames):
        # What is transparent shows nothing of the frame before.
        options["disposal"] = 2
    return options if plays == 1 else {**options, "loop": plays and plays - 1}
