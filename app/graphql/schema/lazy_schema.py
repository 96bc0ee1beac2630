"""A GraphQL schema whose types are made when they are needed, so that a request pays only for the types that it walks.

Checking the schema makes all types. So does looking up a name that no type has, unless the names of all types are
known. Introspecting and printing the schema take all types one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from math import inf
from typing import cast

from graphql import (
    GraphQLAbstractType,
    GraphQLBoolean,
    GraphQLDirective,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLString,
    GraphQLUnionType,
    get_named_type,
    introspection_types,
    is_interface_type,
)
from graphql.type.schema import InterfaceImplementations

from app.graphql.schema.fields import each_field, free_fields, names_of
from app.graphql.schema.recursion import long_chains
from schema_cache.collector import collector_paused

DESCRIPTION = "Represents the GraphQL schema of the database"

NEARBY = 500
"""The most types that are read in search of a name; after that all names are determined instead."""

Hints = Callable[[str], Iterable[str]]
"""A function from a type's name to the names of types that may refer to it."""


class LazyTypes(Mapping[str, GraphQLNamedType]):
    """The types of a schema by name. To find a name, types are read one after the other: reading a type finds the types
    that it refers to.

    Safe to share between threads. A thread that walks types itself, and so may make some, must do so in ``making()``.
    """

    def __init__(
        self,
        query: GraphQLObjectType,
        mutation: GraphQLObjectType | None,
        listed: Collection[GraphQLNamedType],
        further: Mapping[str, Callable[[], GraphQLNamedType]],
        directives: Collection[GraphQLDirective],
        hints: Hints,
        before_all: Callable[[], object],
        lock: AbstractContextManager[object],
    ) -> None:
        """The types that can be reached from the root types, the ``listed`` ones and the ``further`` ones, which
        functions make on first use. ``before_all`` is called before all types are made. ``lock``, which is reentrant,
        is held while types are made; schemas whose types refer to one another share it."""
        self.query, self.mutation, self.directives = query, mutation, directives
        self._listed, self._further = listed, further
        self._hints = hints
        self._before_all = before_all
        self._lock = lock
        self._whole: GraphQLSchema | None = None
        self._names: frozenset[str] | None = None
        self._implementations: Mapping[str, InterfaceImplementations] = {}
        self._roots = [query] if mutation is None else [query, mutation]
        first = (*listed, *introspection_types.values(), GraphQLBoolean, GraphQLString)
        self._found: dict[str, GraphQLNamedType] = {each.name: each for each in first}
        self._unread = dict(self._found)
        self._found |= {root.name: root for root in self._roots}
        self._unmade = dict(further)

    def making(self) -> AbstractContextManager[object]:
        """A context in which types may be made. It admits one thread at a time until all types are made."""
        return self._lock if self._whole is None else nullcontext()

    def whole(self) -> GraphQLSchema:
        """The schema with all types."""
        with self.making():
            if self._whole is None:
                self._before_all()
                # graphql-core recurses from type to type, with several frames for each step.
                with collector_paused, long_chains():
                    listed = [*self._listed, *(make() for make in self._further.values())]
                    made = GraphQLSchema(self.query, self.mutation, types=listed, directives=self.directives)
                self._whole = _sorted_by_name(made)
                self._found, self._unread, self._unmade = self._whole.type_map, {}, {}
            return self._whole

    def each(self) -> Iterator[GraphQLNamedType]:
        """All types, one by one and in no particular order, interfaces last. The fields of a type are freed when the
        next one is taken: they are most of a schema's memory."""
        interfaces: list[GraphQLInterfaceType] = []
        implementations: dict[str, InterfaceImplementations] = {}
        for type_ in self._each_once():
            for interface in getattr(type_, "interfaces", ()):
                found = implementations.setdefault(interface.name, InterfaceImplementations([], []))
                if isinstance(type_, GraphQLObjectType):
                    found.objects.append(type_)
                elif isinstance(type_, GraphQLInterfaceType):
                    found.interfaces.append(type_)
            if isinstance(type_, GraphQLInterfaceType):
                interfaces.append(type_)
            else:
                yield type_
                if type_.name not in introspection_types:
                    free_fields(type_)
        for found in implementations.values():
            found.objects.sort(key=lambda each: each.name)
        self._implementations = implementations
        yield from interfaces

    def _each_once(self) -> Iterator[GraphQLNamedType]:
        """All types, one by one. After the root types, those that each root field leads to are taken before the next
        root field is made: the root fields of a large schema lead to all of its types."""
        yield from self._roots
        seen = {each.name for each in self._roots}
        for types in self._beginnings_of_all():
            ahead = {each.name: each for each in types if each.name not in seen}
            while ahead:
                name, type_ = ahead.popitem()
                seen.add(name)
                ahead |= {each.name: each for each in _types_in(type_) if each.name not in seen}
                yield type_

    def _beginnings_of_all(self) -> Iterator[Iterable[GraphQLNamedType]]:
        """Types that lead to all others."""
        yield list(self._found.values())
        yield from ((make(),) for make in self._further.values())
        yield (get_named_type(argument.type) for each in self.directives for argument in each.args.values())
        for root in self._roots:
            yield from map(_types_in_field, each_field(root.fields))

    def implementations(self, interface_type: GraphQLInterfaceType) -> InterfaceImplementations:
        """All types that implement an interface."""
        found = self._implementations.get(interface_type.name)
        return self.whole().get_implementations(interface_type) if found is None else found

    def can_tell(self, name: str) -> bool:
        """Whether a look-up of that name is cheap: a few types suffice to find it, or to know that no type has it."""
        if name not in self._found and self._names is None and self._whole is None:
            with self.making():
                self._look_for(name, NEARBY)
                return name in self._found
        return True

    def _make(self, name: str) -> None:
        """Make the further type of that name, if there is one and it was not found yet."""
        make = self._unmade.pop(name, None)
        if make is not None:
            self._add(make())

    def learn(self, names: Iterable[str]) -> None:
        """Take note of the names of all types, which were found in a copy of the schema. Other names are not searched
        from now on."""
        self._names = frozenset(names)

    def __getitem__(self, name: str) -> GraphQLNamedType:
        if name not in self._found and self._whole is None:
            with self.making():
                self._find(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole().type_map)

    def __len__(self) -> int:
        return len(self.whole().type_map)

    def _find(self, name: str) -> None:
        """Read types until the one of that name is found. If the search fails, all types are made, unless the names of
        all types are known and this is none of them."""
        if self._names is None or name in self._names:
            self._look_for(name)
            if name not in self._found:
                self.whole()

    def _look_for(self, name: str, most: float = inf) -> None:
        """Read the root fields and the types with similar names, then the types that these refer to, until the type of
        that name is found or ``most`` types have been read. If that fails, try again with all root fields."""
        self._make(name)
        if name in self._found:
            return
        beginnings = self._beginnings((name, *self._hints(name)))
        for each in [each for each in self._unmade if each.startswith(beginnings)]:
            self._make(each)
        for parts in (beginnings, ("",)):
            self._read_roots(tuple(map(str.lower, parts)))
            nearby = self._read([each for each in self._unread.values() if each.name.startswith(beginnings)], name)
            read = 0
            while nearby and name not in self._found and read < most:
                read += len(nearby)
                nearby = self._read(nearby, name)
            if name in self._found:
                break

    def _read_roots(self, parts: Sequence[str]) -> None:
        """Find the types that unread root fields refer to, of the fields whose lower-case name contains one of
        ``parts``."""
        chosen = [key for key, name in self._unread_roots.items() if any(part in name for part in parts)]
        for root, name in chosen:
            del self._unread_roots[root, name]
            if name in root.fields:
                for each in _types_in_field(root.fields[name]):
                    self._add(each)

    def _read(self, types: Iterable[GraphQLNamedType], name: str) -> list[GraphQLNamedType]:
        """Read the unread ones of ``types``, and return the unread types that they refer to. Stop once the type
        ``name`` is found."""
        referenced: dict[GraphQLNamedType, None] = {}
        for type_ in types:
            if name in self._found:
                break
            if self._unread.pop(type_.name, None) is not None:
                for each in _types_in(type_):
                    referenced[each] = None
                    self._add(each)
        return [each for each in referenced if each.name in self._unread]

    @cached_property
    def _unread_roots(self) -> dict[tuple[GraphQLObjectType, str], str]:
        """The root fields that were not read yet, with their names in lower case."""
        return {(root, name): name.lower() for root in self._roots for name in names_of(root.fields)}

    def _add(self, type_: GraphQLNamedType) -> None:
        if type_.name not in self._found:
            self._found[type_.name] = self._unread[type_.name] = type_

    def _beginnings(self, names: Iterable[str]) -> tuple[str, ...]:
        """For each of ``names`` its longest prefix that is a type's name, or the name itself without one."""
        return tuple(
            {next((name[:end] for end in range(len(name), 0, -1) if self._is_type(name[:end])), name) for name in names}
        )

    def _is_type(self, name: str) -> bool:
        return name in self._found or name in self._unmade


