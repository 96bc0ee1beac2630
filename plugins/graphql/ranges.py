"""Ranges and multiranges, including user-defined ones (VALUE_TYPES=ranges)."""

from __future__ import annotations

from collections.abc import Sequence

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.filter.operators import RANGE_OPERATORS, members
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Range"
RANGE, MULTIRANGE = "r", "m"
"""Values of ``pg_type.typtype``."""


@hookimpl
def value_types() -> Sequence[str]:
    return ("ranges",)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.kind not in (RANGE, MULTIRANGE):
        return None
    return own_value_type(api, NAME, "A range of values or several, such as `[1,10)` or `{[1,3),[5,)}`")


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    return Fields(20, members(value_type, RANGE_OPERATORS)) if value_type.filter == NAME else None
