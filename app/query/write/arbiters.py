"""Arbiters: the constraints and unique indexes in which a new row can be in conflict with one that is there.

The argument of ON CONFLICT, as PostgreSQL has it: a constraint is named, any other index is described by what it is
made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, FromClause, literal_column, not_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import Boolean, NullType

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation
from app.query.sql.comparison import Comparison, is_distinct, key_comparison
from schema_cache.model import UniqueIndex
from schema_cache.role_view import RoleView

TABLES = frozenset("rp")
"""The kinds of relations that ON CONFLICT works on."""


@dataclass(frozen=True)
class Arbiter:
    """One index of a relation, under its ``name`` in the API."""

    name: str
    relation: ApiRelation
    index: UniqueIndex

    def target(self) -> dict[str, Any]:
        """What SQLAlchemy's ``on_conflict_do_...`` takes to name it."""
        if self.index.constraint:
            return {"constraint": self.index.name}
        elements: Sequence[Any] = [literal_column(each) for each in self.index.elements] or self.index.columns
        return {"index_elements": elements, "index_where": self.predicate}

    @property
    def predicate(self) -> ColumnElement[Any] | None:
        """The condition on the rows that it covers, by the bare names of their columns; None if those are all."""
        return None if self.index.predicate is None else literal_column(f"({self.index.predicate})", Boolean())

    def comparisons(self, view: RoleView) -> list[tuple[str, Comparison]]:
        """The names of its plain columns, and how each is compared."""
        columns = (self.relation.relation.column(name) for name in self.index.columns)
        return [(each.name, key_comparison(view, each)) for each in columns if each is not None]

    def same(self, comparison: Comparison, left: ColumnElement[Any], right: ColumnElement[Any]) -> ColumnElement[Any]:
        """That two values of a column are one to the index; ``right`` is of the comparison's type."""
        if self.index.nulls_distinct:
            return comparison.equal(left, right)
        return not_(is_distinct(comparison.value(left), right, comparison.operators))


def arbiters_of(api: ApiSchema, relation: ApiRelation) -> Mapping[str, Arbiter]:
    """The arbiters of a relation that the role may name, by their names in the API."""
    if relation.relation.kind not in TABLES:
        return {}
    found: dict[str, Arbiter] = {}
    for index in relation.relation.unique_indexes:
        if _is_usable(relation, index):
            name = _name(api, relation, index)
            if name is not None and name not in found:
                found[name] = Arbiter(name, relation, index)
            elif name is not None:
                api.notices.add(_subject(relation, index), f"its name {name} in the API belongs to another one")
    return found


def _is_usable(relation: ApiRelation, index: UniqueIndex) -> bool:
    """Whether PostgreSQL takes it, for that role, and its key is not one that the database counts up by itself."""
    readable = relation.visible.select_all if index.needs is None else index.needs <= relation.visible.select
    counted = (each for each in relation.relation.columns if each.serial or each.identity)
    return index.arbiter and readable and not any(each.name in index.columns for each in counted)


def _name(api: ApiSchema, relation: ApiRelation, index: UniqueIndex) -> str | None:
    of_relation = f"{index.name} on {relation.relation.name}"
    name = str(api.comments.on("unique_index", of_relation, index.comment).get("name") or index.name)
    if api.is_name(name) and name not in names.NOT_ENUM_VALUES:
        return name
    fix = 'comment it with @graphql({"name": "..."})'
    api.notices.add(_subject(relation, index), f"{name} is no GraphQL name", fix=fix)
    return None


def _subject(relation: ApiRelation, index: UniqueIndex) -> str:
    return f"unique index {index.name} on {relation.relation.schema}.{relation.relation.name}"


class OnTarget(ColumnElement[Any]):
    """An expression about the row that is in the way, as ON CONFLICT DO UPDATE takes it. SQLAlchemy neither ties
    sub-queries there to the ``tables``, that of the insert and the proposed row, nor writes the schemas of theirs."""

    type = NullType()
    inherit_cache = False

    def __init__(self, about: ColumnElement[Any], *tables: FromClause) -> None:
        self.about = about
        self.tables = tables


@compiles(OnTarget)
def _expression_on_target(element: OnTarget, compiler: SQLCompiler, **options: Any) -> str:
    target = set(element.tables)
    compiler.stack.append({**compiler.stack[-1], "correlate_froms": target, "asfrom_froms": target})
    try:
        return compiler.process(element.about)
    finally:
        compiler.stack.pop()
