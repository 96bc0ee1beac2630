"""Recognizes columns with JSON values."""

from __future__ import annotations

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ValueType

KINDS = frozenset(("json", "jsonb"))


def json_kind(api: ApiSchema, type_oid: int) -> str | None:
    """``json`` or ``jsonb`` for these types, and for domains over them that have the same GraphQL type; else None."""
    type_, value_type = api.catalog.type_by_oid.get(type_oid), api.value_type(type_oid)
    while type_ is not None and type_.kind == "d" and _has_type_of(api.value_type(type_.base), value_type):
        type_ = api.catalog.type_by_oid.get(type_.base)
    if type_ is None or type_.schema != "pg_catalog":
        return None
    return type_.name if type_.name in KINDS else None


def _has_type_of(base: ValueType | None, value_type: ValueType | None) -> bool:
    return base is not None and value_type is not None and base.graphql is value_type.graphql
