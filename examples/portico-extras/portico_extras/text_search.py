"""Full-text search: ``matches`` filters columns of type tsvector, with the syntax of a web search."""

from __future__ import annotations

from graphql import GraphQLInputField, GraphQLString
from sqlalchemy import func, null

from portico import Fields, Scalar, StringText, cast_to, hookimpl, scalar_type

NAME = "TextSearchVector"


@hookimpl
def scalars():
    to_text = StringText(NAME)
    type_ = scalar_type(NAME, to_text, "A document prepared for full-text search")
    return [Scalar(type_, to_text, frozenset({"tsvector"}))]


@hookimpl
def filter_operators(value_type):
    if value_type.filter != NAME:
        return None
    field = GraphQLInputField(
        GraphQLString, description='Words to find: "exactly so", or, -not', extensions={"operator": _matches}
    )
    return Fields(20, {"matches": field})


def _matches(planning, compared, operand):
    if operand is None:
        return cast_to(null(), "boolean")
    words = planning.bind(operand, StringText("String"), "text")
    return compared.value.bool_op("@@")(func.websearch_to_tsquery(words))
