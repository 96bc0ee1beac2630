"""Vectors of the extension pgvector (vector and halfvec) and their distances (VALUE_TYPES=vector)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLInputField

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import OwnName
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.call.extension_functions import is_extension_type, usable_functions
from app.query.read.distances import NearValue, nearness_by_operator
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
    if not is_extension_type(type_, TYPES):
        return None
    made = own_value_type(api, NAME, "A vector, as a list of its elements", vector_text, json_of_plain)
    metrics = api.shared("distances of vectors", lambda: _metrics(api))
    nearness = None
    if metrics:
        by = GraphQLInputField(
            _metric_type(api, metrics), description=f"How distances are measured; by default {USUAL}"
        )
        nearness = nearness_by_operator(api, NEAR_TYPE, made, type_.schema, _symbol, by=by)
    return replace(made, orderable=False, nearness=nearness)


def _metrics(api: ApiSchema) -> Mapping[str, Metric]:
    """The distances that the installed version has and the role may use."""
    usable = usable_functions(api, TYPES)
    return {name: each for name, each in METRICS.items() if each.function in usable}


def vector_text(value: Any) -> str | None:
    """The text form of a vector, from a JSON list of numbers. Raises RequestError for any other value."""
    if value is None:
        return None
    if isinstance(value, list) and all(map(is_number, value)):
        return f"[{','.join(map(repr, value))}]"
    raise refused(NAME, "Expected a list of numbers")


def _metric_type(api: ApiSchema, metrics: Mapping[str, Metric]) -> GraphQLEnumType:
    values = {name: GraphQLEnumValue(name, description=each.description) for name, each in metrics.items()}
    return api.named(api.own_type_name(*METRIC_TYPE), lambda name: GraphQLEnumType(name, values))


def _symbol(given: NearValue) -> str:
    by = given.get("by")
    return METRICS[str(by.steer()) if by is not None else USUAL].symbol
