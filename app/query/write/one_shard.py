"""The value that all objects of an insert give to the distribution column, so that one shard has all of its rows.

With Citus the statements of an insert then concern one server. Whether the values are equal is part of the plan's key;
the value itself stays a parameter. Values are compared as PostgreSQL's texts, so 7 and "7" are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from graphql import GraphQLInputObjectType
from sqlalchemy import ColumnElement

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf, Source
from app.query.plan.walk import Field
from app.query.read.keys import KEY, RowKey, key_input_type
from app.query.write.new_rows import CONNECT, columns_of, links_of, type_below


@dataclass(frozen=True)
class Tenant:
    """A value for the distribution column of some relation. ``text``: the value, as PostgreSQL's text. ``source``: its
    origin, None if it is inside a variable."""

    group: int | None
    text: str
    source: Source | None

    @property
    def place(self) -> tuple[int | None, str]:
        return self.group, self.text


def _tenant(group: int | None, to_text: ToText, value: Any, source: Source | None) -> Iterator[Tenant]:
    """The value, unless it is null or malformed, which is an error later."""
    with suppress(RequestError, TypeError, ValueError, KeyError):
        text = None if value is None else to_text(value)
        if text is not None:
            yield Tenant(group, text, source)


@dataclass(frozen=True)
class ObjectsOf:
    """Objects of ``type_``, for rows of a relation."""

    api: ApiSchema
    relation: ApiRelation
    type_: GraphQLInputObjectType

    def given(self, value: Any, source: Source | None) -> Iterator[Tenant]:
        """The values in these objects, which may be malformed, and in those inside them."""
        for each, origin in _items(value, source):
            if isinstance(each, dict):
                yield from self._of_object(each, origin)

    def _of_object(self, value: Mapping[str, Any], source: Source | None) -> Iterator[Tenant]:
        columns, links = columns_of(self.type_.fields), links_of(self.type_.fields)
        distribution = self.relation.distribution
        for name, (each, origin) in _members(value, source).items():
            if name in links and isinstance(each, dict):
                target = links[name].relationship.target
                for member, (below, place) in _members(each, origin).items():
                    if member == CONNECT:
                        yield from _of_keys(self.api, target, below, place)
                    elif member == links[name].member:
                        type_ = type_below(self.type_, name, member)
                        yield from ObjectsOf(self.api, target, type_).given(below, place)
            elif distribution is not None and name in columns and columns[name].name == distribution.column:
                yield from _tenant(distribution.group, columns[name].to_text, each, origin)


def _of_keys(api: ApiSchema, relation: ApiRelation, value: Any, source: Source | None) -> Iterator[Tenant]:
    type_, distribution = key_input_type(api, relation), relation.distribution
    if type_ is None or distribution is None:
        return
    for each, origin in _items(value, source):
        if isinstance(each, dict):
            for name, (part, place) in _members(each, origin).items():
                key: RowKey = type_.fields[name].extensions.get(KEY, ()) if name in type_.fields else ()
                for column in key:
                    if column.column == distribution.column:
                        found = _members(part, place) if isinstance(part, dict) else {column.member: (part, place)}
                        if column.member in found:
                            yield from _tenant(distribution.group, column.to_text, *found[column.member])


def _items(value: Any, source: Source | None) -> Iterator[tuple[Any, Source | None]]:
    if not isinstance(value, list):
        yield value, source
        return
    parts = source.parts if source is not None and source.keys is None else None
    for number, each in enumerate(value):
        yield each, parts[number] if parts is not None else _inside(source)


def _members(value: Mapping[str, Any], source: Source | None) -> dict[Any, tuple[Any, Source | None]]:
    if source is not None and source.keys is not None:
        parts = dict(zip(source.keys, source.parts or (), strict=True))
        return {name: (each, parts.get(name)) for name, each in value.items()}
    return {name: (each, _inside(source)) for name, each in value.items()}


def _inside(source: Source | None) -> Source | None:
    """The origin of a part of a value: the variable that has the whole value, or None for a constant."""
    return source if source is not None and source.path is not None else None


class GivenValues(Protocol):
    """Finds the values for distribution columns in a part of a request."""

    def given(self, value: Any, source: Source | None) -> Iterator[Tenant]:
        """The values; ``source`` is the origin of ``value``."""


@dataclass(frozen=True)
class _Updates:
    """A bulk update. Its keys name the values; if it sets the distribution column, it must not change it."""

    api: ApiSchema
    relation: ApiRelation

    def given(self, value: Any, source: Source | None) -> Iterator[Tenant]:
        for each, origin in _items(value, source):
            if isinstance(each, dict) and "key" in each:
                members = _members(each, origin)
                named = list(_of_keys(self.api, self.relation, *members["key"]))
                yield from named
                if named and "set" in members:
                    yield from self._set(*members["set"])

    def _set(self, value: Any, source: Source | None) -> Iterator[Tenant]:
        distribution = self.relation.distribution
        if distribution is None or not isinstance(value, dict):
            return
        for name, (each, origin) in _members(value, source).items():
            column = self.columns.get(name)
            if column is not None and column.name == distribution.column:
                # Null is another value than every other.
                yield from (
                    [Tenant(None, "", origin)]
                    if each is None
                    else _tenant(distribution.group, column.to_text, each, origin)
                )

    @cached_property
    def columns(self) -> Mapping[str, ApiColumn]:
        return {each.field_name: each for each in self.relation.columns}


@dataclass(frozen=True)
class _OnlyGroup:
    """The key function of a variable with all objects: the co-location group of the value that all of them name, in a
    tuple; empty if they name several values or none."""

    objects: GivenValues

    def __call__(self, value: Any) -> tuple[int | None, ...]:
        places = {each.place for each in self.objects.given(value, None)}
        return (next(iter(places))[0],) if len(places) == 1 else ()


@dataclass(frozen=True)
class _FirstText:
    """Reads objects; returns the first value in them."""

    objects: GivenValues

    def __call__(self, value: Any) -> str:
        return next(self.objects.given(value, None)).text


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class OneTenant:
    """The value that all objects of a request name. ``text``: the value in the request."""

    field: Field
    group: int | None
    text: Leaf

    def of(self, relation: ApiRelation) -> ColumnElement[Any] | None:
        """The value for the distribution column of a relation, as a parameter; None if it has another one."""
        distribution = relation.distribution
        if distribution is None or distribution.group != self.group or distribution.column not in relation.by_name:
            return None
        column = relation.by_name[distribution.column].column
        return self.field.planning.bind(self.text, _as_it_is, column.type_text)


def tenant_of_all(
    field: Field, relation: ApiRelation, type_: GraphQLInputObjectType, leaf: Leaf | None = None
) -> OneTenant | None:
    """The value that all objects of an insert, and those inside them, name; None if they name several values or none,
    and without Citus. ``leaf``: the objects."""
    return _one_tenant(field, leaf or field.whole("objects"), ObjectsOf(field.api, relation, type_))


def tenant_of_updates(field: Field, relation: ApiRelation, updates: Leaf) -> OneTenant | None:
    """The same for the keys of a bulk update; None too if it gives one of the rows another value."""
    return _one_tenant(field, updates, _Updates(field.api, relation))


def value_of(tenant: OneTenant | None, relation: ApiRelation) -> ColumnElement[Any] | None:
    """The tenant's value for a relation; None if it is not known."""
    return None if tenant is None else tenant.of(relation)


