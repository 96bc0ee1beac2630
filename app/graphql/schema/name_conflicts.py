"""Which relations get the names of their types and root fields, where several want the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.graphql.schema.notices import Notices, relation_subject
from app.graphql.schema.relations import ApiRelation


@dataclass(frozen=True, slots=True)
class RelationNames:
    """Names of types and of root fields that are made for a relation."""

    types: tuple[str, ...] = ()
    root_fields: tuple[str, ...] = ()


NamesOf = Callable[[str], RelationNames]
"""All names that are made for a relation whose type has a given name."""


def with_own_names(
    relations: Iterable[ApiRelation], reserved: Iterable[str], names_of: NamesOf, notices: Notices
) -> tuple[ApiRelation, ...]:
    """The relations whose types and root fields have names that neither the API itself nor an earlier relation has. Of
    one without a key only the type of its rows is made."""
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
    """What belongs to somebody else of the names of that kind, in words; None if nothing does."""
    if owners.keys().isdisjoint(names):
        return None
    name = next(each for each in names if each in owners)
    return f"the {kind} name {name} belongs to {owners[name]}"
