"""Binary values (bytea) in Base64 (VALUE_TYPES=bytes)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.sql.constructs import builtin, constant
from app.query.sql.texts import refused
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Base64"


@hookimpl
def value_types() -> Sequence[str]:
    return ("bytes",)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if (type_.schema, type_.name) != ("pg_catalog", "bytea"):
        return None
    return own_value_type(api, NAME, "Bytes in Base64", bytes_text, in_base64)


def bytes_text(value: Any) -> str | None:
    """PostgreSQL's text form of bytes, from a JSON string in Base64. Raises RequestError for any other value."""
    if value is None:
        return None
    try:
        return "\\x" + b64decode(value, validate=True).hex()
    except (TypeError, ValueError):
        raise refused(NAME, "Expected a string in Base64, with its padding") from None


def in_base64(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    # PostgreSQL inserts a line break after each 76 characters.
    return builtin.replace(builtin.encode(expression, constant("base64")), constant("\n"), constant(""))
