"""Compares filters: each operator of each column with a value of a row, and related rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from graphql import get_named_type, get_nullable_type, is_list_type
from sqlalchemy import ColumnElement, Select, and_, exists, func, not_, select

from app.graphql.schema.relations import ApiColumn
from app.query.read.relationships import Relationship, relationships_of
from app.verification.questions import Question
from app.verification.sql import typed
from app.verification.target import PAGE, ComparedRelation, Sample

FilterComparison = tuple[str, Question, Select[Any]]
"""The subject of a comparison, what the API is asked, and SQL."""

InSql = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]


def _by(symbol: str) -> InSql:
    return lambda column, value: column.op(symbol)(value)


OPERATORS: Mapping[str, InSql] = {
    "eq": _by("="),
    "neq": _by("<>"),
    "lt": _by("<"),
    "lte": _by("<="),
    "gt": _by(">"),
    "gte": _by(">="),
    "in": _by("="),
    "distinctFrom": lambda column, value: column.is_distinct_from(value),
    "like": _by("LIKE"),
    "ilike": _by("ILIKE"),
    "startsWith": lambda column, value: func.left(column, func.length(value)) == value,
    "endsWith": lambda column, value: func.right(column, func.length(value)) == value,
    "includes": lambda column, value: func.strpos(column, value) > 0,
}
"""What operators of filters mean, with a value of the column."""

_TEXT = frozenset(("like", "ilike", "startsWith", "endsWith", "includes"))


def compare_filters(target: ComparedRelation, sample: Sample | None) -> None:
    """Every column by the operators above, and by whether it is null."""
    members = target.argument_members("filter")
    asked: list[FilterComparison] = []
    for name, column in target.columns.items():
        operators: Any = getattr(get_named_type(members[name].type), "fields", {}) if name in members else {}
        if "is" in operators:
            asked += _of_nulls(target, name, column)
        if sample is not None and sample.ours.get(name) is not None:
            known = OPERATORS.keys() - _TEXT if _is_padded(target, column) else OPERATORS.keys()
            for operator in known & operators.keys():
                asked += _of_operator(target, name, column, sample, operator, operators[operator])
    target.compare("filter", sorted(asked, key=lambda each: each[0]))


def _is_padded(target: ComparedRelation, column: ApiColumn) -> bool:
    """Whether values are of char(n), whose blanks at the end count for some of PostgreSQL's operators only."""
    types = target.side.schema.catalog.type_by_oid
    type_ = types[column.column.type]
    while type_.base:
        type_ = types[type_.base]
    return type_.name == "bpchar"


def _of_nulls(target: ComparedRelation, name: str, column: ApiColumn) -> Iterator[FilterComparison]:
    table = target.relation.table
    left = table.c[column.name]
    for value, condition in (("NULL", left.is_(None)), ("NOT_NULL", left.is_not(None))):
        yield (
            f"{column.name} is {value}",
            _question(target, name, f"{{is: {value}}}"),
            target.keys(table, condition),
        )


def _of_operator(
    target: ComparedRelation, name: str, column: ApiColumn, sample: Sample, operator: str, member: Any
) -> Iterator[FilterComparison]:
    given = [sample.ours[name]] if operator == "in" else sample.ours[name]
    # An operator of arrays may take a single element.
    if is_list_type(get_nullable_type(member.type)) == isinstance(given, list):
        table = target.relation.table
        value = typed(sample.texts[column.name], "text" if operator in _TEXT else column.column.type_text)
        condition = OPERATORS[operator](table.c[column.name], value)
        question = _question(target, name, f"{{{operator}: $0}}", (str(member.type), given))
        yield f"{column.name} {operator}", question, target.keys(table, condition)


def _question(target: ComparedRelation, name: str, condition: str, *variables: tuple[str, Any]) -> Question:
    return target.page(variables, first=str(PAGE), filter=f"{{{name}: {condition}}}")


def compare_related_filters(target: ComparedRelation) -> None:
    """That a row has related rows, or has none."""
    table, members = target.relation.table, target.argument_members("filter")
    asked: list[FilterComparison] = []
    for each in relationships_of(target.side.schema, target.relation):
        related = _related(each, table)
        for condition, expected in _existence(each, members, related).items():
            question = target.page(first=str(PAGE), filter=f"{{{condition}}}")
            asked.append((condition, question, target.keys(table, expected)))
    target.compare("related filter", asked)


def _existence(
    relationship: Relationship, members: Mapping[str, Any], related: ColumnElement[Any]
) -> Mapping[str, ColumnElement[Any]]:
    """What a filter may ask of related rows that any row satisfies, and the same in SQL."""
    name = relationship.name
    if name not in members:
        return {}
    if not relationship.to_many:
        return {f"{name}Exists: true": related} if f"{name}Exists" in members else {}
    asked: Any = getattr(get_named_type(members[name].type), "fields", {})
    found = {f"{name}: {{exists: true}}": related} if "exists" in asked else {}
    inner: Any = getattr(get_named_type(asked["some"].type), "fields", {}) if "some" in asked else {}
    key = relationship.target.by_name.get(relationship.target.key[0]) if relationship.target.key else None
    if key is not None and "is" in getattr(get_named_type(inner[key.field_name].type), "fields", ()):
        any_row = f"{{{key.field_name}: {{is: NOT_NULL}}}}"
        found |= {f"{name}: {{some: {any_row}}}": related, f"{name}: {{none: {any_row}}}": not_(related)}
    return found


def _related(relationship: Relationship, table: Any) -> ColumnElement[Any]:
    related = relationship.target.table.alias("related")
    linked = and_(*(related.c[to] == table.c[from_] for from_, to in relationship.pairs))
    return exists(select(1).select_from(related).where(linked).correlate(table))
