"""Network addresses: inet and cidr (VALUE_TYPES=network)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.filter.operators import NETWORK_OPERATORS, members
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Inet"
INET = "inet"
"""The type of operands for both: PostgreSQL compares cidr as inet, and the operand need not be a network."""


@hookimpl
def value_types() -> Sequence[str]:
    return ("network",)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.schema != "pg_catalog" or type_.name not in (INET, "cidr"):
        return None
    made = own_value_type(api, NAME, "An address of IPv4 or IPv6, or a network, such as `10.0.0.1` or `10.0.0.0/8`")
    return made if type_.name == INET else replace(made, operand_text=INET)


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    return Fields(20, members(value_type, NETWORK_OPERATORS)) if value_type.filter == NAME else None
