"""Compares the related rows of the first rows, through every relationship."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from app.query.read.relationships import Relationship, relationships_of
from app.verification.questions import Question, edges, nodes
from app.verification.sql import listed
from app.verification.target import ROWS, ComparedRelation, target_of

RELATED = 3
"""How many related rows of each row are compared."""


def compare_relationships(target: ComparedRelation) -> None:
    for each in relationships_of(target.sides.schema, target.relation):
        other = target_of(target.sides, each.target)
        if isinstance(other, ComparedRelation):
            same = _Same(other, each)
            target.compare(
                "relationship", [(each.name, _question(target, other, each), _query(target, other, each))], same
            )


class _Same:
    """Whether the API and SQL have the same related rows for each row."""

    def __init__(self, other: ComparedRelation, relationship: Relationship) -> None:
        self._other, self._relationship = other, relationship

    def __call__(self, printed: Any, sql: Any) -> bool:
        found = [each[self._relationship.name] for each in nodes(printed)]
        return len(found) == len(sql) and all(map(self._same_row, found, (each[0] for each in sql)))

    def _same_row(self, printed: Any, sql: Any) -> bool:
        if self._relationship.to_many:
            return self._other.same_keys(printed, sql)
        return self._other.same_key(printed, sql[0] if sql else None)


def _question(target: ComparedRelation, other: ComparedRelation, relationship: Relationship) -> Question:
    selection = f"{{ {other.key_selection} }}"
    if relationship.to_many:
        selection = f"(first: {RELATED}) {edges(other.key_selection)}"
    return Question(f"{target.field_name}(first: {ROWS}) {edges(relationship.name + selection)}")


def _query(target: ComparedRelation, other: ComparedRelation, relationship: Relationship) -> Any:
    table = target.relation.table
    key = [table.c[each.name] for each in target.key]
    rows = select(*table.c).select_from(table).order_by(*key).limit(ROWS).subquery("first_rows")
    related = other.relation.table.alias("related")
    linked = [related.c[to] == rows.c[from_] for from_, to in relationship.pairs]
    columns = [related.c[each.name] for each in other.key]
    limit = RELATED if relationship.to_many else 1
    found = select(*columns).select_from(related).where(*linked).order_by(*columns).limit(limit).correlate(rows)
    of_row = listed(found.subquery()).correlate(rows).scalar_subquery()
    in_order = select(of_row.label("related")).select_from(rows).order_by(*(rows.c[each.name] for each in target.key))
    return listed(in_order.subquery())
