"""Describes a schema: writes the JSON text of an introspection field directly from the types.

The introspection fields and their resolvers are graphql-core's. Its executor is not used: for a schema of 200 tables it
would compute a million values one by one, most of which describe the same few types.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    SchemaMetaFieldDef,
    TypeMetaFieldDef,
    VariableValues,
    get_argument_values,
)

from app.graphql.documents.selection import Selector

META_FIELDS = {"__schema": SchemaMetaFieldDef, "__type": TypeMetaFieldDef}
NAMED = frozenset(("__Type", "__Field", "__InputValue", "__EnumValue"))
"""The types whose ``__typename`` in pg_graphql is the name of the described type, field, argument or enum value."""
EMPTY_NOT_NULL = frozenset(("interfaces", "enumValues"))
"""The lists of ``__Type`` that are empty rather than null in pg_graphql."""

WriteJson = Callable[[Any], str]
"""A function that returns the JSON text of a value."""

_encode = json.JSONEncoder(ensure_ascii=False).encode


class Describer:
    """Writes what introspection fields select of one schema. With ``oddities`` the answer has pg_graphql's
    peculiarities."""

    def __init__(self, schema: GraphQLSchema, selector: Selector, variables: VariableValues, *, oddities: bool) -> None:
        self._selector = selector
        self._variables = variables
        self._oddities = oddities
        # The introspection resolvers of graphql-core use no other attribute of ``info``.
        self._info = SimpleNamespace(schema=schema)

    def text(self, nodes: Sequence[FieldNode]) -> str:
        """The JSON text of the root field that ``nodes`` select. Raises GraphQLError for a wrong argument."""
        return self._resolved(META_FIELDS[nodes[0].name.value], nodes)(None)

    def _value(self, type_: GraphQLOutputType, nodes: Sequence[FieldNode]) -> WriteJson:
        """The writer for values of a type; ``nodes`` select from them."""
        if isinstance(type_, GraphQLNonNull):
            return self._value(type_.of_type, nodes)
        if isinstance(type_, GraphQLList):
            item = self._value(type_.of_type, nodes)
            return lambda value: "null" if value is None else f"[{','.join(map(item, value))}]"
        if isinstance(type_, GraphQLObjectType):
            written = self._object(type_, nodes)
            return _once_for_each_type(written) if type_.name == "__Type" else written
        printed = cast(GraphQLLeafType, type_).coerce_output_value
        return lambda value: "null" if value is None else _encode(printed(value))

    def _object(self, type_: GraphQLObjectType, nodes: Sequence[FieldNode]) -> WriteJson:
        selected = self._selector.collect(type_, [each.selection_set for each in nodes])
        members = [(f'"{key}":', self._field(type_, each)) for key, each in selected.items()]

        def write(value: Any) -> str:
            return "null" if value is None else f"{{{','.join([name + member(value) for name, member in members])}}}"

        return write

    def _field(self, parent: GraphQLObjectType, nodes: Sequence[FieldNode]) -> WriteJson:
        name = nodes[0].name.value
        if name == "__typename":
            return self._typename(parent)
        if self._oddities and parent.name == "__Type" and name in EMPTY_NOT_NULL:
            return self._resolved(parent.fields[name], nodes, lambda value: value or ())
        return self._resolved(parent.fields[name], nodes)

    def _resolved(
        self, field: GraphQLField, nodes: Sequence[FieldNode], change: Callable[[Any], Any] | None = None
    ) -> WriteJson:
        """The writer for a field. ``change`` is applied to the resolved value before it is written."""
        arguments = get_argument_values(field, nodes[0], self._variables)
        written = self._value(field.type, nodes)
        resolve, info = cast(Callable[..., Any], field.resolve), self._info
        if change is not None:
            return lambda source: written(change(resolve(source, info, **arguments)))
        return lambda source: written(resolve(source, info, **arguments))

    def _typename(self, parent: GraphQLObjectType) -> WriteJson:
        if self._oddities and parent.name in NAMED:
            named = cast(Callable[..., Any], parent.fields["name"].resolve)
            return lambda source: _encode(named(source, self._info))
        name = "__schema" if self._oddities and parent.name == "__Schema" else parent.name
        return lambda source: f'"{name}"'


def _once_for_each_type(write: WriteJson) -> WriteJson:
    """The same writer, with a cache: a type is written once, however many fields have it. ``str(type_)`` identifies a
    type within a schema."""
    known: dict[str, str] = {}

    def write_type(type_: Any) -> str:
        if type_ is None:
            return "null"
        name = str(type_)
        text = known.get(name)
        if text is None:
            text = known[name] = write(type_)
        return text

    return write_type
