"""Makes the objects of a nested insert steer its plan by their batches, regardless of the number of objects in these.

This applies to a variable with all objects, and to variables inside a literal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLInputObjectType

from app.graphql.values.values import Leaf, Source
from app.query.write.nested.objects import BatchesOf, batches_below, sorts_of_keys
from app.query.write.nested.values import Batch, shape_of
from app.query.write.new_rows import CONNECT, Link, have_links, links_of, type_below


def steering_batches(type_: GraphQLInputObjectType, objects: Leaf) -> tuple[Batch, ...] | None:
    """The batches of ``objects``, of the type ``type_``; they steer from now on. None if no object has links. Raises
    RequestError and OverLimit."""
    derive = _BatchesIfNested(type_)
    if objects.source.path is not None:
        return derive(objects.steer(derive))
    planned_batches = derive(objects.raw)
    if planned_batches is not None:
        _Literal(objects).objects(type_, frozenset(), objects.source)
    return planned_batches


@dataclass(frozen=True)
class _BatchesIfNested:
    """The derive of a value with all objects: their batches, or None if no object has links."""

    type_: GraphQLInputObjectType

    def __call__(self, objects: Any) -> tuple[Batch, ...] | None:
        return _PlannedBatches(self.type_)(objects) if have_links(links_of(self.type_.fields).keys(), objects) else None


@dataclass(frozen=True)
class _PlannedBatches:
    """The derive of a value with some of the objects: their batches."""

    type_: GraphQLInputObjectType
    filled: frozenset[str] = frozenset()

    def __call__(self, objects: Any) -> tuple[Batch, ...]:
        return shape_of(self.type_, BatchesOf(self.type_, self.filled)(objects))


@dataclass(frozen=True)
class _BatchesBelow:
    """The derive of the value of a link: the batches in it."""

    type_: GraphQLInputObjectType
    link: Link

    def __call__(self, taken: Any) -> tuple[Batch, ...]:
        return shape_of(self.type_, batches_below(self.type_, self.link, taken))


@dataclass(frozen=True)
class _Literal:
    """Lets the variables inside a literal steer by their batches. Other variables in it steer by their structure, as
    usual."""

    whole: Leaf

    def objects(self, type_: GraphQLInputObjectType, filled: frozenset[str], source: Source) -> None:
        if source.path is not None:
            self._leaf(source).steer(_PlannedBatches(type_, filled))
        elif source.keys is None:
            for part in source.parts or ():
                self.objects(type_, filled, part)
        else:
            links = links_of(type_.fields)
            for name, part in zip(source.keys, source.parts or (), strict=True):
                if name in links:
                    self._taken(type_, links[name], part)

    def _taken(self, type_: GraphQLInputObjectType, link: Link, source: Source) -> None:
        if source.path is not None:
            self._leaf(source).steer(_BatchesBelow(type_, link))
        for name, part in zip(source.keys or (), source.parts or (), strict=True):
            if name == link.member:
                self.objects(type_below(type_, link.name, name), link.fills_below, part)
            elif name != CONNECT:
                # An argument of the INSERT; its value becomes part of the SQL.
                self._leaf(part).steer()
            elif part.path is not None:
                self._leaf(part).steer(sorts_of_keys)

    def _leaf(self, source: Source) -> Leaf:
        return replace(self.whole, source=source)
