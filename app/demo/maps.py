"""Draws maps of cities: a city is a dot whose size and brightness grow with its population."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

_NIGHT = (16, 24, 40)
_LIGHT = (255, 214, 150)
_MARK = (255, 96, 72)
# Each picture is drawn larger and then scaled down, which smooths its dots.
_OVERSIZE = 2


class City(NamedTuple):
    """A city on a map; ``latitude`` and ``longitude`` in degrees."""

    latitude: float
    longitude: float
    population: int


class Bounds(NamedTuple):
    """The part of the world that a map shows, in degrees."""

    south: float
    west: float
    north: float
    east: float


WORLD = Bounds(-58, -180, 78, 180)
CONTINENTS = {
    "africa": Bounds(-36, -20, 38, 53),
    "asia": Bounds(-12, 25, 60, 150),
    "europe": Bounds(34, -25, 71, 60),
    "north-america": Bounds(6, -130, 60, -52),
    "oceania": Bounds(-48, 110, 0, 180),
    "south-america": Bounds(-56, -83, 14, -33),
}


def around(city: City, degrees: float) -> Bounds:
    """The square on the ground around ``city``, ``degrees`` high from south to north."""
    high = degrees / 2
    wide = high / math.cos(math.radians(city.latitude))
    return Bounds(city.latitude - high, city.longitude - wide, city.latitude + high, city.longitude + wide)


def draw_map(cities: Iterable[City], bounds: Bounds, width: int, marked: tuple[City, str] | None = None) -> bytes:
    """A PNG, ``width`` pixels wide. ``marked``: a city to mark, and its name."""
    across = width * _OVERSIZE / (bounds.east - bounds.west)
    # Except at the equator, a degree to the north is longer than one to the east.
    upward = across / math.cos(math.radians((bounds.south + bounds.north) / 2))
    size = (width * _OVERSIZE, round((bounds.north - bounds.south) * upward))
    image = Image.new("RGB", size, _NIGHT)
    draw = ImageDraw.Draw(image)

    def place(city: City) -> tuple[float, float]:
        return (city.longitude - bounds.west) * across, (bounds.north - city.latitude) * upward

    for city in sorted(cities, key=lambda each: each.population):
        x, y = place(city)
        if 0 <= x < size[0] and 0 <= y < size[1]:
            radius, colour = _look(city.population, across)
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
    if marked:
        _mark(draw, *place(marked[0]), marked[1])
    image = image.resize((size[0] // _OVERSIZE, size[1] // _OVERSIZE), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    image.quantize(64).save(written, "PNG", optimize=True)
    return written.getvalue()


def _look(population: int, across: float) -> tuple[float, tuple[int, ...]]:
    """Radius in pixels and colour of a city's dot, if a degree is ``across`` pixels wide."""
    size = math.log10(max(population, 10_000) / 10_000)
    brightness = min(1.0, 0.35 + 0.25 * size)
    colour = tuple(round(dark + (light - dark) * brightness) for dark, light in zip(_NIGHT, _LIGHT, strict=True))
    return (0.3 + 0.4 * size) * across**0.4, colour


def _mark(draw: ImageDraw.ImageDraw, x: float, y: float, name: str) -> None:
    draw.circle((x, y), 26, outline=_MARK, width=4)
    font = ImageFont.load_default(56)
    draw.text((x + 40, y), name, fill="white", font=font, anchor="lm", stroke_width=6, stroke_fill=_NIGHT)
