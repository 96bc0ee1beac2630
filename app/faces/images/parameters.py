"""A transform in a query or in the body of a signing request, with the messages of the REST face."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

from app.faces.images.transform import (
    BEST_QUALITY,
    FORMATS,
    GRAVITIES,
    LEAST_QUALITY,
    RESIZES,
    Transform,
    members_of_claim,
)
from app.faces.rest.errors import invalid_request
from app.faces.rest.json_bodies import Member, check_object

_LONGEST_CACHED = 100

MEMBERS = (
    Member("width", "integer", least=0),
    Member("height", "integer", least=0),
    Member("resize", "string", among=RESIZES),
    Member("quality", "integer", least=LEAST_QUALITY, most=BEST_QUALITY),
    Member("format", "string", among=FORMATS),
    Member("gravity", "string", among=GRAVITIES),
    Member("x_offset", "number"),
    Member("y_offset", "number"),
)


def transform_in_query(query: str, longest_side: int) -> Transform:
    """The transform in a raw query string. Raises RestError, also for a repeated parameter."""
    # Longer queries are not cached: they are rare, take memory, and may contain a credential.
    return (_read_once if len(query) <= _LONGEST_CACHED else _read)(query, longest_side)


def _read(query: str, longest_side: int) -> Transform:
    given = parse_qs(query, keep_blank_values=True)
    single = {name: values[0] if len(values) == 1 else values for name, values in given.items()}
    return transform_of(check_object(single, MEMBERS, "querystring"), "querystring", longest_side)


# A web page requests many images in one size.
_read_once = lru_cache(1000)(_read)


def transform_in_claims(claims: Mapping[str, Any], longest_side: int) -> Transform:
    """The transform that the token of a signed URL permits. Raises RestError."""
    given = members_of_claim(str(claims.get("transformations") or ""))
    if claims.get("format"):
        given["format"] = str(claims["format"])
    return transform_of(check_object(given, MEMBERS, "token"), "token", longest_side)


def transform_of(checked: Mapping[str, Any], where: str, longest_side: int) -> Transform:
    """The transform from ``checked`` members, with sides of at most ``longest_side``. Raises RestError."""
    if checked.get("gravity") == "fp":
        for name in ("x_offset", "y_offset"):
            _check_point(checked, name, where)
    return Transform(**checked).clamped(longest_side)


def _check_point(checked: Mapping[str, Any], name: str, where: str) -> None:
    """Raise RestError unless the coordinate of the point is between 0 and 1."""
    if name not in checked:
        raise invalid_request(f"{where} must have required property '{name}'")
    if checked[name] < 0:
        raise invalid_request(f"{where}/{name} must be >= 0")
    if checked[name] > 1:
        raise invalid_request(f"{where}/{name} must be <= 1")
