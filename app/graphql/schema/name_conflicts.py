"""Resolves conflicts between relations whose types or root fields would have the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pluggy

from app.graphql.schema.notices import Notices, relation_subject
from app.graphql.schema.relations import ApiRelation


@dataclass(frozen=True, slots=True)
class RelationNames:
    """The names of the types and root fields of a relation."""

    types: tuple[str, ...] = ()
    root_fields: tuple[str, ...] = ()


NamesOf = Callable[[str], RelationNames]
"""A function from the name of a relation's row type to all names that the relation needs."""


def names_from(hooks: pluggy.HookRelay, type_name: str) -> RelationNames:
    """All names that plugins give to a relation with that type name."""
    made: Sequence[RelationNames] = hooks.relation_names(type_name=type_name)
    return RelationNames(
        types=(type_name, *(name for each in made for name in each.types)),
        root_fields=tuple(name for each in made for name in each.root_fields),
    )


def without_name_conflicts(
    relations: Iterable[ApiRelation], reserved: Iterable[str], names_of: NamesOf, notices: Notices
) -> tuple[ApiRelation, ...]:
    """Leaves out each relation that needs a name of the API itself or of an earlier relation, and adds a notice for it.
    A relation without a key needs only the name of its row type."""
    types, fields = dict.fromkeys(reserved, "the API itself"), dict[str, str]()
    kept = []
    for relation in relations:
        names = names_of(relation.type_name) if relation.key else RelationNames((relation.type_name,))
        # Type names that differ only in the case of their first letter would make the same root field.
        clash = _clash("type", types, names.types) or _clash("field", fields, names.root_fields)
        if clash is None:
            full_name = f"{relation.relation.schema}.{relation.relation.name}"
            types |= dict.fromkeys(names.types, full_name)
            fields |= dict.fromkeys(names.root_fields, full_name)
            kept.append(relation)
        else:
            fix = 'comment it with @graphql({"name": "..."}) to rename it in the API'
            notices.add(relation_subject(relation.relation), clash, fix=fix)
    return tuple(kept)


def _clash(kind: str, owners: Mapping[str, str], names: Sequence[str]) -> str | None:
    """The reason to leave a relation out: the first of ``names`` that has an owner already. None if all are free."""
    if owners.keys().isdisjoint(names):
        return None
    name = next(each for each in names if each in owners)
    return f"the {kind} name {name} belongs to {owners[name]}"