class LazySchema(GraphQLSchema):
    """A schema of lazy types. Unless ``assume_valid`` is set, all types are made and checked before the first use."""

    def __init__(self, types: LazyTypes, *, assume_valid: bool) -> None:
        super().__init__(directives=types.directives, description=DESCRIPTION, assume_valid=assume_valid)
        self._types = types
        self.query_type, self.mutation_type = types.query, types.mutation
        self.type_map = cast(dict[str, GraphQLNamedType], types)

    def get_implementations(self, interface_type: GraphQLInterfaceType) -> InterfaceImplementations:
        """All types that implement an interface."""
        return self._types.implementations(interface_type)

    def is_sub_type(self, abstract_type: GraphQLAbstractType, maybe_sub_type: GraphQLNamedType) -> bool:
        """Whether a type belongs to a union or implements an interface. This takes no other types."""
        if isinstance(abstract_type, GraphQLUnionType):
            return maybe_sub_type in abstract_type.types
        return abstract_type in getattr(maybe_sub_type, "interfaces", ())


def _types_in(type_: GraphQLNamedType) -> Iterator[GraphQLNamedType]:
    """The types that a type refers to."""
    if isinstance(type_, GraphQLUnionType):
        yield from type_.types
    elif isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
        yield from type_.interfaces
        for field in type_.fields.values():
            yield from _types_in_field(field)
    elif isinstance(type_, GraphQLInputObjectType):
        yield from (get_named_type(each.type) for each in type_.fields.values())


def _types_in_field(field: GraphQLField) -> Iterator[GraphQLNamedType]:
    yield get_named_type(field.type)
    yield from (get_named_type(each.type) for each in field.args.values())


def _sorted_by_name(schema: GraphQLSchema) -> GraphQLSchema:
    """The schema with its types, and those that implement an interface, sorted by name."""
    schema.type_map = dict(sorted(schema.type_map.items()))
    for type_ in schema.type_map.values():
        if is_interface_type(type_):
            schema.get_implementations(type_).objects.sort(key=lambda each: each.name)
    return schema
