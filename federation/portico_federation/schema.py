"""The subgraph's schema in the schema definition language: the role's schema with the directives of the federation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from graphql import (
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLOneOfDirective,
    is_introspection_type,
    is_specified_scalar_type,
    print_directive,
)

from portico import ApiRelation, ApiSchema
from portico_federation.comments import INACCESSIBLE, UNFEDERATED, directives_of
from portico_federation.definitions import Definition, Member, definition
from portico_federation.keys import Entities, entities_of

VERSION = "v2.3"
IMPORTED = ("@key", "@shareable", "@inaccessible", "@override", "@tag")
LINK = f'extend schema @link(url: "https://specs.apollo.dev/federation/{VERSION}", import: {json.dumps(IMPORTED)})'
ROOTS = ("Query", "Mutation")
OWN = frozenset(("_Any", "_Entity", "_Service", "Node"))
"""Types that are no part of the federated schema. The gateway adds the first three itself. Any subgraph may have an
interface ``Node`` and a field ``node``, which could find only its own rows."""

Definitions = Mapping[str, Definition]


def subgraph_schema(api: ApiSchema) -> Iterator[str]:
    """The definitions of the subgraph's schema, each as text. ``api`` is a copy whose types may be freed."""
    entities = entities_of(api)
    found = {
        each.name: _with_keys(definition(each), entities)
        for each in api.each_type()
        if not is_introspection_type(each) and not is_specified_scalar_type(each)
    }
    _drop(found, _names(api, UNFEDERATED) | OWN)
    _hide(found, _names(api, INACCESSIBLE))
    shown = _reachable(found, (*ROOTS, *(each.name for each in entities.types())))
    yield LINK
    if any(isinstance(each.type_, GraphQLInputObjectType) and each.type_.is_one_of for each in shown.values()):
        yield print_directive(GraphQLOneOfDirective)
    for name in sorted(shown):
        yield shown[name].text()


def _with_keys(made: Definition, entities: Entities) -> Definition:
    """The definition with the keys of an entity; the types of other objects than rows may be in several subgraphs."""
    type_ = made.type_
    if isinstance(type_, GraphQLObjectType) and type_.name not in ROOTS:
        keys = [f'@key(fields: "{" ".join(each.fields)}")' for each in entities.keys(type_.name)]
        is_row = "directives" in type_.extensions
        made.directives[:0] = keys or ([] if is_row else ["@shareable"])
    return made


def _names(api: ApiSchema, directive: str) -> frozenset[str]:
    """The names of the types of the relations with a directive, and those that plugins derive from them."""
    commented = (each for each in api.rows_by_oid.values() if each.directives.get(directive))
    return frozenset(name for each in commented for name in (each.type_name, *_derived_types(api, each)))


def _derived_types(api: ApiSchema, relation: ApiRelation) -> Iterator[str]:
    for names in api.hooks.relation_names(type_name=relation.type_name):
        yield from names.types
    for announced in api.hooks.own_type_names_of(api=api, relation=relation):
        yield from (api.own_type_name(owner, name) for owner, name in announced)


def _drop(found: dict[str, Definition], names: Iterable[str]) -> None:
    """Remove types, the fields that refer to them, and the types that have no field left. Remove fields whose comments
    say so."""
    for each in found.values():
        fields = getattr(each.type_, "fields", {}) if each.members else {}
        for name, member in each.members.items():
            member.is_dropped = bool(directives_of(getattr(fields[name], "extensions", {})).get(UNFEDERATED))

    def drop(member: Member) -> None:
        member.is_dropped = True

    dropped = _spread(found, names, drop, lambda member: member.is_dropped)
    for name in dropped:
        found.pop(name, None)
    for each in found.values():
        each.interfaces = [name for name in each.interfaces if name not in dropped]


def _hide(found: Definitions, names: Iterable[str]) -> None:
    """Make types inaccessible, with the fields that refer to them, and the types that have no other field left."""

    def hide(member: Member) -> None:
        member.directives.append(f"@{INACCESSIBLE}")

    for name in _spread(found, names, hide, lambda member: member.is_dropped or member.is_inaccessible):
        if name in found and f"@{INACCESSIBLE}" not in found[name].directives:
            found[name].directives.append(f"@{INACCESSIBLE}")


def _spread(
    found: Definitions, names: Iterable[str], mark: Callable[[Member], None], is_marked: Callable[[Member], bool]
) -> set[str]:
    """Mark the fields that refer to types of these names, and then to types all of whose fields are marked. Returns
    the names of all these types."""
    reached: set[str] = set(names)
    latest = reached
    while latest:
        spread: set[str] = set()
        for name, each in found.items():
            if name in reached:
                continue
            for member in each.members.values():
                if not is_marked(member) and not latest.isdisjoint(member.types):
                    mark(member)
            has_none_left = bool(each.members) and all(map(is_marked, each.members.values()))
            if has_none_left or not latest.isdisjoint(each.types):
                spread.add(name)
        reached |= spread
        latest = spread
    return reached


def _reachable(found: Definitions, names: Iterable[str]) -> Definitions:
    """The definitions of these types and of all that they refer to."""
    pending = [name for name in names if name in found]
    reached = set(pending)
    while pending:
        new = {each for each in found[pending.pop()].references() if each in found} - reached
        reached |= new
        pending += new
    return {name: found[name] for name in reached}
