"""Compares rows and their values, pages in both directions, and look-ups of a row by node id or key."""

from __future__ import annotations

import json
from typing import Any

from graphql import GraphQLInputObjectType, get_named_type
from sqlalchemy import select

from app.graphql.schema import names
from app.verification.questions import Question, edges, nodes
from app.verification.result import Value
from app.verification.sql import listed
from app.verification.target import ROWS, ComparedRelation, Sample


def compare_rows(target: ComparedRelation) -> None:
    """Compare the first rows with all columns."""
    table, columns = target.relation.table, target.columns
    selection = " ".join(columns)
    key = [table.c[each.name] for each in target.key]
    rows = select(*(table.c[each.name] for each in columns.values())).select_from(table).order_by(*key).limit(ROWS)
    question = Question(f"{target.field_name}(first: {ROWS}) {edges(selection)}")

    def same(printed: Any, sql: Any) -> bool:
        found = nodes(printed)
        target.sides.report.values += sum(len(each) for each in sql)
        return len(found) == len(sql) and all(
            equal(one[name], other[position])
            for one, other in zip(found, sql, strict=True)
            for position, name in enumerate(columns)
            if (equal := target.comparators.get(name)) is not None
        )

    target.compare("rows", [("", question, listed(rows.subquery()))], same)


def compare_pages(target: ComparedRelation) -> None:
    """Compare a page after a cursor and one before it, in the order of the key."""
    first = f"{target.field_name}(first: {ROWS}) {{ edges {{ cursor node {{ {target.key_selection} }} }} }}"
    page = target.sides.api.ask_one(Question(first))
    if not isinstance(page, Value) or len(page.data["edges"]) < ROWS:
        return
    cursor = json.dumps(page.data["edges"][2]["cursor"])
    table = target.relation.table
    every = target.keys(table, limit=ROWS + 1)
    target.compare("page after", [("", target.page(first=str(ROWS - 2), after=cursor), every)], _Slice(target, 3, 6))
    target.compare("page before", [("", target.page(last=str(ROWS), before=cursor), every)], _Slice(target, 0, 2))


class _Slice:
    """Compares a page with a part of the keys that SQL lists."""

    def __init__(self, target: ComparedRelation, start: int, end: int) -> None:
        self._target, self._part = target, slice(start, end)

    def __call__(self, printed: Any, sql: Any) -> bool:
        return self._target.same_keys(printed, sql[self._part])


def compare_single_rows(target: ComparedRelation, sample: Sample) -> None:
    """Compare look-ups of the sample row by node id, by primary key and by its first unique key."""
    table = target.relation.table
    query = target.keys(table, *target.is_the_row(sample), limit=1)
    comparisons = [(name, question, query) for name, question in _look_ups(target, sample)]
    target.compare("row by key", comparisons, lambda printed, sql: target.same_key(printed, sql[0] if sql else None))


def _look_ups(target: ComparedRelation, sample: Sample) -> list[tuple[str, Question]]:
    root: Any = target.sides.schema.graphql.query_type
    selection, type_name = target.key_selection, target.relation.type_name
    base = names.lower_first(type_name)
    found = []
    if "nodeId" in target.sides.schema.object_type(target.relation).fields and "node" in root.fields:
        id_ = _node_id(target, sample)
        if id_ is not None:
            found.append(("node", Question(f"node(nodeId: $0) {{ ... on {type_name} {{ {selection} }} }}", (id_,))))
    if f"{base}ByPk" in root.fields:
        args = root.fields[f"{base}ByPk"].args
        given = ", ".join(f"{name}: ${place}" for place, name in enumerate(args))
        variables = tuple((str(each.type), sample.printed[name]) for name, each in args.items())
        found.append(("ByPk", Question(f"{base}ByPk({given}) {{ {selection} }}", variables)))
    if f"{base}ByKey" in root.fields:
        key = root.fields[f"{base}ByKey"].args["key"]
        value = _key_value(get_named_type(key.type), sample)
        if value is not None:
            found.append(("ByKey", Question(f"{base}ByKey(key: $0) {{ {selection} }}", ((str(key.type), value),))))
    return found


def _node_id(target: ComparedRelation, sample: Sample) -> tuple[str, Any] | None:
    rows = target.sides.api.ask_one(
        Question(f"{target.field_name}(first: {ROWS}) {edges(f'nodeId {target.key_selection}')}")
    )
    for each in nodes(rows.data) if isinstance(rows, Value) else ():
        if all(each[column.field_name] == sample.printed[column.field_name] for column in target.key):
            return "ID!", each["nodeId"]
    return None


def _key_value(type_: Any, sample: Sample) -> Any:
    """The value for the first key of the input type whose columns are not null in the sample."""
    for name, member in type_.fields.items():
        named = get_named_type(member.type)
        parts = list(named.fields) if isinstance(named, GraphQLInputObjectType) else [name]
        values = {each: sample.printed.get(each) for each in parts}
        if None not in values.values():
            return {name: values if isinstance(named, GraphQLInputObjectType) else values[name]}
    return None