def _one_tenant(field: Field, leaf: Leaf, objects: GivenValues) -> OneTenant | None:
    if field.planning.cluster is None:
        return None
    group = _OnlyGroup(objects)
    if leaf.source.path is not None:
        leaf.steer(group)
    else:
        given = list(objects.given(leaf.raw, leaf.source))
        if len(given) > 1:
            # The variables of a literal are compared with each other, so their values are part of the plan's key.
            for source in dict.fromkeys(each.source for each in given if each.source is not None):
                Leaf(source, leaf.variables, "").steer()
    found = group(leaf.raw)
    return OneTenant(field, found[0], leaf.read_by(_FirstText(objects))) if found else None


def has_several(value: Any) -> bool:
    """The key function of objects: whether any of their lists has several items."""
    if isinstance(value, list):
        return len(value) > 1 or any(map(has_several, value))
    return isinstance(value, dict) and any(map(has_several, value.values()))


def steer_by_lists(leaf: Leaf) -> bool:
    """Whether any list of the objects has several items, which from now on steers the plan."""
    _steer_by_lists(leaf, leaf.source)
    return has_several(leaf.raw)


def _steer_by_lists(leaf: Leaf, source: Source) -> None:
    if source.path is not None:
        Leaf(source, leaf.variables, "").steer(has_several)
    for part in source.parts or ():
        _steer_by_lists(leaf, part)
