"""Compares rows and their values, pages in both directions, and rows that are found by node id or key."""

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
    """The first rows with all columns."""
    table, columns = target.relation.table, target.columns
    selection = " ".join(columns)
    key = [table.c[each.name] for each in target.key]
    rows = select(*(table.c[each.name] for each in columns.values())).select_from(table).order_by(*key).limit(ROWS)
    question = Question(f"{target.field_name}(first: {ROWS}) {edges(selection)}")

    def same(ours: Any, sql: Any) -> bool:
        found = nodes(ours)
        target.side.report.values += sum(len(each) for each in sql)
        return len(found) == len(sql) and all(
            judge(one[name], other[place])
            for one, other in zip(found, sql, strict=True)
            for place, name in enumerate(columns)
            if (judge := target.judged.get(name)) is not None
        )

    target.compare("rows", [("", question, listed(rows.subquery()))], same)


def compare_pages(target: ComparedRelation) -> None:
    """A page after a cursor and one before it, in the order of the key."""
    first = f"{target.field_name}(first: {ROWS}) {{ edges {{ cursor node {{ {target.key_selection} }} }} }}"
    page = target.side.api.ask_one(Question(first))
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

    def __call__(self, ours: Any, sql: Any) -> bool:
        return self._target.same_keys(ours, sql[self._part])


def compare_single_rows(target: ComparedRelation, sample: Sample) -> None:
    """The sample by its node id, its primary key and its first other key."""
    table = target.relation.table
    query = target.keys(table, *target.is_the_row(sample), limit=1)
    asked = [(name, question, query) for name, question in _ways(target, sample)]
    target.compare("row by key", asked, lambda ours, sql: target.same_key(ours, sql[0] if sql else None))


def _ways(target: ComparedRelation, sample: Sample) -> list[tuple[str, Question]]:
    root: Any = target.side.schema.graphql.query_type
    selection, type_name = target.key_selection, target.relation.type_name
    base = names.lower_first(type_name)
    found = []
    if "nodeId" in target.side.schema.object_type(target.relation).fields and "node" in root.fields:
        id_ = _node_id(target, sample)
        if id_ is not None:
            found.append(("node", Question(f"node(nodeId: $0) {{ ... on {type_name} {{ {selection} }} }}", (id_,))))
    if f"{base}ByPk" in root.fields:
        args = root.fields[f"{base}ByPk"].args
        given = ", ".join(f"{name}: ${place}" for place, name in enumerate(args))
        variables = tuple((str(each.type), sample.ours[name]) for name, each in args.items())
        found.append(("ByPk", Question(f"{base}ByPk({given}) {{ {selection} }}", variables)))
    if f"{base}ByKey" in root.fields:
        key = root.fields[f"{base}ByKey"].args["key"]
        value = _key_value(get_named_type(key.type), sample)
        if value is not None:
            found.append(("ByKey", Question(f"{base}ByKey(key: $0) {{ {selection} }}", ((str(key.type), value),))))
    return found


def _node_id(target: ComparedRelation, sample: Sample) -> tuple[str, Any] | None:
    rows = target.side.api.ask_one(
        Question(f"{target.field_name}(first: {ROWS}) {edges(f'nodeId {target.key_selection}')}")
    )
    for each in nodes(rows.data) if isinstance(rows, Value) else ():
        if all(each[column.field_name] == sample.ours[column.field_name] for column in target.key):
            return "ID!", each["nodeId"]
    return None


def _key_value(type_: Any, sample: Sample) -> Any:
    """The first key of the input type whose values the sample has."""
    for name, member in type_.fields.items():
        named = get_named_type(member.type)
        parts = list(named.fields) if isinstance(named, GraphQLInputObjectType) else [name]
        values = {each: sample.ours.get(each) for each in parts}
        if None not in values.values():
            return {name: values if isinstance(named, GraphQLInputObjectType) else values[name]}
    return None
