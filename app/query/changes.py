"""What insert, update and delete share: the affected rows as the scope of the response's fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLDefaultInput,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
)
from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.sql.dml import UpdateBase

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import unknown_field_in
from app.graphql.relations import ApiColumn, ApiRelation
from app.graphql.values import Leaf
from app.query.planning import NamedRows, Rows
from app.query.sql import as_text, cast_to, constant, fail_with, one_row
from app.query.texts import integer_text
from app.query.walk import Field

AT_MOST = 1
"""The most rows that an update or delete may affect unless the request says otherwise."""

AT_MOST_HINT = 'Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".'

Assignments = dict[str, ColumnElement[Any]]
"""New values by the SQL names of their columns."""

Assign = Callable[[Field, Rows, Any], Assignments]
"""Turns the value of an argument of an update into new values of the changed rows. It is the extension ``assign`` of
the GraphQLArgument."""


@dataclass(frozen=True)
class RowLimit:
    """The most rows that a statement may affect, as SQL and as the request has it, and the error where it affects
    more."""

    most: ColumnElement[Any]
    asked: int | Leaf
    message: str


class Affected:
    """The scope of a response: the rows that a statement changed, at most so many."""

    def __init__(self, rows: NamedRows, most: int | Leaf) -> None:
        self.rows = rows
        self.most = most


def response_type(api: ApiSchema, relation: ApiRelation, verb: str) -> GraphQLObjectType:
    """The response of a mutation called ``verb`` (Insert, Update, Delete): how many rows it affected, and which."""
    records = GraphQLNonNull(GraphQLList(GraphQLNonNull(api.object_type(relation))))
    fields = {
        "affectedCount": GraphQLField(
            GraphQLNonNull(GraphQLInt), resolve=_count, description="How many rows were affected"
        ),
        "records": GraphQLField(records, resolve=_records, description="The affected rows"),
    }
    return api.named(
        f"{relation.type_name}{verb}Response",
        lambda name: GraphQLObjectType(name, fields, extensions=unknown_field_in(verb.lower())),
    )


def _count(field: Field, affected: Affected) -> ColumnElement[Any]:
    return func.count()


def _records(field: Field, affected: Affected) -> ColumnElement[Any]:
    with field.planning.nodes.each_of(affected.most):
        record = field.json(affected.rows)
    return func.coalesce(func.json_agg(record), constant("[]"))


def answer(
    field: Field,
    relation: ApiRelation,
    statement: Callable[[], tuple[UpdateBase, Rows]],
    rows: int | Leaf | RowLimit,
) -> ColumnElement[Any]:
    """The response's selected fields as one json object, from what ``statement`` changes.

    ``statement`` makes the data-modifying statement and the rows it works on. ``rows`` says how many they are; where it
    is a limit the statement fails as a whole if it affects more.
    """
    most = rows.asked if isinstance(rows, RowLimit) else rows
    affected = Affected(field.planning.named_rows(relation, "affected"), most)
    response: ColumnElement[Any] = field.json(affected)
    if isinstance(rows, RowLimit):
        response = case((func.count() > rows.most, fail_with(rows.message, as_text(func.count()))), else_=response)
    changing, changing_rows = statement()
    changed = changing.returning(*affected.rows.provided_by(changing_rows)).cte(affected.rows.name)
    return one_row(select(response).select_from(affected.rows.element)).add_cte(changed).scalar_subquery()


def assigned(field: Field, column: ApiColumn, value: Leaf | None) -> ColumnElement[Any]:
    """A value for a column, as a parameter of the column's type without its modifier: the assignment then refuses
    what does not fit, where a cast to the modified type would cut it."""
    type_text = field.api.catalog.type_by_oid[column.column.type].text
    return field.planning.bind_or_null(value, column.to_text, type_text)


def at_most_argument() -> GraphQLArgument:
    """The argument of updates and deletes that says how many rows they may affect."""
    return GraphQLArgument(
        GraphQLNonNull(GraphQLInt),
        default=GraphQLDefaultInput(AT_MOST),
        description="The most rows that may be affected; more are an error, and nothing is changed",
        extensions={"takes_null": True},
    )


def row_limit(field: Field, verb: str) -> RowLimit:
    """How many rows the mutation called ``verb`` may affect."""
    leaf: Leaf | None = field.arguments.get("atMost")
    return RowLimit(_at_most(field), AT_MOST if leaf is None else leaf, f"{verb} impacts too many records")


def _at_most(field: Field) -> ColumnElement[Any]:
    """The argument ``atMost``, 1 without it.

    Without validation 1 also where the argument is null or no integer, as pg_graphql has it.
    """
    validates = field.api.dialect.validates
    leaf: Leaf | None = field.arguments.get("atMost")
    if leaf is not None:
        return field.planning.bind(leaf, _at_most_text if validates else _readable_at_most_text, "bigint")
    if validates and "atMost" in field.arguments:
        raise RequestError("Invalid input for NonNull type", hint=AT_MOST_HINT)
    return cast_to(constant(str(AT_MOST)), "bigint")


def _readable_at_most_text(value: Any) -> str | None:
    return _at_most_text(value if isinstance(value, int) and not isinstance(value, bool) else AT_MOST)


def _at_most_text(value: Any) -> str | None:
    text = integer_text(value)
    if text is not None and text.startswith("-"):
        raise RequestError("`atMost` must be an unsigned integer", code="BAD_USER_INPUT", hint=AT_MOST_HINT)
    return text
