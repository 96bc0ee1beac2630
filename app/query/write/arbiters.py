"""Arbiters: the constraints and unique indexes by which a new row can conflict with an existing one.

In PostgreSQL's ON CONFLICT a constraint is named; any other unique index is described by its columns, expressions and
predicate.
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
        """The arguments for SQLAlchemy's ``on_conflict_do_...`` that name the arbiter."""
        if self.index.constraint:
            return {"constraint": self.index.name}
        elements: Sequence[Any] = [literal_column(each) for each in self.index.elements] or self.index.columns
        return {"index_elements": elements, "index_where": self.predicate}

    @property
    def predicate(self) -> ColumnElement[Any] | None:
        """The predicate of a partial index, with unqualified column names; None if the index covers all rows."""
        return None if self.index.predicate is None else literal_column(f"({self.index.predicate})", Boolean())

    def comparisons(self, view: RoleView) -> list[tuple[str, Comparison]]:
        """The names of its plain columns, with the comparison of each."""
        columns = (self.relation.relation.column(name) for name in self.index.columns)
        return [(each.name, key_comparison(view, each)) for each in columns if each is not None]

    def same(self, comparison: Comparison, left: ColumnElement[Any], right: ColumnElement[Any]) -> ColumnElement[Any]:
        """The condition that the index considers two values of a column equal; ``right`` is of the comparison's
        type."""
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
    """Whether PostgreSQL accepts the index as an arbiter for the role, and no column of it is numbered by the
    database."""
    readable = relation.visible.select_all if index.needs is None else index.needs <= relation.visible.select
    numbered = (each for each in relation.relation.columns if each.serial or each.identity)
    return index.arbiter and readable and not any(each.name in index.columns for each in numbered)


def _name(api: ApiSchema, relation: ApiRelation, index: UniqueIndex) -> str | None:
    of_relation = f"{index.name} on {relation.relation.name}"
    name = str(api.comments.on("unique_index", of_relation, index.comment).get("name") or index.name)
    if api.is_name(name) and name not in names.NOT_ENUM_VALUES:
        return name
    fix = 'comment it with @graphql({"name": "..."})'
    api.notices.add(_subject(relation, index), f"{name} is not a valid GraphQL name", fix=fix)
    return None


def _subject(relation: ApiRelation, index: UniqueIndex) -> str:
    return f"unique index {index.name} on {relation.relation.schema}.{relation.relation.name}"


class OnTarget(ColumnElement[Any]):
    """An expression on the conflicting row, for ON CONFLICT DO UPDATE. There SQLAlchemy does not correlate subqueries
    to the table of the insert and the proposed row, nor write the schemas of their tables; this construct does, for
    ``tables``."""

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
