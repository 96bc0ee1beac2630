"""Makes the plan of a nested insert depend on the batches of its objects, but not on the number of objects in a batch,
except with Citus.

This applies to a variable that has all objects, and to variables inside a literal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLInputObjectType

from app.graphql.values.values import Leaf, Source
from app.query.write.nested.objects import BatchesOf, Sort, batches_below, sorts_of_keys
from app.query.write.nested.values import Batch, shape_of
from app.query.write.new_rows import CONNECT, Link, have_links, links_of, type_below


def steering_batches(type_: GraphQLInputObjectType, objects: Leaf, *, are_listed: bool) -> tuple[Batch, ...] | None:
    """The batches of ``objects``, which have the type ``type_``, or None if no object has links. From this call on they
    steer the plan. ``are_listed``: so do the numbers of their items. Raises RequestError and OverLimit."""
    key_function = _BatchesIfNested(type_, are_listed)
    if objects.source.path is not None:
        return key_function(objects.steer(key_function))
    planned_batches = key_function(objects.raw)
    if planned_batches is not None:
        _Literal(objects, are_listed).steer_objects(type_, frozenset(), objects.source)
    return planned_batches


@dataclass(frozen=True)
class _BatchesIfNested:
    """The key function of a value that has all objects. Returns their batches, or None if no object has links."""

    type_: GraphQLInputObjectType
    are_listed: bool

    def __call__(self, objects: Any) -> tuple[Batch, ...] | None:
        if not have_links(links_of(self.type_.fields).keys(), objects):
            return None
        return _PlannedBatches(self.type_, self.are_listed)(objects)


@dataclass(frozen=True)
class _PlannedBatches:
    """The key function of a value that has some of the objects. Returns their batches. ``filled`` as in BatchesOf."""

    type_: GraphQLInputObjectType
    are_listed: bool
    filled: frozenset[str] = frozenset()

    def __call__(self, objects: Any) -> tuple[Batch, ...]:
        return shape_of(self.type_, BatchesOf(self.type_, self.filled)(objects), are_listed=self.are_listed)


@dataclass(frozen=True)
class _BatchesBelow:
    """The key function of the value of a link. Returns the batches in it."""

    type_: GraphQLInputObjectType
    link: Link
    are_listed: bool

    def __call__(self, value: Any) -> tuple[Batch, ...]:
        return shape_of(self.type_, batches_below(self.type_, self.link, value), are_listed=self.are_listed)


@dataclass(frozen=True)
class _SortsOfKeys:
    """The key function of a list of keys. Returns their sorts, and with ``are_listed`` their number."""

    are_listed: bool

    def __call__(self, keys: Any) -> tuple[tuple[Sort, ...], int | None]:
        sorts = sorts_of_keys(keys)
        return sorts, len(keys) if self.are_listed and isinstance(keys, list) else None


@dataclass(frozen=True)
class _Literal:
    """Lets the variables inside a literal steer by their batches. Other variables in it steer by their structure, as
    usual."""

    whole: Leaf
    are_listed: bool

    def steer_objects(self, type_: GraphQLInputObjectType, filled: frozenset[str], source: Source) -> None:
        if source.path is not None:
            self._leaf(source).steer(_PlannedBatches(type_, self.are_listed, filled))
        elif source.keys is None:
            for part in source.parts or ():
                self.steer_objects(type_, filled, part)
        else:
            links = links_of(type_.fields)
            for name, part in zip(source.keys, source.parts or (), strict=True):
                if name in links:
                    self._steer_link(type_, links[name], part)

    def _steer_link(self, type_: GraphQLInputObjectType, link: Link, source: Source) -> None:
        if source.path is not None:
            self._leaf(source).steer(_BatchesBelow(type_, link, self.are_listed))
        for name, part in zip(source.keys or (), source.parts or (), strict=True):
            if name == link.member:
                self.steer_objects(type_below(type_, link.name, name), link.fills_below, part)
            elif name != CONNECT:
                # An argument of the INSERT; its value becomes part of the SQL.
                self._leaf(part).steer()
            elif part.path is not None:
                self._leaf(part).steer(_SortsOfKeys(self.are_listed))

    def _leaf(self, source: Source) -> Leaf:
        return replace(self.whole, source=source)
