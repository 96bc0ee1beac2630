"""The new values that the arguments of an update assign to columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLInputField, GraphQLInputObjectType, get_nullable_type
from sqlalchemy import ColumnElement

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.values import Leaf
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.write.on_cluster import without_moves

Assignments = dict[str, ColumnElement[Any]]
"""New values by the SQL names of their columns."""

Assign = Callable[[Field, Rows, Any], Assignments]
"""A function from the value of an argument of an update to new values of the changed rows. It is the extension
``assign`` of the GraphQLArgument."""


ColumnOperation = Callable[[Field, ApiColumn, ColumnElement[Any], Leaf], ColumnElement[Any]]
"""A function that returns the new value of a column, from its current value and an operand."""


def operator_argument(
    api: ApiSchema,
    relation: ApiRelation,
    kind: str,
    columns: Iterable[ApiColumn],
    operation: ColumnOperation,
    description: str,
) -> GraphQLArgument | None:
    """An argument of updates, of the type <T><kind>Input, that applies an operation to columns; an operand of null has
    no effect. None if there are no columns."""
    by_name = {each.field_name: each for each in columns}
    if not by_name:
        return None

    def assign(field: Field, rows: Rows, given: Mapping[str, Leaf | None]) -> Assignments:
        return {
            by_name[name].name: operation(field, by_name[name], rows.column(by_name[name].name), operand)
            for name, operand in given.items()
            if operand is not None
        }

    type_ = api.named(
        api.own_type_name(*own_operators_name(relation, kind)),
        lambda name: GraphQLInputObjectType(
            name, lambda: {name: GraphQLInputField(each.type.input) for name, each in by_name.items()}
        ),
    )
    return GraphQLArgument(type_, description=description, extensions={"assign": assign})


def own_operators_name(relation: ApiRelation, kind: str) -> OwnName:
    """The owner and requested name of the type of such an argument."""
    return own_name(relation, f"{kind}Input")


def read_and_updated(relation: ApiRelation) -> list[ApiColumn]:
    """The columns that the role may both read and update, so that a new value may depend on the current one."""
    return [each for each in relation.updatable if each.name in relation.visible.select]


def arguments_of_updates(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLArgument]:
    """The arguments that plugins contribute to the update of a relation's rows. If several of them assign values, none
    of these is required."""

    def make() -> dict[str, GraphQLArgument]:
        made = api.contributed(api.hooks.update_arguments.name, relation)
        several = assigning(made)
        return made if len(several) < 2 else made | {name: _optional(each) for name, each in several.items()}

    return api.shared(f"assigning arguments of {relation.relation.oid}", make)


def _optional(argument: GraphQLArgument) -> GraphQLArgument:
    type_: Any = get_nullable_type(argument.type)
    return GraphQLArgument(type_, description=argument.description, extensions=argument.extensions)


def assigning(arguments: Mapping[str, GraphQLArgument]) -> dict[str, GraphQLArgument]:
    """The arguments that assign values to columns."""
    return {name: each for name, each in arguments.items() if "assign" in each.extensions}


def given_values(field: Field) -> dict[str, Any]:
    """The values of an update's arguments that assign values to columns. Raises RequestError if there are none."""
    given = {name: field.arguments[name] for name in assigning(field.definition.args) if field.arguments.get(name)}
    return given or _refuse_nothing()


def assignments(field: Field, rows: Rows, given: Mapping[str, Any]) -> Assignments:
    """The new values of columns of ``rows`` from the result of ``given_values``. Raises RequestError if two arguments
    assign a value to the same column."""
    new: Assignments = {}
    of_argument: dict[str, str] = {}
    for name, value in given.items():
        made: Assignments = field.definition.args[name].extensions["assign"](field, rows, value)
        for column in made:
            if column in of_argument:
                api_column = rows.relation.by_name.get(column)
                called = api_column.field_name if api_column else column
                message = f"{called} is given a value by {of_argument[column]} and by {name}"
                raise RequestError(message, code="BAD_USER_INPUT", hint="Name a column in one argument only.")
            of_argument[column] = name
        new |= made
    return without_moves(field, rows, new) or _refuse_nothing()


def _refuse_nothing() -> Any:
    message = "At least one mapping must be provided to set argument"
    hint = 'Expected a new value for at least one column, such as set: {name: "x"}: docs/graphql.md, "Changes".'
    raise RequestError(message, code="BAD_USER_INPUT", hint=hint)


def assigned(field: Field, column: ApiColumn, value: Leaf | None) -> ColumnElement[Any]:
    """A value for a column, as a parameter of the column's type without its modifier. The assignment then refuses a
    value that does not fit, while a cast to the type with its modifier would truncate it."""
    type_text = field.api.catalog.type_by_oid[column.column.type].text
    return field.planning.bind_or_null(value, column.to_text, type_text)
