"""The scalar types that plugins contribute to a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import EnumValueNode, GraphQLError, GraphQLScalarType, ValueNode, print_ast, value_from_ast_untyped

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ToJson, ToText, ValueType
from app.graphql.values.variables import JSON_TYPES
from app.query.sql.texts import StringText, as_is


@dataclass(frozen=True)
class Scalar:
    """A GraphQL scalar with the names of the PostgreSQL types that it represents. ``array_to_json`` prints an array if
    its elements are printed neither unchanged nor as text. ``prints_null``: values other than NULL may be null in the
    API."""

    type: GraphQLScalarType
    to_text: ToText
    postgres: frozenset[str]
    to_json: ToJson = as_is
    filterable: bool = True
    orderable: bool = True
    list_filter: bool = False
    array_to_json: ToJson | None = None
    prints_null: bool = False


@dataclass(frozen=True)
class Scalars:
    """The scalars of one schema, also by the names of the PostgreSQL types that they represent."""

    all: tuple[Scalar, ...]
    by_postgres: Mapping[str, Scalar]


def scalars_of(api: ApiSchema) -> Scalars:
    """The scalars of a schema; the same objects at every call."""
    return api.shared("scalars", lambda: _contributed(api))


def _contributed(api: ApiSchema) -> Scalars:
    every = tuple(each for some in api.hooks.scalars(api=api) for each in some)
    by_postgres: dict[str, Scalar] = {}
    for scalar in every:
        for name in scalar.postgres:
            by_postgres.setdefault(name, scalar)
    return Scalars(every, by_postgres)


def value_type_of(scalar: Scalar) -> ValueType:
    """The value type of a scalar."""
    return ValueType(scalar.type, scalar.to_json, scalar.to_text, scalar.type.name)


def scalar_type(name: str, to_text: ToText, description: str) -> GraphQLScalarType:
    """A GraphQL scalar that accepts the JSON values that ``to_text`` accepts."""

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
        name,
        coerce_input_value=from_json,
        coerce_input_literal=from_literal,
        description=description,
        extensions={JSON_TYPES: frozenset((str,))} if isinstance(to_text, StringText) else {},
    )


def cursor_type(api: ApiSchema) -> GraphQLScalarType:
    """The scalar of cursors."""
    return api.named(
        "Cursor", lambda name: scalar_type(name, StringText(name), "An opaque mark of a position in a collection")
    )
