"""Scalars for PostgreSQL's simple types. A type without its own scalar is Opaque."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLNamedType,
    GraphQLScalarType,
    GraphQLString,
)
from sqlalchemy import ColumnElement, func, null

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.dialect import Dialect
from app.graphql.values.types import ToText, ValueType
from app.hooks import hookimpl
from app.query.sql.comparison import enum_of_domain
from app.query.sql.constructs import builtin, constant
from app.query.sql.json_texts import json_of_plain, json_of_unescaped
from app.query.sql.texts import (
    StringText,
    as_is,
    int_text,
    integer_text,
    is_number,
    opaque_text,
    refused,
)
from app.query.values.opaque import OpaqueTexts
from app.query.values.scalars import Scalar, cursor_type, scalar_type, scalars_of
from schema_cache.model import Type


def float_text(value: Any) -> str | None:
    if value is None:
        return None
    if is_number(value) and abs(value) <= sys.float_info.max:
        return repr(value)
    raise refused("Float")


def big_integer_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if is_number(value):
        return repr(value)
    raise refused("BigInt")


def big_float_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise refused("BigFloat", "String required")


def boolean_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    raise refused("Boolean")


KEPT_BYTES = {"char": 1, "name": 63}
"""The maximum lengths of these types, in bytes; PostgreSQL truncates longer values silently."""


@dataclass(frozen=True)
class UncutText:
    """Converts a value to text, and refuses one of more than ``limit`` bytes, which PostgreSQL would truncate."""

    to_text: ToText
    limit: int

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        if text is not None and len(text.encode(errors="replace")) > self.limit:
            raise RequestError(f"Invalid input for String type. Maximum length in bytes {self.limit}")
        return text


def json_as_text(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return expression.op("#>>")(constant("{}"))


def native_json_text(value: Any) -> str | None:
    """The text of any JSON value; null becomes NULL, not the null of JSON."""
    if value is None:
        return None
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise refused("JSON", "A number is too large") from None


NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def finite(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    for value in NOT_FINITE:
        expression = func.nullif(expression, constant(value))
    return expression


def array_of_finite(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    for value in NOT_FINITE:
        expression = builtin.array_replace(expression, constant(value), null())
    return expression


FINITE: Mapping[str, Any] = {"to_json": finite, "array_to_json": array_of_finite, "prints_null": True}
"""Options that print NaN and the infinities, which JSON does not have, as null."""

JSON_EXPECTED = 'Expected a string that holds JSON, such as "{\\"a\\": 1}": docs/graphql.md, "Types"'

OPAQUE = "Opaque"


@hookimpl(trylast=True)
def scalars(api: ApiSchema) -> Sequence[Scalar]:
    def of(
        type_: GraphQLScalarType | tuple[str, str],
        to_text: ToText,
        postgres: str,
        **options: Any,
    ) -> Scalar:
        scalar = type_ if isinstance(type_, GraphQLScalarType) else scalar_type(type_[0], to_text, type_[1])
        return Scalar(scalar, to_text, frozenset(postgres.split()), **options)

    def text(name: str, description: str, postgres: str, **options: Any) -> Scalar:
        return of((name, description), StringText(name), postgres, **options)

    documents: Mapping[str, Any] = {
        "prints_null": api.dialect.nullable_json,
        "to_json": as_is if api.dialect.native_json else json_as_text,
    }
    floats = FINITE if api.dialect.finite_floats else {}
    plain: Mapping[str, Any] = {"to_json": json_of_plain, "array_to_json": as_is, "list_filter": True}
    unescaped: Mapping[str, Any] = {"to_json": json_of_unescaped, "list_filter": True}
    return (
        of(GraphQLInt, int_text if api.dialect.validates else integer_text, "int2 int4", **plain),
        of(GraphQLFloat, float_text, "float4 float8", list_filter=True, **floats),
        of(GraphQLString, StringText("String"), "text varchar bpchar char citext", list_filter=True),
        of(GraphQLBoolean, boolean_text, "bool", **plain),
        of(("BigInt", "An integer of any size, as a string"), big_integer_text, "int8", **unescaped),
        of(("BigFloat", "A number of any precision, as a string"), big_float_text, "numeric", **unescaped),
        text("UUID", "A universally unique identifier", "uuid", array_to_json=as_is, **unescaped),
        text("Date", "A date without a time", "date", list_filter=True),
        text("Time", "A time of day", "time", list_filter=True),
        text("Datetime", "A date and time", "timestamp timestamptz", list_filter=True),
        of(*_json(api.dialect), "json jsonb", filterable=False, orderable=False, **documents),
        of((OPAQUE, "A value in a format that only the database knows"), opaque_text, ""),
    )


def _json(dialect: Dialect) -> tuple[tuple[str, str], ToText]:
    """The name and description of the JSON scalar, and the conversion of its values to text."""
    if dialect.native_json:
        return ("JSON", "A JSON value"), native_json_text
    return ("JSON", "A JSON value, as a string"), StringText("JSON", JSON_EXPECTED if dialect.validates else "")


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    return [GraphQLID, cursor_type(api), *(each.type for each in scalars_of(api).all)]


@hookimpl(trylast=True)
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.kind == "c" or (type_.category == "A" and type_.element):
        return None
    is_builtin = type_.schema == "pg_catalog" or type_.name == "citext"
    known = scalars_of(api)
    scalar = known.by_postgres.get(type_.name) if is_builtin else None
    if scalar is None:
        scalar = next(each for each in known.all if each.type.name == OPAQUE)
    return ValueType(
        graphql=scalar.type,
        to_json=scalar.to_json,
        to_text=_to_text(api, type_, scalar, is_builtin=is_builtin),
        filter=scalar.type.name if scalar.filterable else None,
        orderable=scalar.orderable,
        operand_text=enum_of_domain(api.view, type_.oid),
        prints_null=scalar.prints_null,
    )


def _to_text(api: ApiSchema, type_: Type, scalar: Scalar, *, is_builtin: bool) -> ToText:
    if is_builtin and type_.name in KEPT_BYTES:
        return UncutText(scalar.to_text, KEPT_BYTES[type_.name])
    if scalar.type.name != OPAQUE:
        return scalar.to_text
    texts: OpaqueTexts = api.shared("texts of opaque values", lambda: OpaqueTexts(api.catalog))
    return texts.of(type_)
