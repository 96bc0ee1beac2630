"""Network addresses: inet and cidr (VALUE_TYPES=network)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.filter.comparison_operators import IN_ORDER, by_symbol, comparison_members
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Inet"
INET = "inet"
"""The type of operands for both: PostgreSQL compares cidr as inet, and the operand need not be a network."""

OPERATORS = {
    **IN_ORDER,
    "within": by_symbol("<<="),
    "contains": by_symbol(">>="),
    "overlaps": by_symbol("&&"),
}
DESCRIPTIONS = {
    "within": "Addresses and networks within this network, or equal to it",
    "contains": "Networks that contain this address or network, or equal it",
    "overlaps": "Networks and addresses that contain this one, are within it, or equal it",
}


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
    return Fields(20, comparison_members(value_type, OPERATORS, DESCRIPTIONS)) if value_type.filter == NAME else None
