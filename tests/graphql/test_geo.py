"""VALUE_TYPES=geo: geometries and geographies of PostGIS as GeoJSON, how they lie, and how far they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from graphql import print_type

from app.errors import RequestError
from app.query.values.geojson import geometry_text
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.requests import ask_with
from tests.graphql.test_operators import types_of, without_descriptions
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema "Odd one";
create extension postgis schema "Odd one";
grant usage on schema "Odd one" to anon, service_role;
set search_path = public, "Odd one";
create table place (
  id int primary key, name text, spot geography(point), area geometry(geometry, 4326), plan geometry(point),
  grid geometry(point, 3857), spots geometry(point, 4326)[]
);
insert into place values
  (1, 'Vienna', 'point(16.37 48.21)', 'srid=4326;polygon((16 48, 17 48, 17 49, 16 49, 16 48))', 'point(1 2)',
   'srid=3857;point(1822000 6141000)', array['srid=4326;point(1 2)', 'srid=4326;point(3 4.5)']::geometry[]),
  (2, 'Graz', 'point(15.44 47.07)', 'srid=4326;point(15.44 47.07)', null, null, null),
  (3, 'Linz', 'point(14.29 48.31)', 'srid=4326;linestring(14 48, 16.5 48.5)', null, null, null),
  (4, 'nowhere', null, null, null, null, null);
alter table place enable row level security;
create policy shown on place to anon using (name <> 'hidden');
insert into place values (5, 'hidden', 'point(16.37 48.21)', 'srid=4326;point(16.5 48.5)', null, null, null);
create table any_shape (id int generated always as identity primary key, shape geometry);
grant all on place, any_shape to anon, service_role;
"""
ON = {"value_types": "geo"}
SHAPED = ("spot", "area", "plan", "grid")
VIENNA = {"type": "Point", "coordinates": [16.37, 48.21]}
BOX = {"type": "Polygon", "coordinates": [[[16, 48], [17, 48], [17, 49], [16, 49], [16, 48]]]}


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("postgis")


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, **ON)


def matching_ids(api: Api, filter_: Any) -> list[int]:
    query = "query ($f: placeFilter) { placeCollection(filter: $f) { edges { node { id } } } }"
    return [each["node"]["id"] for each in api.ask(query, {"f": filter_}).data["placeCollection"]["edges"]]


def test_geometries_have_types_and_operators(api: Api, reading_api: StartApi) -> None:
    types = types_of(api)
    fields = types["place"].fields
    assert {str(fields[each].type) for each in SHAPED} == {"GeoJSON"}
    assert str(fields["spots"].type) == "[GeoJSON]"
    assert "area" not in types["placeOrderBy"].fields
    operators = "eq in is neq intersects within contains withinDistance distinctFrom not"
    assert set(types["GeoJSONFilter"].fields) == set(operators.split())
    printed = [without_descriptions(print_type(types[each])) for each in ("placeNear", "NearGeoJSON")]
    assert printed == [
        "input placeNear @oneOf {\n" + "".join(f"  {each}: NearGeoJSON\n" for each in SHAPED) + "}",
        "input NearGeoJSON {\n  to: GeoJSON!\n}",
    ]
    without = types_of(reading_api(SCHEMA))
    assert str(without["place"].fields["spot"].type) == "Opaque"
    assert "distance" not in without["placeEdge"].fields


def test_values_are_geojson(api: Api) -> None:
    query = "{ placeCollection(first: 2) { edges { node { spot area plan grid spots } } } }"
    first, second = (each["node"] for each in api.ask(query).data["placeCollection"]["edges"])
    assert first == {
        "spot": VIENNA,
        "area": BOX,
        "plan": {"crs": None, "type": "Point", "coordinates": [1, 2]},
        "grid": {
            "crs": {"type": "name", "properties": {"name": "EPSG:3857"}},
            "type": "Point",
            "coordinates": [1822000, 6141000],
        },
        "spots": [{"type": "Point", "coordinates": [1, 2]}, {"type": "Point", "coordinates": [3, 4.5]}],
    }
    assert (second["plan"], second["grid"], second["spots"]) == (None, None, None)


def test_values_are_read_without_the_table_of_coordinate_systems(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "revoke select on spatial_ref_sys from public;", **ON)
    read = api.ask("{ placeCollection(first: 1) { edges { node { spot grid } } } }").data["placeCollection"]["edges"]
    assert read[0]["node"]["grid"]["crs"] == {"type": "name", "properties": {"name": "EPSG:3857"}}


