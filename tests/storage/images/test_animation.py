"""Animations, with the setting for the number of rendered frames."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageSequence

from app.faces.images.decoders import Decoders
from app.faces.images.jobs import DecoderLimits, Drawn, Wanted
from app.faces.images.transform import Transform
from app.storage.bytes.backend import Readable
from tests.process.running import PATIENCE_S
from tests.storage.images.conftest import Draw
from tests.storage.images.pictures import encoded, opened

FRAMES, PIXELS = 3, 40 * 20 * 4
COLOURS = ("red", "lime", "blue", "white")


@pytest.fixture(scope="module")
def animate() -> Iterator[Draw]:
    """A function that renders an image in a decoder with a limit of three frames."""
    decoders = Decoders(DecoderLimits(PIXELS, PATIENCE_S, FRAMES), processes=1, threads=4)

    def draw(content: bytes, form: str = "origin", **transform: Any) -> Drawn | str:
        with decoders.one() as decoder:
            source = Readable(len(content), file=BytesIO(content))
            return decoder.draw(Wanted(Transform(**transform), form, negotiated=False), source)  # type: ignore[arg-type]

    yield draw
    decoders.close()


def animation(name: str, count: int, size: tuple[int, int] = (40, 20), mode: str = "RGB", **options: Any) -> bytes:
    frames = [Image.new("RGB", size, colour).convert(mode) for colour in COLOURS[:count]]
    durations = [100 * number for number in range(1, count + 1)]
    return encoded(frames[0], name, save_all=True, append_images=frames[1:], duration=durations, **options)


def frames_of(drawn: Drawn | str) -> tuple[list[tuple[int, tuple[int, ...]]], object]:
    """The duration of each frame and the colour of its middle, and the number of repetitions."""
    assert isinstance(drawn, Drawn), drawn
    image = opened(drawn.content)
    assert image.size == (20, 10)
    shown = []
    for frame in ImageSequence.Iterator(image):
        frame.load()
        colour = frame.convert("RGB").getpixel((10, 5))
        assert isinstance(colour, tuple)
        shown.append((frame.info["duration"], tuple(round(value / 255) for value in colour)))
    return shown, image.info.get("loop")


RED, LIME, BLUE = (100, (1, 0, 0)), (200, (0, 1, 0)), (300, (0, 0, 1))


@pytest.mark.parametrize(
    ("name", "form", "loop", "kept"),
    [
        ("GIF", "origin", {"loop": 0}, 0),
        ("GIF", "origin", {}, None),
        ("GIF", "webp", {}, 1),
        ("GIF", "webp", {"loop": 2}, 3),
        ("WEBP", "origin", {"loop": 2}, 2),
    ],
)
def test_frames_times_and_repetitions_are_kept(
    animate: Draw, name: str, form: str, loop: dict[str, Any], kept: int | None
) -> None:
    content = animation(name, 3, lossless=True, **loop) if name == "WEBP" else animation(name, 3, **loop)
    assert frames_of(animate(content, form, width=20)) == ([RED, LIME, BLUE], kept)


def test_later_frames_are_dropped(animate: Draw) -> None:
    assert frames_of(animate(animation("GIF", 4), width=20))[0] == [RED, LIME, BLUE]


def test_every_frame_is_cut_out_at_the_same_place(animate: Draw) -> None:
    drawn = animate(animation("GIF", 2), width=10, height=10, gravity="sm")
    assert isinstance(drawn, Drawn)
    assert [frame.size for frame in ImageSequence.Iterator(opened(drawn.content))] == [(10, 10)] * 2


def test_all_frames_count_as_pixels(animate: Draw) -> None:
    assert animate(animation("GIF", 3, (50, 40))) == "frames"
    assert isinstance(animate(animation("GIF", 1, (50, 40))), Drawn)


def test_transparent_pixels_stay_transparent(animate: Draw) -> None:
    frames = [Image.new("RGBA", (40, 20)) for _ in range(2)]
    for number, frame in enumerate(frames):
        frame.paste((255, 0, 0, 255), (20 * number, 0, 20 * number + 20, 20))
    content = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100, disposal=2)
    for form in ("origin", "webp"):
        drawn = animate(content, form, width=20)
        assert isinstance(drawn, Drawn)
        image = opened(drawn.content)
        image.seek(1)
        shown = image.convert("RGBA")
        assert [shown.getpixel((x, 5))[3] for x in (3, 16)] == [0, 255]  # type: ignore[index]


def test_one_frame_is_rendered_without_the_setting(draw: Draw) -> None:
    drawn = draw(animation("GIF", 3), "webp")
    assert isinstance(drawn, Drawn)
    assert getattr(opened(drawn.content), "n_frames", 1) == 1
