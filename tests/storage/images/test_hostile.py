"""Images made to harm their decoder: they are refused, or rendered within the limits."""

from __future__ import annotations

import random
import struct
import zlib

import psutil
import pytest
from PIL import Image

from app.faces.images.decoders import Decoders
from app.faces.images.jobs import DecoderLimits, Drawn
from bench.mutated_images import AS_IT_IS, Trial, mutated, seeds
from tests.process.running import PATIENCE_S
from tests.storage.images.conftest import PIXELS, Draw
from tests.storage.images.pictures import opened, picture

PNG = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *more: bytes, pixels: bytes = b"\0" * 1000) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return PNG + header + b"".join(more) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def jpeg(width: int, height: int) -> bytes:
    content = bytearray(picture("JPEG", (16, 16)))
    start = content.index(b"\xff\xc0") + 5
    content[start : start + 4] = struct.pack(">HH", height, width)
    return bytes(content)


def gif(screen: tuple[int, int], frame: tuple[int, int]) -> bytes:
    content = bytearray(picture("GIF", (8, 8), "P"))
    content[6:10] = struct.pack("<HH", *screen)
    start = content.index(b"\x2c\0\0\0\0") + 5
    content[start : start + 4] = struct.pack("<HH", *frame)
    return bytes(content)


def webp(width: int, height: int) -> bytes:
    content = bytearray(picture("WEBP", (16, 16), exif=Image.Exif().tobytes() or b"Exif\0\0"))
    start = content.index(b"VP8X") + 12
    content[start : start + 6] = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return bytes(content)


def bmp(width: int, height: int) -> bytes:
    content = bytearray(picture("BMP", (16, 16)))
    content[18:26] = struct.pack("<ii", width, height)
    return bytes(content)


def ico(nested: bytes) -> bytes:
    return struct.pack("<HHH", 0, 1, 1) + struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, len(nested), 22) + nested


@pytest.mark.parametrize(
    "content",
    [
        png(100_000, 100_000),
        png(2**31 - 1, 2**31 - 1),
        png(2001, 2000),
        jpeg(65_500, 65_500),
        webp(16_383, 16_383),
        bmp(30_000, 30_000),
        gif((60_000, 60_000), (8, 8)),
        gif((8, 8), (60_000, 60_000)),
        ico(png(20_000, 20_000)),
    ],
    ids=["PNG", "largest PNG", "a row too many", "JPEG", "WebP", "BMP", "GIF", "frame of a GIF", "PNG in an ICO"],
)
def test_more_pixels_than_allowed_are_refused(draw: Draw, content: bytes) -> None:
    assert draw(content, width=10) == "resolution"


def test_the_pixel_limit_is_exact(draw: Draw) -> None:
    pixels = (b"\0" * 6001) * 2000
    assert isinstance(draw(png(2000, 2000, pixels=pixels), width=10), Drawn)


BOMB = zlib.compress(b"\0" * 100_000_000)


@pytest.mark.parametrize(
    "content",
    [
        png(10, 10, chunk(b"zTXt", b"Comment\0\0" + BOMB)),
        png(10, 10, chunk(b"iTXt", b"Comment\0\1\0\0\0" + BOMB)),
        png(10, 10, chunk(b"iCCP", b"profile\0\0" + BOMB)),
        png(10, 10)[:-12] + chunk(b"IDAT", BOMB),
        png(10, 10, *[chunk(b"tEXt", b"k\0" + b"v" * 100)] * 20_000),
    ],
    ids=["zTXt", "iTXt", "iCCP", "IDAT", "many texts"],
)
def test_growing_chunks_take_little_memory(decoders: Decoders, draw: Draw, content: bytes) -> None:
    outcome = draw(content)
    assert isinstance(outcome, Drawn) or outcome == "invalid"
    with decoders.one() as decoder:
        assert psutil.Process(decoder.pid).memory_info().rss < 250 * 1024**2


@pytest.mark.parametrize("name", ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO"])
def test_truncated_images_are_rendered_or_refused(draw: Draw, name: str) -> None:
    content = picture(name, (64, 64))
    for length in range(1, len(content), max(1, len(content) // 12)):
        outcome = draw(content[:length])
        assert isinstance(outcome, Drawn) or outcome == "invalid"


@pytest.mark.parametrize("name", ["JPEG", "PNG", "GIF", "WEBP", "BMP"])
def test_polyglots_lose_their_other_content(draw: Draw, name: str) -> None:
    script = b"<script>alert(1)</script>*/=1;//"
    drawn = draw(picture(name, (16, 16)) + script)
    assert isinstance(drawn, Drawn)
    assert b"script" not in drawn.content
    assert opened(drawn.content).size == (16, 16)


def test_an_image_after_other_bytes_is_invalid(draw: Draw) -> None:
    for prefix in (b"%PDF-1.7\n", b"\0", b"PK\3\4"):
        assert draw(prefix + picture()) == "invalid"


def test_circular_directories_of_tiff_end(draw: Draw) -> None:
    content = bytearray(picture("TIFF", (8, 8)))
    first = struct.unpack("<I", content[4:8])[0]
    entries = struct.unpack("<H", content[first : first + 2])[0]
    content[first + 2 + 12 * entries :][:4] = struct.pack("<I", first)
    assert isinstance(draw(bytes(content)), Drawn)


def test_mutated_images_do_no_harm() -> None:
    """``python -m bench.mutated_images`` does it a hundred thousand times."""
    decoders = Decoders(DecoderLimits(PIXELS, PATIENCE_S), processes=1, threads=4)
    trial = Trial(400, decoders, seeds())
    try:
        trial.run(processes=1, seed=7)
        assert trial.outcomes.total() == 400
        assert trial.outcomes["drawn"] > 40
        assert trial.outcomes["invalid"] > 100
        assert all(isinstance(trial.draw(each, AS_IT_IS), Drawn) for each in trial.good)
    finally:
        decoders.close()


def test_mutations_are_those_of_their_seed() -> None:
    good = seeds()
    once, again = ([mutated(source, good) for _ in range(20)] for source in (random.Random(3), random.Random(3)))
    assert once == again