SHAPES = [
    {"type": "Point", "coordinates": [0.1, -1e-7]},
    {"type": "Point", "coordinates": [16.123456789012345, 48, 200.5]},
    {"type": "Point", "coordinates": []},
    {"type": "LineString", "coordinates": [[1, 2], [3, 4], [5, 6.25]]},
    BOX,
    {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]], [[2, 1], [3, 1], [3, 2], [2, 1]]]},
    {"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]},
    {"type": "MultiLineString", "coordinates": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]},
    {"type": "MultiPolygon", "coordinates": [BOX["coordinates"], [[[0, 0], [1, 0], [1, 1], [0, 0]]]]},
    {"type": "GeometryCollection", "geometries": [VIENNA, {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}]},
    {"type": "MultiPolygon", "coordinates": []},
    {"type": "GeometryCollection", "geometries": []},
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape["type"])
@pytest.mark.parametrize("system", [None, "EPSG:4326", "EPSG:3857"])
def test_written_shapes_are_read_back(writing_api: StartApi, shape: dict[str, Any], system: str | None) -> None:
    api = writing_api(SCHEMA, "truncate any_shape", **ON)
    crs = {"crs": {"type": "name", "properties": {"name": system}} if system else None}
    query = "mutation ($s: GeoJSON!) { insertIntoany_shapeCollection(objects: [{shape: $s}]) { records { shape } } }"
    made = api.ask(query, {"s": shape | crs}).data["insertIntoany_shapeCollection"]["records"]
    # A shape without a crs is in WGS 84.
    assert made == [{"shape": shape if system == "EPSG:4326" else shape | crs}]


def test_shapes_can_be_literals_and_lists(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)
    changed = """mutation { updateplaceCollection(filter: {id: {eq: 4}}, set: {
      spot: {type: "Point", coordinates: [1, 2]}, spots: [{type: "Point", coordinates: [1, 2]}, null]
    }) { records { spot spots } } }"""
    point = {"type": "Point", "coordinates": [1, 2]}
    assert api.ask(changed).data["updateplaceCollection"]["records"] == [{"spot": point, "spots": [point, None]}]
    assert matching_ids(api, {"spot": {"eq": point}}) == [4]
    assert matching_ids(api, {"spot": {"in": [point, VIENNA]}}) == [1, 4]
    assert matching_ids(api, {"spot": {"is": "NULL"}}) == []


@pytest.mark.parametrize(
    ("filter_", "ids"),
    [
        ({"area": {"intersects": VIENNA}}, [1]),
        ({"area": {"intersects": BOX}}, [1, 3]),
        ({"area": {"contains": {"type": "Point", "coordinates": [16, 48.5]}}}, [1]),
        ({"area": {"within": BOX}}, [1]),
        ({"spot": {"within": BOX}}, [1]),
        ({"spot": {"intersects": VIENNA}}, [1]),
        ({"not": {"spot": {"intersects": VIENNA}}}, [2, 3]),
        ({"spot": {"withinDistance": {"of": VIENNA, "distance": 150_000}}}, [1, 2]),
        ({"spot": {"withinDistance": {"of": VIENNA, "distance": 140_000.5}}}, [1]),
        ({"area": {"withinDistance": {"of": VIENNA, "distance": 0.3}}}, [1, 3]),
        (
            {"plan": {"withinDistance": {"of": {"type": "Point", "coordinates": [1, 4], "crs": None}, "distance": 2}}},
            [1],
        ),
        ({"area": {"intersects": None}}, []),
        ({"area": {"withinDistance": None}}, []),
    ],
)
def test_filters_find_the_expected_rows(api: Api, filter_: Any, ids: list[int]) -> None:
    assert matching_ids(api, filter_) == ids


def near(api: Api, column: str, to: Any, more: str = "") -> list[tuple[int, float | None]]:
    query = f"query ($to: GeoJSON!) {{ placeCollection(near: {{{column}: {{to: $to}}}} {more}) {{ edges {{ distance"
    edges = api.ask(f"{query} node {{ id }} }} }} }}", {"to": to}).data["placeCollection"]["edges"]
    return [(each["node"]["id"], each["distance"]) for each in edges]


def test_near_orders_by_distance(api: Api) -> None:
    # A row without a place is the last one, and the hidden row is missing.
    assert near(api, "spot", VIENNA) == [
        (1, pytest.approx(0, abs=1)), (2, pytest.approx(144_900, rel=0.01)),
        (3, pytest.approx(154_400, rel=0.01)), (4, None),
    ]  # fmt: skip
    assert near(api, "area", {"type": "Point", "coordinates": [15.44, 47.07]}, "first: 2") == [
        (2, 0), (1, pytest.approx(1.0856, abs=0.001)),
    ]  # fmt: skip


def test_pages_are_ordered_by_distance(api: Api) -> None:
    arguments = 'near: {spot: {to: {type: "Point", coordinates: [14, 48]}}}, first: 1'
    ids, after = [], ""
    while True:
        query = f"{{ placeCollection({arguments}{after}) {{ edges {{ cursor node {{ id }} }} }} }}"
        edges = api.ask(query).data["placeCollection"]["edges"]
        if not edges:
            break
        ids.append(edges[0]["node"]["id"])
        after = f', after: "{edges[0]["cursor"]}"'
    assert ids == [3, 2, 1, 4]


