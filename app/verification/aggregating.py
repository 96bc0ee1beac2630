"""Compares totals and aggregates, for relations whose comment enables them."""

from __future__ import annotations

from typing import Any

from graphql import get_named_type
from sqlalchemy import func, select

from app.verification.questions import Question
from app.verification.sql import listed
from app.verification.target import ComparedRelation

FUNCTIONS = ("min", "max", "sum")


def compare_totals(target: ComparedRelation) -> None:
    """Compare the number of all rows."""
    if "totalCount" in target.connection:
        rows = select(func.count()).select_from(target.relation.table).subquery()
        question = Question(f"{target.field_name} {{ totalCount }}")
        target.compare("total", [("", question, listed(rows))], lambda printed, sql: printed["totalCount"] == sql[0][0])


def compare_aggregates(target: ComparedRelation) -> None:
    """Compare the minimum, the maximum and the sum of each column that has them."""
    of_rows: Any = get_named_type(target.connection["aggregate"].type) if "aggregate" in target.connection else None
    for function in FUNCTIONS if of_rows is not None else ():
        results: Any = get_named_type(of_rows.fields[function].type) if function in of_rows.fields else None
        for name in results.fields if results is not None else ():
            if name in target.comparators:
                _compare(target, function, name)


def _compare(target: ComparedRelation, function: str, name: str) -> None:
    table = target.relation.table
    value = getattr(func, function)(table.c[target.columns[name].name])
    question = Question(f"{target.field_name} {{ aggregate {{ {function} {{ {name} }} }} }}")
    equal = target.comparators[name]
    target.compare(
        "aggregate",
        [(f"{function} {name}", question, listed(select(value).select_from(table).subquery()))],
        lambda printed, sql: equal(printed["aggregate"][function][name], sql[0][0]),
    )
