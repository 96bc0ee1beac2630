"""Sizes and crops of rendered images: the specification's table, and an independent formulation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.faces.images.sizes import Size, crop_of, scaled_size
from app.faces.images.transform import GRAVITIES, Transform

TABLE: list[tuple[tuple[int, int], dict[str, Any], tuple[int, int]]] = [
    ((800, 600), {}, (800, 600)),
    ((800, 600), {"width": 200}, (200, 150)),
    ((800, 600), {"height": 200}, (267, 200)),
    ((800, 600), {"width": 200, "height": 200}, (200, 200)),
    ((800, 600), {"width": 200, "height": 200, "resize": "contain"}, (200, 150)),
    ((800, 600), {"width": 500, "height": 2000}, (500, 600)),
    ((800, 600), {"width": 300, "height": 100, "resize": "contain"}, (133, 100)),
    ((800, 600), {"width": 1000, "height": 1000}, (800, 600)),
    ((800, 600), {"width": 1000, "height": 1000, "resize": "contain"}, (800, 600)),
    ((800, 600), {"width": 1000, "height": 1000, "resize": "fill"}, (600, 600)),
    ((800, 600), {"width": 1000, "resize": "fill"}, (800, 480)),
    ((800, 600), {"width": 200, "resize": "fill"}, (200, 600)),
    ((100, 50), {"width": 300, "height": 100, "resize": "fill"}, (100, 33)),
    ((100, 50), {"width": 200, "height": 200}, (100, 50)),
    ((600, 800), {"width": 300, "height": 100, "resize": "contain"}, (75, 100)),
    ((333, 250), {"height": 200}, (266, 200)),
    ((1000, 333), {"width": 7}, (7, 2)),
    ((3, 1000), {"width": 10, "height": 10, "resize": "contain"}, (1, 10)),
    ((3, 1000), {"width": 2}, (2, 667)),
    ((4000, 3000), {"width": 1999, "resize": "contain"}, (1999, 1499)),
    ((4000, 3000), {"width": 1920, "height": 1080}, (1920, 1080)),
    ((4000, 3000), {"width": 5000, "height": 5000, "resize": "contain"}, (2000, 1500)),
    ((801, 601), {"height": 333}, (444, 333)),
]  # fmt: skip

side = st.one_of(st.integers(1, 40), st.integers(1, 5000))


def drawn_size(source: tuple[int, int], transform: Transform) -> tuple[int, int]:
    return crop_of(scaled_size(Size(*source), transform), transform).size


@pytest.mark.parametrize(("source", "given", "expected"), TABLE)
def test_sizes_are_those_of_the_table(
    source: tuple[int, int], given: dict[str, Any], expected: tuple[int, int]
) -> None:
    assert drawn_size(source, Transform(**given).clamped(2000)) == expected


def divided(number: int, divisor: int) -> int:
    """Rounded half up, and at least 1."""
    return max(1, (2 * number + divisor) // (2 * divisor))


def rectangle(source: tuple[int, int], box: tuple[int, int], resize: str) -> tuple[int, int]:
    """The scaled image by its box, in whole numbers: in the source's shape inside or around the box, or the box's own
    shape inside the source."""
    (width, height), (wide, high) = source, box
    led_by_width = wide * height >= high * width if resize == "cover" else wide * height <= high * width
    if resize == "fill":
        if wide <= width and high <= height:
            return box
        if wide * height >= high * width:
            return width, divided(high * width, wide)
        return divided(wide * height, high), height
    if (wide > width) if led_by_width else (high > height):
        return source
    return (wide, divided(wide * height, width)) if led_by_width else (divided(high * width, height), high)


@given(source=st.tuples(side, side), wide=side, high=side, resize=st.sampled_from(["cover", "contain", "fill"]))
def test_both_sides_follow_the_box(source: tuple[int, int], wide: int, high: int, resize: str) -> None:
    expected = rectangle(source, (wide, high), resize)
    assert scaled_size(Size(*source), Transform(width=wide, height=high, resize=resize)) == expected


@given(source=st.tuples(side, side), length=side, resize=st.sampled_from(["", "cover", "contain"]))
def test_one_side_keeps_the_shape(source: tuple[int, int], length: int, resize: str) -> None:
    width, height = source
    wide, high = min(length, width), min(length, height)
    assert scaled_size(Size(*source), Transform(width=length, resize=resize)) == (wide, divided(wide * height, width))
    assert scaled_size(Size(*source), Transform(height=length, resize=resize)) == (divided(high * width, height), high)


@given(
    source=st.tuples(side, side),
    wide=st.integers(0, 3000),
    high=st.integers(0, 3000),
    resize=st.sampled_from(["cover", "contain", "fill"]),
    gravity=st.sampled_from(GRAVITIES),
    x=st.floats(-3000, 3000),
    y=st.floats(0, 1),
)
def test_the_visible_part_is_inside_the_image(
    source: tuple[int, int], wide: int, high: int, resize: str, gravity: str, x: float, y: float
) -> None:
    transform = Transform(width=wide, height=high, resize=resize, gravity=gravity, x_offset=x, y_offset=y)
    scaled = scaled_size(Size(*source), transform)
    crop = crop_of(scaled, transform)
    assert 1 <= scaled.width <= source[0]
    assert 1 <= scaled.height <= source[1]
    assert 0 <= crop.left <= scaled.width - crop.size.width
    assert 0 <= crop.top <= scaled.height - crop.size.height
    if resize == "cover":
        assert crop.size == (min(scaled.width, wide or scaled.width), min(scaled.height, high or scaled.height))
    else:
        assert crop.size == scaled


@pytest.mark.parametrize(
    ("gravity", "x", "y", "left", "top"),
    [
        # 800x600 to 200x200 is scaled to 267x200, to 200x50 to 200x150; 67 columns or 100 rows are cut off.
        ("", 0, 0, 34, 50),
        ("ce", 0, 0, 34, 50),
        ("ce", 10, -5, 44, 45),
        ("ce", 0.1, 0, 61, 50),
        ("we", 0, 0, 0, 50),
        ("we", 5, 0, 5, 50),
        ("we", 0.1, 0, 27, 50),
        ("ea", 0, 0, 67, 50),
        ("ea", 5, 0, 62, 50),
        ("no", 0, 0, 34, 0),
        ("no", 0, 7, 34, 7),
        ("so", 0, 7, 34, 93),
        ("noea", 1, 1, 66, 1),
        ("nowe", 1, 1, 1, 1),
        ("soea", 1, 1, 66, 99),
        ("sowe", 1, 1, 1, 99),
        ("soea", 5000, 5000, 0, 0),
        ("fp", 0.5, 0.5, 34, 50),
        ("fp", 0, 0, 0, 0),
        ("fp", 1, 1, 67, 100),
        ("fp", 0.6, 0.4, 60, 35),
    ],
)
def test_gravity_and_offsets_place_the_part(gravity: str, x: float, y: float, left: int, top: int) -> None:
    def crop(height: int) -> tuple[int, int]:
        transform = Transform(width=200, height=height, gravity=gravity, x_offset=x, y_offset=y)
        found = crop_of(scaled_size(Size(800, 600), transform), transform)
        return found.left, found.top

    assert (crop(200)[0], crop(50)[1]) == (left, top)
