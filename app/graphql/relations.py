"""Which relations and columns the API shows to a role, under which GraphQL names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import TableClause, column, table

from app.errors import RequestError
from app.graphql.dialect import Dialect
from app.graphql.notices import Notices
from app.graphql.values_of_types import ValueType
from schema_cache.model import Column, Distribution, Relation
from schema_cache.role_view import VisibleRelation

NODE_ID = "nodeId"
"""The field that every row has, whatever its columns are called."""


@dataclass(frozen=True, eq=False)
class ApiColumn:
    """A column that can cross the API: its field name and the type of its values."""

    column: Column
    field_name: str
    type: ValueType
    description: str | None = None
    deprecated: str | None = None

    @property
    def name(self) -> str:
        return self.column.name

    def to_text(self, value: Any) -> str | None:
        """``value`` of the request as text that fits the column; a string that is too long is refused, never
        truncated."""
        limit = self.column.max_length
        if limit is not None and any(isinstance(each, str) and len(each) > limit for each in _within(value)):
            raise RequestError(f"Invalid input for String type. Maximum character length {limit}")
        return self.type.to_text(value)


def _within(value: Any) -> Iterator[Any]:
    """``value``, or all that is in a list, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _within(item)
    else:
        yield value


@dataclass(frozen=True, eq=False)
class ApiRelation:
    """A relation as the API shows it to a role. ``columns`` are the readable ones in the database's order,
    ``insertable`` and ``updatable`` those that may be given a value; ``key`` are the columns that identify a row, ()
    where none do."""

    visible: VisibleRelation
    relation: Relation
    type_name: str
    inflect: bool
    max_rows: int
    key: tuple[str, ...]
    columns: tuple[ApiColumn, ...]
    insertable: tuple[ApiColumn, ...]
    updatable: tuple[ApiColumn, ...]
    directives: Mapping[str, Any]
    by_name: Mapping[str, ApiColumn]

    @cached_property
    def table(self) -> TableClause:
        """The relation as an SQLAlchemy construct. Most relations of a large schema are never asked for theirs."""
        relation = self.relation
        return table(relation.name, *(column(each.name) for each in relation.columns), schema=relation.schema)

    @property
    def distribution(self) -> Distribution | None:
        """How its rows are spread over nodes, as Citus says, or else a comment."""
        declared = self.directives.get("distribution_column")
        if self.relation.distribution is None and declared and self.relation.column(declared):
            return Distribution(declared, group=None)
        return self.relation.distribution

    @property
    def has_readable_key(self) -> bool:
        """Whether the role may read all of the key, which node ids are made of."""
        return bool(self.key) and self.visible.select.issuperset(self.key)


def is_exposed_kind(relation: Relation, dialect: Dialect) -> bool:
    return relation.kind != "p" or dialect.partitioned_tables


def key_of(relation: Relation, directives: Mapping[str, Any]) -> tuple[str, ...]:
    """The primary key's columns, else those that a comment directive names, else (). On views, whose primary key is
    only inferred, the directive comes first."""
    declared = tuple(directives.get("primary_key_columns") or ())
    if not all(relation.column(name) for name in declared):
        declared = ()
    if relation.kind in ("v", "m"):
        return declared or relation.primary_key
    return relation.primary_key or declared


OwnName = tuple[Hashable, str]
"""What identifies a type, and the name that is wanted for it."""


def own_name(relation: ApiRelation, suffix: str) -> OwnName:
    """What a type asks for that is made for a relation's rows and of which there is one with that suffix."""
    return (relation.relation.oid, suffix), f"{relation.type_name}{suffix}"


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
    owners: dict[str, str] = {f"type {name}": "the API itself" for name in reserved}
    kept = []
    for relation in relations:
        names = names_of(relation.type_name) if relation.key else RelationNames((relation.type_name,))
        # Type names that differ only in the case of their first letter would make the same root field.
        claims = [*(f"type {name}" for name in names.types), *(f"field {name}" for name in names.root_fields)]
        clash = next((claim for claim in claims if claim in owners), None)
        full_name = f"{relation.relation.schema}.{relation.relation.name}"
        if clash is None:
            owners.update(dict.fromkeys(claims, full_name))
            kept.append(relation)
        else:
            kind, _, name = clash.partition(" ")
            notices.add(
                relation_subject(relation.relation),
                f"the {kind} name {name} belongs to {owners[clash]}",
                fix='comment it with @graphql({"name": "..."}) to rename it in the API',
            )
    return tuple(kept)


KINDS = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
"""What relations are called, by their ``relkind``."""


def relation_subject(relation: Relation) -> str:
    """How notices speak of a relation."""
    return f"{KINDS[relation.kind]} {relation.schema}.{relation.name}"
