"""Errors of drawing an image, with the messages of the REST face."""

from __future__ import annotations

from collections.abc import Mapping

from app.faces.rest.errors import RestError

_MESSAGES: Mapping[str, str] = {
    "invalid": "The source image is invalid or unsupported for rendering",
    "document type": "The source image is an SVG whose document type has declarations, such as entities: remove them",
    "resolution": "The source image resolution is too large to process",
    "frames": "The source image frame resolution is too large to process",
    "file": "The source image file is too large to process",
    "time": "The source image could not be rendered in time",
}


def not_drawn(reason: str) -> RestError:
    """The image itself is the reason of the refusal; ``reason`` is a key of ``_MESSAGES``."""
    return RestError("InvalidRequest", 400, _MESSAGES.get(reason, _MESSAGES["invalid"]))


def too_many_images() -> RestError:
    """No decoder became free in time."""
    message = "Too many images are being rendered"
    return RestError("SlowDown", 503, message, status=503, headers=(("retry-after", "1"),))


def too_often() -> RestError:
    """The client requests drawings of this object more often than allowed."""
    message = "You have requested this image too often. Try again later"
    return RestError("SlowDown", 429, message, tag="Too Many Requests", status=429, headers=(("retry-after", "1"),))


def decoder_killed() -> RestError:
    """Something else killed the decoder, such as a lack of memory on the machine; the image may be valid."""
    message = "The image could not be rendered: its decoder was killed. Try again"
    return RestError("SlowDown", 503, message, status=503, headers=(("retry-after", "1"),))
