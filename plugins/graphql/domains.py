"""Domains like their base types (VALUE_TYPES=domains): with the base type's GraphQL type, filters and order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from schema_cache.model import Type


@hookimpl
def value_types() -> Sequence[str]:
    return ("domains",)


@hookimpl(tryfirst=True)
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    base = api.catalog.type_by_oid.get(type_.base)
    value = None if base is None or type_.kind != "d" else api.value_type(base.oid)
    if base is None or value is None:
        return None
    # Operands of filters have the base type, since they need not be values that the domain allows.
    return replace(value, operand_text=value.operand_text or base.text)
