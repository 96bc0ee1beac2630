"""Geometries as GeoJSON (RFC 7946). Input is converted to PostGIS's extended well-known text; output is printed by
PostGIS's functions.

A geometry without the member ``crs`` is in WGS 84, the only coordinate system of RFC 7946. For other systems the member
``crs`` of the specification of 2008 is used, which PostGIS supports; it is null if the system is unknown.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import ColumnElement

from app.database.identifiers import quoted
from app.query.sql.compiled_constructs import WrittenSQL
from app.query.sql.constructs import JSON_TEXT
from app.query.sql.texts import is_number, refused

NAME = "GeoJSON"
WGS_84 = 4326
_NESTING = {"Point": 0, "LineString": 1, "MultiPoint": 1, "Polygon": 2, "MultiLineString": 2, "MultiPolygon": 3}
"""How deep the positions of each type are nested in lists."""
_COLLECTION = "GeometryCollection"
_DEEPEST = 8
_DIMENSIONS = (2, 3)
_SYSTEM = re.compile(r"(?:EPSG:|urn:ogc:def:crs:EPSG:[^:]*:)(\d{1,6})|urn:ogc:def:crs:OGC:[^:]*:CRS84", re.IGNORECASE)
_EXPECTED = 'Expected a geometry such as {"type": "Point", "coordinates": [16.37, 48.21]}'
_DIGITS = 15
"""Decimal places of a printed coordinate: enough to print each coordinate as it was written."""


def geometry_text(value: Any) -> str | None:
    """The extended well-known text of a geometry. Raises RequestError if the value is not GeoJSON."""
    if value is None:
        return None
    text = _shape(value, _DEEPEST)
    system = _system(value)
    return text if system is None else f"SRID={system};{text}"


def _system(value: dict[str, Any]) -> int | None:
    """The SRID of the coordinate system; None if ``crs`` is null."""
    given = value.get("crs", ...)
    if given is ...:
        return WGS_84
    if given is None:
        return None
    properties = given.get("properties") if isinstance(given, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    found = _SYSTEM.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise refused(NAME, 'Expected crs like {"type": "name", "properties": {"name": "EPSG:4326"}}, or null')
    return int(found[1]) if found[1] else WGS_84


def _shape(value: Any, deepest: int) -> str:
    if not isinstance(value, dict) or not deepest:
        raise refused(NAME, _EXPECTED)
    type_ = value.get("type")
    if type_ == _COLLECTION and isinstance(members := value.get("geometries"), list):
        return _written(type_, [_shape(each, deepest - 1) for each in members])
    if not isinstance(type_, str) or type_ not in _NESTING:
        raise refused(NAME, _EXPECTED)
    coordinates = value.get("coordinates")
    if type_ == "Point":
        return _written(type_, [] if coordinates == [] else [_position(coordinates)])
    return _written(type_, _members(coordinates, _NESTING[type_]))


def _written(type_: str, members: list[str]) -> str:
    return f"{type_.upper()}({','.join(members)})" if members else f"{type_.upper()} EMPTY"


def _members(value: Any, depth: int) -> list[str]:
    if not isinstance(value, list):
        raise refused(NAME, _EXPECTED)
    if depth == 1:
        return [_position(each) for each in value]
    return [f"({','.join(_members(each, depth - 1))})" for each in value]


def _position(value: Any) -> str:
    if isinstance(value, list) and len(value) in _DIMENSIONS and all(map(is_number, value)):
        return " ".join(map(repr, value))
    raise refused(NAME, _EXPECTED)


def printed_geometry(schema: str, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value of the type geometry as GeoJSON text. ``schema``: the schema of PostGIS. ``crs`` is written here, because
    PostGIS would look it up in a table that not every role may read."""
    own = quoted(schema)
    printed = f"{own}.ST_AsGeoJSON("
    number = f"{own}.ST_SRID("
    without = f", {_DIGITS}, 0)"
    texts = (
        f"CASE {number}",
        f") WHEN {WGS_84} THEN {printed}",
        f"{without} WHEN 0 THEN '{{\"crs\":null,' || pg_catalog.substr({printed}",
        f'{without}, 2) ELSE \'{{"crs":{{"type":"name","properties":{{"name":"EPSG:\' || {number}',
        f") || '\"}}}},' || pg_catalog.substr({printed}",
        f"{without}, 2) END",
    )
    return WrittenSQL("geojson", texts, [value] * (len(texts) - 1), JSON_TEXT)


def printed_geography(schema: str, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value of the type geography as GeoJSON text, without ``crs``."""
    return WrittenSQL("geojson", (f"{quoted(schema)}.ST_AsGeoJSON(", f", {_DIGITS}, 0)"), (value,), JSON_TEXT)
