"""Images that tests upload."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image

ORIENTATION = 0x0112


def picture(
    name: str = "JPEG", size: tuple[int, int] = (800, 600), mode: str = "RGB", colour: Any = None, **options: Any
) -> bytes:
    """An image of one colour, or with a gradient from left (black) to right without one."""
    if colour is None:
        image = Image.linear_gradient("L").rotate(90).resize(size).convert(mode)
    else:
        image = Image.new(mode, size, colour)
    return encoded(image, name, **options)


def turned(orientation: int, size: tuple[int, int] = (800, 600), name: str = "JPEG") -> bytes:
    """An image with an EXIF orientation."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return picture(name, size, exif=exif)


def encoded(image: Image.Image, name: str, **options: Any) -> bytes:
    written = BytesIO()
    image.save(written, name, **options)
    return written.getvalue()


def opened(content: bytes) -> Image.Image:
    image = Image.open(BytesIO(content))
    image.load()
    return image
