"""Describes a schema: writes the JSON text of an introspection field directly from the types.

The introspection fields and their resolvers are graphql-core's. Its executor is not used: for a schema of 200 tables it
would compute a million values one by one, most of which describe the same few types.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from types import SimpleNamespace
from typing import Any, cast

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    SchemaMetaFieldDef,
    TypeMetaFieldDef,
    VariableValues,
    get_argument_values,
    get_named_type,
)

from app.graphql.documents.selection import Selector

META_FIELDS = {"__schema": SchemaMetaFieldDef, "__type": TypeMetaFieldDef}
NAMED = frozenset(("__Type", "__Field", "__InputValue", "__EnumValue"))
"""The types whose ``__typename`` in pg_graphql is the name of the described type, field, argument or enum value."""
EMPTY_NOT_NULL = frozenset(("interfaces", "enumValues"))
"""The lists of ``__Type`` that are empty rather than null in pg_graphql."""

WriteJson = Callable[[Any], str]
"""A function that returns the JSON text of a value."""

_MOST_KNOWN = 500
"""How many texts of types are kept for further fields of the same types. Fields of one type stand near one another."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_USUAL = {None: "null", False: "false", True: "true"}


class Describer:
    """Writes what introspection fields select of one schema. With ``oddities`` the answer has pg_graphql's
    peculiarities."""

    def __init__(self, schema: GraphQLSchema, selector: Selector, variables: VariableValues, *, oddities: bool) -> None:
        self._selector = selector
        self._variables = variables
        self._oddities = oddities
        # The introspection resolvers of graphql-core use no other attribute of ``info``.
        self._info = SimpleNamespace(schema=schema)

    def text(self, nodes: Sequence[FieldNode], types: Iterable[GraphQLNamedType] = ()) -> Iterator[bytes]:
        """The JSON text of the root field that ``nodes`` select, in pieces. Raises GraphQLError for a wrong argument.

        ``types``: all types of the schema, if the field needs them. They are described one by one, in their order, so
        that only one is in memory; the texts, which the answer sorts by name, are compressed until then.
        """
        if nodes[0].name.value != "__schema":
            for _ in types:
                pass
            yield self._resolved(META_FIELDS[nodes[0].name.value], nodes)(None).encode()
            return
        parent = cast(GraphQLObjectType, get_named_type(SchemaMetaFieldDef.type))
        selected = self._selector.collect(parent, [each.selection_set for each in nodes])
        item = cast(GraphQLObjectType, get_named_type(parent.fields["types"].type))
        writers = {key: self._object(item, each) for key, each in selected.items() if each[0].name.value == "types"}
        members = {key: self._field(parent, each) for key, each in selected.items() if key not in writers}
        texts = _texts_of_each(types, writers)
        for number, key in enumerate(selected):
            yield f'{"," if number else "{"}"{key}":'.encode()
            if key in writers:
                yield from _listed(texts[key])
            else:
                yield members[key](self._info.schema).encode()
        yield b"}" if selected else b"{}"

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
        return _leaf(cast(GraphQLLeafType, type_))

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
        if not arguments and change is None:
            return lambda source: written(resolve(source, info))
        if change is not None:
            return lambda source: written(change(resolve(source, info, **arguments)))
        return lambda source: written(resolve(source, info, **arguments))

    def _typename(self, parent: GraphQLObjectType) -> WriteJson:
        if self._oddities and parent.name in NAMED:
            named = cast(Callable[..., Any], parent.fields["name"].resolve)
            return lambda source: _encode(named(source, self._info))
        name = "__schema" if self._oddities and parent.name == "__Schema" else parent.name
        return lambda source: f'"{name}"'


def _leaf(type_: GraphQLLeafType) -> WriteJson:
    """The writer for values of a scalar or an enum. Most are strings and booleans, which are their own output."""
    coerced = type_.coerce_output_value

    def write(value: Any) -> str:
        if type(value) is str:
            return encode_basestring(value)
        return _USUAL[value] if value is None or type(value) is bool else _encode(coerced(value))

    return write


def _texts_of_each(
    types: Iterable[GraphQLNamedType], writers: Mapping[str, WriteJson]
) -> Mapping[str, dict[str, bytes]]:
    """The compressed text that each writer makes of each type, by the type's name."""
    texts: dict[str, dict[str, bytes]] = {key: {} for key in writers}
    for type_ in types:
        for key, write in writers.items():
            texts[key][type_.name] = zlib.compress(write(type_).encode(), 1)
    return texts


def _listed(texts: dict[str, bytes]) -> Iterator[bytes]:
    """The JSON text of a list of these texts, sorted by name. Each is removed when it is taken."""
    yield b"["
    for number, name in enumerate(sorted(texts)):
        if number:
            yield b","
        yield zlib.decompress(texts.pop(name))
    yield b"]"


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
            if len(known) >= _MOST_KNOWN:
                known.clear()
            text = known[name] = write(type_)
        return text

    return write_type
