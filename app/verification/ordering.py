"""Compares orders: each column in every direction, and orders by related rows. Each comparison reads two pages forward
by a cursor and one page backward."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from graphql import GraphQLEnumType, get_named_type
from sqlalchemy import ColumnElement, and_, func, select

from app.query.read.relationships import Relationship, relationships_of
from app.verification.questions import Question, arguments
from app.verification.result import ResultOrFailure, Value
from app.verification.target import ComparedRelation

HALF = 3
"""The number of rows on a page; two pages are compared with one query for twice this number."""

DIRECTIONS: Mapping[str, Callable[[Any], Any]] = {
    "AscNullsFirst": lambda value: value.asc().nulls_first(),
    "AscNullsLast": lambda value: value.asc().nulls_last(),
    "DescNullsFirst": lambda value: value.desc().nulls_first(),
    "DescNullsLast": lambda value: value.desc().nulls_last(),
}


def compare_orders(target: ComparedRelation) -> None:
    """Compare orders by every column of orderBy, in every direction."""
    table, members = target.relation.table, target.argument_members("orderBy")
    orders = []
    for name, column in target.columns.items():
        if name in members and isinstance(get_named_type(members[name].type), GraphQLEnumType):
            for direction, clause in DIRECTIONS.items():
                orders.append((f"{{{name}: {direction}}}", clause(table.c[column.name])))
    _compare(target, "order", orders)


def compare_related_orders(target: ComparedRelation) -> None:
    """Compare orders by the first column of a related row, and by the number of related rows."""
    members = target.argument_members("orderBy")
    orders = []
    for each in relationships_of(target.sides.schema, target.relation):
        inner: Any = getattr(get_named_type(members[each.name].type), "fields", {}) if each.name in members else {}
        if each.to_many and "count" in inner:
            orders.append((f"{{{each.name}: {{count: DescNullsLast}}}}", _count(target, each).desc().nulls_last()))
        elif not each.to_many:
            column = next(
                (c for c in each.target.columns if c.field_name in inner and _is_direction(inner[c.field_name])), None
            )
            if column is not None:
                value = _value(target, each, column.name).asc().nulls_last()
                orders.append((f"{{{each.name}: {{{column.field_name}: AscNullsLast}}}}", value))
    _compare(target, "related order", orders)


def _is_direction(member: Any) -> bool:
    return isinstance(get_named_type(member.type), GraphQLEnumType)


def _compare(target: ComparedRelation, kind: str, orders: Sequence[tuple[str, Any]]) -> None:
    api, sql, table = target.sides.api, target.sides.sql, target.relation.table
    firsts = api.ask([_page(target, order) for order, _ in orders])
    seconds = iter(
        api.ask(
            [_page(target, order, end) for (order, _), each in zip(orders, firsts, strict=True) if (end := _end(each))]
        )
    )
    for (order, clause), first in zip(orders, firsts, strict=True):
        both = _joined(first, next(seconds) if _end(first) else None)
        query = target.keys(table, order=[clause], limit=2 * HALF)
        target.sides.report.compare(
            kind,
            f"{target.name} {order}",
            f"{_page(target, order)}, and the page after it",
            partial(_two_pages, target, order),
            partial(sql.value, query),
            target.same_key_rows,
            both,
        )
    _compare_back(target, kind, [order for order, _ in orders], firsts)


def _compare_back(
    target: ComparedRelation, kind: str, orders: Sequence[str], firsts: Sequence[ResultOrFailure]
) -> None:
    """Compare the first pages with the same rows, read backward from the last one."""
    known = [(order, each, end) for order, each in zip(orders, firsts, strict=True) if (end := _end(each))]
    questions = [
        Question(
            f"{target.field_name}{arguments(last=str(HALF), before=end, orderBy=f'[{order}]')} {_selection(target)}"
        )
        for order, _, end in known
    ]
    for (order, first, _), question, back in zip(known, questions, target.sides.api.ask(questions), strict=True):
        target.sides.report.compare(
            f"{kind} backwards",
            f"{target.name} {order}",
            question,
            partial(target.sides.api.ask_one, question),
            partial(_known, first),
            _is_start,
            back,
        )


def _known(result: ResultOrFailure) -> ResultOrFailure:
    return result


def _is_start(backward: Any, forward: Any) -> bool:
    return bool(backward["edges"] == forward["edges"][:-1])


def _page(target: ComparedRelation, order: str, after: str | None = None) -> Question:
    given = arguments(first=str(HALF), after=after, orderBy=f"[{order}]")
    return Question(f"{target.field_name}{given} {_selection(target)}")


def _selection(target: ComparedRelation) -> str:
    return f"{{ edges {{ cursor node {{ {target.key_selection} }} }} }}"


def _end(page: ResultOrFailure) -> str | None:
    """The cursor of a page's last row, quoted as in a GraphQL document; None for an empty page or a failure."""
    edges = page.data["edges"] if isinstance(page, Value) else ()
    return json.dumps(edges[-1]["cursor"]) if edges else None


def _two_pages(target: ComparedRelation, order: str) -> ResultOrFailure:
    first = target.sides.api.ask_one(_page(target, order))
    end = _end(first)
    return _joined(first, target.sides.api.ask_one(_page(target, order, end)) if end else None)


def _joined(first: ResultOrFailure, second: ResultOrFailure | None) -> ResultOrFailure:
    """The rows of both pages, or the failure of one."""
    if second is not None and not isinstance(second, Value):
        return second
    if not isinstance(first, Value):
        return first
    pages = (first, second) if second is not None else (first,)
    return Value([each["node"] for page in pages for each in page.data["edges"]])


def _linked(target: ComparedRelation, relationship: Relationship, related: Any) -> ColumnElement[Any]:
    table = target.relation.table
    return and_(*(related.c[to] == table.c[from_] for from_, to in relationship.pairs))


def _value(target: ComparedRelation, relationship: Relationship, column: str) -> Any:
    related = relationship.target.table.alias("related")
    query = select(related.c[column]).where(_linked(target, relationship, related)).limit(1)
    return query.correlate(target.relation.table).scalar_subquery()


def _count(target: ComparedRelation, relationship: Relationship) -> Any:
    related = relationship.target.table.alias("related")
    query = select(func.count()).select_from(related).where(_linked(target, relationship, related))
    return query.correlate(target.relation.table).scalar_subquery()
