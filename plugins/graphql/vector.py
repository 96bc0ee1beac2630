"""Vectors of the extension pgvector (vector and halfvec) and their distances (VALUE_TYPES=vector)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement

from app.database.identifiers import quoted
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import OwnName
from app.graphql.values.types import Nearness, ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.call.extension_functions import usable_functions
from app.query.plan.planning import Planning
from app.query.sql.comparison import compared
from app.query.sql.json_texts import json_of_plain
from app.query.sql.texts import is_number, refused
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Vector"
TYPES = frozenset(("vector", "halfvec"))


@dataclass(frozen=True)
class Metric:
    """A distance of vectors: its operator, its function, which shows whether the installed version has it, and a
    description."""

    symbol: str
    function: str
    description: str


METRICS: Mapping[str, Metric] = {
    "COSINE": Metric("<=>", "cosine_distance", "1 minus the cosine of the angle between the vectors"),
    "INNER_PRODUCT": Metric("<#>", "inner_product", "The inner product, negated, so that the greatest is the nearest"),
    "L1": Metric("<+>", "l1_distance", "The sum of the differences of the elements"),
    "L2": Metric("<->", "l2_distance", "The length of the straight line between the vectors"),
}
USUAL = "COSINE"

METRIC_TYPE: OwnName = ("enum", "VectorDistance"), "VectorDistance"
NEAR_TYPE: OwnName = ("near", NAME), "NearVector"


@hookimpl
def value_types() -> Sequence[str]:
    return ("vector",)


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    return METRIC_TYPE, NEAR_TYPE


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if not _is_vector(type_):
        return None
    made = own_value_type(api, NAME, "A vector, as a list of its elements", vector_text, json_of_plain)
    metrics = api.shared("distances of vectors", lambda: _metrics(api))
    nearness = Nearness(_given(api, made, metrics), _Distance(type_.schema)) if metrics else None
    return replace(made, orderable=False, nearness=nearness)


def _metrics(api: ApiSchema) -> Mapping[str, Metric]:
    """The distances that the installed version has and the role may use."""
    usable = usable_functions(api, _is_vector)
    return {name: each for name, each in METRICS.items() if each.function in usable}


def _is_vector(type_: Type) -> bool:
    return type_.name in TYPES and type_.kind == "b" and type_.schema != "pg_catalog"


def vector_text(value: Any) -> str | None:
    """The text form of a vector, from a JSON list of numbers. Raises RequestError for any other value."""
    if value is None:
        return None
    if isinstance(value, list) and all(map(is_number, value)):
        return f"[{','.join(map(repr, value))}]"
    raise refused(NAME, "Expected a list of numbers")


def _given(api: ApiSchema, vector: ValueType, metrics: Mapping[str, Metric]) -> GraphQLInputObjectType:
    values = {name: GraphQLEnumValue(name, description=each.description) for name, each in metrics.items()}
    by = api.named(api.own_type_name(*METRIC_TYPE), lambda name: GraphQLEnumType(name, values))
    to = GraphQLNonNull(vector.input)
    members = {
        "to": GraphQLInputField(to, description="The vector that the others are compared with"),
        "by": GraphQLInputField(by, description=f"How distances are measured; by default {USUAL}"),
    }
    return api.named(api.own_type_name(*NEAR_TYPE), lambda name: GraphQLInputObjectType(name, members))


@dataclass(frozen=True)
class _Distance:
    """The distance between vectors of the extension in ``schema``."""

    schema: str

    def __call__(
        self, planning: Planning, value: ColumnElement[Any], type_text: str, given: Mapping[str, Leaf | None]
    ) -> ColumnElement[Any]:
        by, to = given.get("by"), given["to"]
        metric = METRICS[str(by.steer()) if by is not None else USUAL]
        operator = f"OPERATOR({quoted(self.schema)}.{metric.symbol})"
        return compared(value, operator, planning.bind_or_null(to, vector_text, type_text))
