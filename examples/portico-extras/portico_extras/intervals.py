"""A scalar for intervals, which are compared by length."""

from __future__ import annotations

from graphql import GraphQLInputField
from sqlalchemy import null

from portico import Fields, Scalar, StringText, cast_to, hookimpl, scalar_type

NAME = "Interval"


@hookimpl
def scalars():
    to_text = StringText(NAME)
    type_ = scalar_type(NAME, to_text, "A span of time, such as 1 day 02:30:00 or P1DT2H30M")
    return [Scalar(type_, to_text, frozenset({"interval"}))]


@hookimpl
def filter_operators(value_type):
    if value_type.filter != NAME:
        return None
    operators = {
        "longerThan": (">", "Intervals longer than this one"),
        "shorterThan": ("<", "Intervals shorter than this one"),
    }
    return Fields(
        20,
        {
            name: GraphQLInputField(
                value_type.graphql, description=description, extensions={"operator": _comparison(symbol)}
            )
            for name, (symbol, description) in operators.items()
        },
    )


def _comparison(symbol):
    def compare(planning, compared, operand):
        if operand is None:
            return cast_to(null(), "boolean")
        return compared.value.bool_op(symbol)(planning.bind(operand, StringText(NAME), "interval"))

    return compare
