"""How the objects of a nested insert steer its plan: by their batches, however many objects these have.

That is so for a variable that holds all of them, and for the variables within a literal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLInputObjectType

from app.graphql.values.values import Leaf, Source
from app.query.write.nested.objects import BatchesOf, batches_below, sorts_of_keys
from app.query.write.nested.values import Batch, shape_of
from app.query.write.new_rows import CONNECT, Link, lead_on, links_of, type_below


def steering_batches(type_: GraphQLInputObjectType, objects: Leaf) -> tuple[Batch, ...] | None:
    """The form of ``objects``, whose type is ``type_``, which steers from now on; None if no object leads to others.
    Raises RequestError and OverLimit."""
    derive = _Leading(type_)
    if objects.source.path is not None:
        return derive(objects.steer(derive))
    planned_batches = derive(objects.raw)
    if planned_batches is not None:
        _Literal(objects).objects(type_, frozenset(), objects.source)
    return planned_batches


@dataclass(frozen=True)
class _Leading:
    """All of the objects, as one value; None if none of them leads to others."""

    type_: GraphQLInputObjectType

    def __call__(self, objects: Any) -> tuple[Batch, ...] | None:
        return _PlannedBatches(self.type_)(objects) if lead_on(links_of(self.type_.fields).keys(), objects) else None


@dataclass(frozen=True)
class _PlannedBatches:
    """Some of the objects."""

    type_: GraphQLInputObjectType
    filled: frozenset[str] = frozenset()

    def __call__(self, objects: Any) -> tuple[Batch, ...]:
        return shape_of(self.type_, BatchesOf(self.type_, self.filled)(objects))


@dataclass(frozen=True)
class _FormBelow:
    """What an object takes by a link."""

    type_: GraphQLInputObjectType
    link: Link

    def __call__(self, taken: Any) -> tuple[Batch, ...]:
        return shape_of(self.type_, batches_below(self.type_, self.link, taken))


@dataclass(frozen=True)
class _Literal:
    """Lets the variables in a literal steer; what is not for the batches steers by its structure anyway."""

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
            self._leaf(source).steer(_FormBelow(type_, link))
        for name, part in zip(source.keys or (), source.parts or (), strict=True):
            if name == link.member:
                self.objects(type_below(type_, link.name, name), link.fills_below, part)
            elif name != CONNECT:
                # An argument of the INSERT, which becomes part of the SQL.
                self._leaf(part).steer()
            elif part.path is not None:
                self._leaf(part).steer(sorts_of_keys)

    def _leaf(self, source: Source) -> Leaf:
        return replace(self.whole, source=source)