@pytest.mark.parametrize(
    "value",
    [
        "point(1 2)", 1, [], {}, {"type": "Point"}, {"type": "Point", "coordinates": [1]},
        {"type": "Point", "coordinates": [1, "2"]}, {"type": "Point", "coordinates": [1, True]},
        {"type": "Point", "coordinates": [1, 2, 3, 4]}, {"type": "Point", "coordinates": [[1, 2]]},
        {"type": "LineString", "coordinates": [1, 2]}, {"type": "Polygon", "coordinates": [[1, 2], [3, 4]]},
        {"type": "Feature", "geometry": VIENNA}, {"type": "GeometryCollection", "coordinates": []},
        {"type": ["Point"], "coordinates": [1, 2]}, VIENNA | {"crs": "EPSG:4326"},
        VIENNA | {"crs": {"type": "name", "properties": {"name": "4326; drop table place"}}},
        VIENNA | {"crs": {"type": "name", "properties": {"name": "EPSG:" + "9" * 30}}},
    ],
)  # fmt: skip
def test_invalid_geojson_is_refused(api: Api, value: Any) -> None:
    answer = api.ask(NEAR, {"to": value})
    assert "Invalid input for GeoJSON type. Expected " in answer.message
    assert answer.errors[0]["extensions"]["code"] == "BAD_USER_INPUT"


NEAR = "query ($to: GeoJSON!) { placeCollection(near: {area: {to: $to}}) { edges { cursor } } }"


def test_nested_geometry_collections_are_limited() -> None:
    value: dict[str, Any] = VIENNA
    for _ in range(100):
        value = {"type": "GeometryCollection", "geometries": [value]}
    with pytest.raises(RequestError):
        geometry_text(value)


@pytest.mark.parametrize(
    ("value", "reported"),
    [
        (VIENNA | {"crs": {"type": "name", "properties": {"name": "EPSG:3857"}}}, "mixed SRID"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}, "geometry"),
        ({"type": "LineString", "coordinates": [[0, 0], [1, 1, 1]]}, "mix dimensionality"),
    ],
)
def test_errors_of_postgis_are_reported(api: Api, value: Any, reported: str) -> None:
    query = "query ($to: GeoJSON!) { placeCollection(filter: {area: {intersects: $to}}) { edges { cursor } } }"
    answer = api.ask(query, {"to": value})
    assert reported in answer.message
    assert answer.status == 200


def test_a_shape_of_the_wrong_type_is_reported(api: Api) -> None:
    query = "mutation ($s: GeoJSON!) { updateplaceCollection(set: {spot: $s}, atMost: 9) { affectedCount } }"
    assert "does not match column type (Point)" in api.ask(query, {"s": BOX}).message


def test_names_of_coordinate_systems_are_read() -> None:
    def text(name: str) -> str | None:
        return geometry_text(VIENNA | {"crs": {"type": "name", "properties": {"name": name}}})

    assert text("urn:ogc:def:crs:OGC:1.3:CRS84") == "SRID=4326;POINT(16.37 48.21)"
    assert text("urn:ogc:def:crs:EPSG::31256") == "SRID=31256;POINT(16.37 48.21)"


def test_columns_are_opaque_if_the_schema_is_closed(start_api: StartApi) -> None:
    api = start_api(SCHEMA + 'revoke usage on schema "Odd one" from anon;', **ON)
    types = types_of(api)
    assert str(types["place"].fields["area"].type) == "Opaque"
    assert "near" not in types["Query"].fields["placeCollection"].args


def test_operators_need_execute_on_their_functions(start_api: StartApi) -> None:
    taken = """do $$ declare each regprocedure; begin
      for each in select oid::regprocedure from pg_proc where proname in ('st_dwithin', 'st_distance') loop
        execute 'revoke execute on function ' || each || ' from public';
      end loop; end $$;"""
    types = types_of(start_api(SCHEMA + taken, **ON))
    assert "withinDistance" not in types["GeoJSONFilter"].fields
    assert "distance" not in types["placeEdge"].fields


def test_near_takes_one_round_trip_and_one_plan(start_api: StartApi) -> None:
    with counted(start_api(SCHEMA, **ON).database_url, **ON) as (api, proxy):
        near(api, "spot", VIENNA)
        before, plans = proxy.flights, len(api.application.services.engine.plans)
        assert near(api, "spot", BOX)
        assert (proxy.flights - before, len(api.application.services.engine.plans)) == (1, plans)


@pytest.mark.parametrize(
    "arguments",
    [
        "filter: {spot: {withinDistance: {of: %s, distance: 1000}}}",
        "filter: {spot: {intersects: %s}}",
        "near: {spot: {to: %s}}, first: 2",
    ],
)
def test_an_index_serves_near_and_filters(postgres: PostgresServer, reading_api: StartApi, arguments: str) -> None:
    rows = "insert into place (id, name, spot) select n, 'n', format('point(%s %s)', n % 90, n % 70)::geography "
    rows += "from generate_series(100, 5000) n; create index on place using gist (spot); analyze place;"
    api = reading_api(SCHEMA + rows, **ON)
    if "near" in arguments and int(str(postgres.execute("show server_version_num")[0][0])) < 160000:
        pytest.skip("PostgreSQL sorts all rows before version 16")
    query = "{ placeCollection(%s) { edges { node { id } } } }" % (arguments % '{type: "Point", coordinates: [1, 2]}')
    answer = ask_with(api, {"explain": "plan"}, query, role="service_role")
    assert "place_spot_idx" in json.dumps(answer.body["extensions"]["explain"])
