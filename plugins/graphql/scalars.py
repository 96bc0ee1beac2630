"""Scalar types: how PostgreSQL's simple types cross the API. Whatever has no scalar of its own is Opaque."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from graphql import (
    EnumValueNode,
    GraphQLBoolean,
    GraphQLError,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLNamedType,
    GraphQLScalarType,
    GraphQLString,
    ValueNode,
    print_ast,
    value_from_ast_untyped,
)
from sqlalchemy import ColumnElement

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ValueType
from app.hooks import hookimpl
from app.query.planning import ToText
from app.query.sql import as_text, constant
from schema_cache.model import Type


def refused(type_name: str, reason: str = "") -> RequestError:
    return RequestError(f"Invalid input for {type_name} type" + (f". {reason}" if reason else ""))


def integer_text(value: Any) -> str | None:
    """A JSON integer of 64 bits."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
        return str(value)
    raise refused("Int")


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        # A number in JSON may be too large for a float, and is infinite then.
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def float_text(value: Any) -> str | None:
    if value is None:
        return None
    if _is_number(value):
        return repr(value)
    raise refused("Float")


def big_integer_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if _is_number(value):
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


@dataclass(frozen=True)
class StringText:
    """Text of a scalar that is a string in JSON."""

    type_name: str

    def __call__(self, value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise refused(self.type_name)


def opaque_text(value: Any) -> str | None:
    """Anything; PostgreSQL's input function of the type decides."""
    if value is None or isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        # What Python makes of a number with more digits than it reads.
        raise refused("Opaque") from None


KEPT_BYTES = {"char": 1, "name": 63}
"""What PostgreSQL keeps of a value of these types; it cuts off the rest without a word."""


@dataclass(frozen=True)
class UncutText:
    """Text of a value of which PostgreSQL would keep ``limit`` bytes only: a longer one is refused."""

    to_text: ToText
    limit: int

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        if text is not None and len(text.encode(errors="replace")) > self.limit:
            raise RequestError(f"Invalid input for String type. Maximum length in bytes {self.limit}")
        return text


def as_is(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return expression


def json_as_text(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return expression.op("#>>")(constant("{}"))


def _scalar(name: str, to_text: ToText, description: str) -> GraphQLScalarType:
    def from_json(value: Any, node: ValueNode | None = None) -> Any:
        try:
            to_text(value)
        except RequestError as ex:
            raise GraphQLError(ex.message, node) from None
        return value

    def from_literal(node: ValueNode) -> Any:
        if isinstance(node, EnumValueNode):
            raise GraphQLError(f"{name} cannot represent {print_ast(node)}", node)
        return from_json(value_from_ast_untyped(node), node)

    return GraphQLScalarType(
        name, coerce_input_value=from_json, coerce_input_literal=from_literal, description=description
    )


@dataclass(frozen=True)
class Scalar:
    """A GraphQL scalar with the names of the PostgreSQL types that become it."""

    type: GraphQLScalarType
    to_text: ToText
    postgres: frozenset[str]
    to_json: Callable[[ColumnElement[Any]], ColumnElement[Any]] = as_is
    filterable: bool = True
    orderable: bool = True
    list_filter: bool = False


@dataclass(frozen=True)
class Scalars:
    """The scalars of one schema."""

    opaque: Scalar
    cursor: GraphQLScalarType
    all: tuple[Scalar, ...]
    by_postgres: Mapping[str, Scalar]


def scalars(api: ApiSchema) -> Scalars:
    """The scalars of a schema; the same objects at every call."""
    return api.shared("scalars", _make_scalars)


def _make_scalars() -> Scalars:
    def of(
        type_: GraphQLScalarType | tuple[str, str],
        to_text: ToText,
        postgres: str,
        **options: Any,
    ) -> Scalar:
        scalar = type_ if isinstance(type_, GraphQLScalarType) else _scalar(type_[0], to_text, type_[1])
        return Scalar(scalar, to_text, frozenset(postgres.split()), **options)

    def text(name: str, description: str, postgres: str, **options: Any) -> Scalar:
        return of((name, description), StringText(name), postgres, **options)

    opaque = of(("Opaque", "A value whose form only the database knows"), opaque_text, "")
    ordinary = (
        of(GraphQLInt, integer_text, "int2 int4", list_filter=True),
        of(GraphQLFloat, float_text, "float4 float8", list_filter=True),
        of(GraphQLString, StringText("String"), "text varchar bpchar char citext", list_filter=True),
        of(GraphQLBoolean, boolean_text, "bool", list_filter=True),
        of(
            ("BigInt", "An integer of any size, as a string"),
            big_integer_text,
            "int8",
            to_json=as_text,
            list_filter=True,
        ),
        of(
            ("BigFloat", "A number of any precision, as a string"),
            big_float_text,
            "numeric",
            to_json=as_text,
            list_filter=True,
        ),
        text("UUID", "A universally unique identifier", "uuid", list_filter=True),
        text("Date", "A date without a time", "date", list_filter=True),
        text("Time", "A time of day", "time", list_filter=True),
        text("Datetime", "A date and time", "timestamp timestamptz", list_filter=True),
        text(
            "JSON", "A JSON value, as a string", "json jsonb", to_json=json_as_text, filterable=False, orderable=False
        ),
        opaque,
    )
    cursor = _scalar("Cursor", StringText("Cursor"), "An opaque mark of a position in a collection")
    by_postgres = {name: each for each in ordinary for name in each.postgres}
    return Scalars(opaque, cursor, ordinary, by_postgres)


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    known = scalars(api)
    return [GraphQLID, known.cursor, *(each.type for each in known.all)]


@hookimpl(trylast=True)
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    known = scalars(api)
    if type_.category == "A" and type_.element:
        return None
    is_builtin = type_.schema == "pg_catalog" or type_.name == "citext"
    scalar = known.by_postgres.get(type_.name, known.opaque) if is_builtin else known.opaque
    kept = KEPT_BYTES.get(type_.name) if is_builtin else None
    return ValueType(
        graphql=scalar.type,
        to_json=scalar.to_json,
        to_text=scalar.to_text if kept is None else UncutText(scalar.to_text, kept),
        filter=scalar.type.name if scalar.filterable else None,
        orderable=scalar.orderable,
    )
