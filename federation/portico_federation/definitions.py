"""The definition of a type in the schema definition language, to which directives are applied later."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLUnionType,
    get_named_type,
    print_type,
)

from portico_federation.comments import INACCESSIBLE, applied, directives_of


@dataclass(slots=True)
class Member:
    """A field of a type: the directives applied to it, and the names of the types that it refers to."""

    directives: list[str]
    types: frozenset[str]
    is_dropped: bool = False

    @property
    def is_inaccessible(self) -> bool:
        return f"@{INACCESSIBLE}" in self.directives


@dataclass(slots=True)
class Definition:
    """A type: the beginning of its definition up to its name, ``interfaces`` and ``directives``, and its ``body``,
    compressed. ``types``: those of a union. Only a body whose ``members`` changed is printed again, from ``type_``."""

    type_: GraphQLNamedType
    beginning: str
    body: bytes
    directives: list[str] = field(default_factory=list)
    interfaces: list[str] = field(default_factory=list)
    members: dict[str, Member] = field(default_factory=dict)
    types: frozenset[str] = frozenset()

    def references(self) -> Iterator[str]:
        """The names of the types that it refers to."""
        yield from self.interfaces
        yield from self.types
        for each in self.members.values():
            if not each.is_dropped:
                yield from each.types

    def text(self) -> str:
        interfaces = f" implements {' & '.join(self.interfaces)}" if self.interfaces else ""
        beginning = " ".join((f"{self.beginning}{interfaces}", *self.directives))
        if any(each.is_dropped or each.directives for each in self.members.values()):
            return f"{beginning} {{\n" + "\n".join(self._printed_members()) + "\n}"
        return f"{beginning}{zlib.decompress(self.body).decode()}"

    def _printed_members(self) -> Iterator[str]:
        is_input = isinstance(self.type_, GraphQLInputObjectType)
        fields = cast(Mapping[str, Any], self.type_.fields)  # type: ignore[attr-defined]
        for name, member in self.members.items():
            if not member.is_dropped:
                alone = {name: fields[name]}
                printed = print_type(GraphQLInputObjectType("T", alone) if is_input else GraphQLObjectType("T", alone))
                # Between the lines "type T {" and "}".
                text = printed.partition("\n")[2].removesuffix("\n}")
                yield " ".join((text, *member.directives))


def definition(type_: GraphQLNamedType) -> Definition:
    """The definition of a type, with the directives that comments apply to it and its fields."""
    text = print_type(type_)
    if isinstance(type_, (GraphQLObjectType, GraphQLInterfaceType)):
        directives = [*applied(directives_of(type_.extensions))]
        interfaces = [each.name for each in type_.interfaces]
        members = {name: _field(each) for name, each in type_.fields.items()}
        return Definition(type_, *_parts(text, type_.name), directives, interfaces, members)
    if isinstance(type_, GraphQLInputObjectType):
        directives = ["@oneOf"] if type_.is_one_of else []
        members = {name: Member([], _types(each)) for name, each in type_.fields.items()}
        return Definition(type_, *_parts(text, type_.name), directives, [], members)
    types = frozenset(each.name for each in type_.types) if isinstance(type_, GraphQLUnionType) else frozenset()
    return Definition(type_, *_parts(text, type_.name), types=types)


def _field(field: GraphQLField) -> Member:
    return Member([*applied(directives_of(field.extensions))], _types(field, *field.args.values()))


def _types(*members: GraphQLField | GraphQLArgument | GraphQLInputField) -> frozenset[str]:
    return frozenset(get_named_type(each.type).name for each in members)


def _parts(text: str, name: str) -> tuple[str, bytes]:
    """The text up to the type's name, and the text from its members on, compressed."""
    # The last line of this form: a description before it may have such a line, but those of members are indented.
    *_, head = re.finditer(rf"^\w+ {name}\b", text, re.MULTILINE)
    beginning, rest = text[: head.end()], text[head.end() :]
    # Interfaces and directives, which stand before the brace, are written anew. A union and a scalar have no brace.
    return beginning, zlib.compress(rest[max(rest.find(" {"), 0) :].encode(), 1)
