"""Geometries and geographies of the extension PostGIS, as GeoJSON (VALUE_TYPES=geo)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from graphql import GraphQLFloat, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import OwnName
from app.graphql.values.types import ToText, ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.call.extension_functions import is_extension_type, schema_of, usable_functions
from app.query.filter.conditions import Compared, Condition
from app.query.plan.planning import Planning
from app.query.read.distances import nearness_by_operator
from app.query.sql.constructs import extension_call
from app.query.values.geojson import NAME, geometry_text, printed_geography, printed_geometry
from app.query.values.own_scalars import own_value_type
from app.query.values.scalars import scalars_of
from schema_cache.model import Type

PRINTED = {"geometry": printed_geometry, "geography": printed_geography}
NEEDED = "st_asgeojson"
"""A role that may not call this function cannot use PostGIS at all."""
DISTANCE = "st_distance"
"""A role that may call this function may use the distance operator ``<->``."""

WITHIN_DISTANCE: OwnName = ("input", "within distance"), "GeoJSONWithinDistance"
NEAR_TYPE: OwnName = ("near", NAME), "NearGeoJSON"


@dataclass(frozen=True)
class SpatialRelation:
    """A relation between two shapes: its function in PostGIS, and a description."""

    function: str
    description: str


RELATIONS: Mapping[str, SpatialRelation] = {
    "intersects": SpatialRelation("st_intersects", "Shapes that share a point with this one"),
    "within": SpatialRelation("st_coveredby", "Shapes that have no point outside of this one"),
    "contains": SpatialRelation("st_covers", "Shapes that this one has no point outside of"),
}
CLOSE = "st_dwithin"


@hookimpl
def value_types() -> Sequence[str]:
    return ("geo",)


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    return WITHIN_DISTANCE, NEAR_TYPE


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if not is_extension_type(type_, PRINTED) or NEEDED not in _usable(api):
        return None
    description = "A geometry as GeoJSON (RFC 7946). In another coordinate system than WGS 84 it has the member crs"
    to_json = partial(PRINTED[type_.name], type_.schema)
    made = own_value_type(api, NAME, description, geometry_text, to_json)
    nearness = None
    if DISTANCE in _usable(api):
        nearness = nearness_by_operator(api, NEAR_TYPE, made, type_.schema, lambda given: "<->")
    # The operand has the type without modifier, since a column may be restricted to one kind of shape, and its values
    # can be compared with others.
    return replace(made, orderable=False, operand_text=type_.text, nearness=nearness)


def _usable(api: ApiSchema) -> Collection[str]:
    """The names of PostGIS's functions that the role may use."""
    return api.shared("functions of PostGIS", lambda: usable_functions(api, PRINTED))


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    if value_type.filter != NAME:
        return None
    schema = schema_of(api, PRINTED)
    members = {
        name: GraphQLInputField(
            value_type.input,
            description=relation.description,
            extensions={"operator": _Related(schema, relation.function)},
        )
        for name, relation in RELATIONS.items()
        if relation.function in _usable(api)
    }
    if CLOSE in _usable(api):
        members["withinDistance"] = GraphQLInputField(
            _within_distance_type(api, value_type),
            description="Shapes within a distance of another one",
            extensions={"operator": _Close(schema, scalars_of(api).by_postgres["float8"].to_text)},
        )
    return Fields(20, members)


def _within_distance_type(api: ApiSchema, shape: ValueType) -> GraphQLInputObjectType:
    members = {
        "of": GraphQLInputField(GraphQLNonNull(shape.input)),
        "distance": GraphQLInputField(
            GraphQLNonNull(GraphQLFloat),
            description="In meters for the type geography, in the units of the coordinates for geometry",
        ),
    }
    return api.named(api.own_type_name(*WITHIN_DISTANCE), lambda name: GraphQLInputObjectType(name, members))


@dataclass(frozen=True)
class _Related:
    """The condition that two shapes are in a spatial relation, by its function."""

    schema: str
    function: str

    def __call__(self, planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
        other = planning.bind_or_null(operand, geometry_text, left.type_text)
        return extension_call(self.schema, self.function, left.value, other)


@dataclass(frozen=True)
class _Close:
    """The condition that a shape is within a distance of another."""

    schema: str
    float_text: ToText

    def __call__(self, planning: Planning, left: Compared, operand: Mapping[str, Leaf] | None) -> Condition:
        if operand is None:
            return planning.unknown(left.value)
        other = planning.bind(operand["of"], geometry_text, left.type_text)
        distance = planning.bind(operand["distance"], self.float_text, "double precision")
        return extension_call(self.schema, CLOSE, left.value, other, distance)
