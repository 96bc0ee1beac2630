"""Keys: the columns by which a request identifies one row of a relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graphql import GraphQLArgument, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement, and_, case, literal_column

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation, OwnName, own_name
from app.graphql.values.types import ToText
from app.query.filter.conditions import narrowed
from app.query.plan.planning import Planning
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.read.relationship_names import is_unique
from app.query.sql.comparison import Comparison
from app.query.sql.constructs import as_text, fail_with, row_count

NOT_UNIQUE_HINT = 'Declare columns as primary_key_columns that tell all rows apart: docs/directives.md, "Views".'

KEY = "key"
"""The argument that takes a key input, and the extension of that input's members: their KeyParts."""


@dataclass(frozen=True)
class KeyPart:
    """A column of a key, with its comparison and the conversion of its value to text. ``member``: the member of the key
    object that has the value; None if the key has one column and no object."""

    column: str
    comparison: Comparison
    to_text: ToText
    member: str | None = None


RowKey = tuple[KeyPart, ...]


def row_keys(api: ApiSchema, relation: ApiRelation) -> Mapping[str, RowKey]:
    """The keys of a relation that the role may read, by the name of their member of the key input."""
    return {name: member.extensions[KEY] for name, member in api.contributed("key_fields", relation).items()}


def key_input_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType | None:
    """The input type that identifies one row of a relation by one of its keys; None if the role may read no key."""

    def make() -> GraphQLInputObjectType | None:
        members = api.contributed("key_fields", relation)
        name = api.own_type_name(*own_key_input_name(relation))
        return GraphQLInputObjectType(name, members, is_one_of=True) if members else None

    return api.shared(f"key input of {relation.relation.oid}", make)


def own_key_input_name(relation: ApiRelation) -> OwnName:
    """The owner and requested name of that input type."""
    return own_name(relation, "KeyInput")


def key_argument(api: ApiSchema, relation: ApiRelation) -> GraphQLArgument | None:
    """The argument ``KEY`` of a field for one row; None if the role may read no key of the relation."""
    type_ = key_input_type(api, relation)
    return None if type_ is None else GraphQLArgument(GraphQLNonNull(type_), description="The key of the row")


def key_conditions(field: Field, rows: Rows) -> list[ColumnElement[Any]]:
    """The conditions that a row is the one that the argument of the field identifies."""
    return narrowed(rows, [key_condition(_input_of(field), field.planning, rows, field.arguments[KEY])])


def named_columns(field: Field) -> Sequence[str]:
    """The columns of the key that the argument of the field uses."""
    return [each.column for each in named_key(_input_of(field), field.arguments[KEY])]


def _input_of(field: Field) -> GraphQLInputObjectType:
    type_: Any = field.definition.args[KEY].type
    return cast(GraphQLInputObjectType, type_.of_type)


def named_key(type_: GraphQLInputObjectType, given: Mapping[str, Any]) -> RowKey:
    """The key that a value of the key input uses."""
    (name,) = given
    key: RowKey = type_.fields[name].extensions[KEY]
    return key


def key_condition(
    type_: GraphQLInputObjectType, planning: Planning, rows: Rows, given: Mapping[str, Any]
) -> ColumnElement[Any]:
    """The condition that a row is the one that a value of the key input identifies."""
    (value,) = given.values()
    return and_(
        *(
            each.comparison.equal(
                rows.column(each.column),
                planning.bind(
                    value if each.member is None else value[each.member], each.to_text, each.comparison.type_text
                ),
            )
            for each in named_key(type_, given)
        )
    )


def only(
    rows: Rows, columns: Sequence[str], row: ColumnElement[Any], key: ColumnElement[Any] | None = None
) -> ColumnElement[Any]:
    """``row``, an expression on the single row that a key of these columns finds in ``rows``. If only a comment
    declares the key, there may be several rows, which is an error when the statement runs. ``key`` tells the keys
    apart, if the statement finds the rows of several."""
    if is_unique(rows.relation.relation, columns):
        return row
    count = row_count().over(partition_by=key)
    message = f"The declared key of {rows.relation.type_name} is not unique"
    return case((count > literal_column("1"), fail_with(message, as_text(count), NOT_UNIQUE_HINT)), else_=row)
