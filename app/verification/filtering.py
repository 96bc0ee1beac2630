"""Compares filters: each operator of each column, with a value of the sample row, and filters by related rows."""

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
"""The subject of a comparison, the question to the API, and the SQL query."""

SqlOperator = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]


def _by(symbol: str) -> SqlOperator:
    return lambda column, value: column.op(symbol)(value)


OPERATORS: Mapping[str, SqlOperator] = {
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
"""The meaning of the filter operators, for a column and a value of it."""

_TEXT = frozenset(("like", "ilike", "startsWith", "endsWith", "includes"))


def compare_filters(target: ComparedRelation, sample: Sample | None) -> None:
    """Compare filters of every column: the operators above, and whether it is null."""
    members = target.argument_members("filter")
    comparisons: list[FilterComparison] = []
    for name, column in target.columns.items():
        operators: Any = getattr(get_named_type(members[name].type), "fields", {}) if name in members else {}
        if "is" in operators:
            comparisons += _of_nulls(target, name, column)
        if sample is not None and sample.printed.get(name) is not None:
            known = OPERATORS.keys() - _TEXT if _is_padded(target, column) else OPERATORS.keys()
            for operator in known & operators.keys():
                comparisons += _of_operator(target, name, column, sample, operator, operators[operator])
    target.compare("filter", sorted(comparisons, key=lambda each: each[0]))


def _is_padded(target: ComparedRelation, column: ApiColumn) -> bool:
    """Whether values are of char(n). Only some of PostgreSQL's operators ignore the blanks at the end of those."""
    types = target.sides.schema.catalog.type_by_oid
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
    given = [sample.printed[name]] if operator == "in" else sample.printed[name]
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
    """Compare the filters for rows that have related rows, or have none."""
    table, members = target.relation.table, target.argument_members("filter")
    comparisons: list[FilterComparison] = []
    for each in relationships_of(target.sides.schema, target.relation):
        related = _related(each, table)
        for condition, expected in _existence(each, members, related).items():
            question = target.page(first=str(PAGE), filter=f"{{{condition}}}")
            comparisons.append((condition, question, target.keys(table, expected)))
    target.compare("related filter", comparisons)


def _existence(
    relationship: Relationship, members: Mapping[str, Any], related: ColumnElement[Any]
) -> Mapping[str, ColumnElement[Any]]:
    """The filters of one relationship that only check whether related rows exist, each with its condition in SQL."""
    name = relationship.name
    if name not in members:
        return {}
    if not relationship.to_many:
        return {f"{name}Exists: true": related} if f"{name}Exists" in members else {}
    quantifiers: Any = getattr(get_named_type(members[name].type), "fields", {})
    found = {f"{name}: {{exists: true}}": related} if "exists" in quantifiers else {}
    inner: Any = getattr(get_named_type(quantifiers["some"].type), "fields", {}) if "some" in quantifiers else {}
    key = relationship.target.by_name.get(relationship.target.key[0]) if relationship.target.key else None
    if key is not None and "is" in getattr(get_named_type(inner[key.field_name].type), "fields", ()):
        any_row = f"{{{key.field_name}: {{is: NOT_NULL}}}}"
        found |= {f"{name}: {{some: {any_row}}}": related, f"{name}: {{none: {any_row}}}": not_(related)}
    return found


def _related(relationship: Relationship, table: Any) -> ColumnElement[Any]:
    related = relationship.target.table.alias("related")
    linked = and_(*(related.c[to] == table.c[from_] for from_, to in relationship.pairs))
    return exists(select(1).select_from(related).where(linked).correlate(table))
