"""Images rendered per second: a photo of 2000x1500 pixels at 200x150. ``python -m bench.storage`` measures it."""

from __future__ import annotations

import itertools
import re
import socket
from importlib.util import find_spec
from io import BytesIO

from bench.meter import Meter
from bench.storage_service import request

SIZE = (2000, 1500)


def photo() -> bytes:
    """A JPEG as detailed as a photo."""
    from PIL import Image

    bands = [Image.linear_gradient("L").resize(SIZE), Image.radial_gradient("L").resize(SIZE)]
    image = Image.merge("RGB", [*bands, Image.effect_noise(SIZE, 20)])
    written = BytesIO()
    image.save(written, "JPEG", quality=85)
    return written.getvalue()


def measure_images(meter: Meter) -> None:
    """An image rendered for the first time, one rendered before, and for comparison a download of as many bytes."""
    if find_spec("PIL") is None:
        # Without the extra `images` the service draws nothing.
        return
    meter.once("POST", "/object/b/photo.jpg", photo())
    path = "/render/image/authenticated/b/photo.jpg?width=200&height=150"
    drawn = _body(meter.address, request("GET", path))
    meter.once("POST", "/object/b/drawn.jpg", drawn)
    numbers = itertools.count(1)
    # An offset that moves nothing makes it another image.
    meter.threads("image, cold", 4, 0, lambda: request("GET", f"{path}&gravity=ce&x_offset=0.{next(numbers):06}1"))
    meter.selector("image, kept", request("GET", path))
    meter.selector("image, as object", request("GET", "/object/b/drawn.jpg"))


def _body(address: tuple[str, int], wanted: bytes) -> bytes:
    with socket.create_connection(address) as connection:
        connection.sendall(wanted)
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += connection.recv(65536)
        found = re.search(rb"(?i)content-length: (\d+)", received)
        assert found, received
        while len(received) < end + 4 + int(found[1]):
            received += connection.recv(65536)
    return received[end + 4 :]
