"""<t>ByKey, update<T>ByKey, deleteFrom<T>ByKey: one row by any of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement, Delete, Update, delete, select, update

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.hooks import hookimpl
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.read.keys import KEY, KeyPart, key_argument, key_conditions, named_columns, only, own_key_input_name
from app.query.sql.comparison import key_comparison
from app.query.write.assignments import arguments_of_updates, assigning, assignments, given_values
from app.query.write.changes import changed_row


@hookimpl
def features() -> Sequence[str]:
    return ("keys",)


@hookimpl
def own_type_names_of(api: ApiSchema, relation: ApiRelation) -> Sequence[OwnName]:
    members = (_own_name(relation, _member_name(key)) for key in _keys(api, relation, fewest=2))
    return [own_key_input_name(relation), *members]


@hookimpl
def key_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    members: dict[str, GraphQLInputField] = {}
    for key in _keys(api, relation):
        members.setdefault(_member_name(key), _member(api, relation, key))
    return Fields(20, members)


def _keys(api: ApiSchema, relation: ApiRelation, fewest: int = 1) -> Iterator[Sequence[ApiColumn]]:
    """The columns of the keys that the role may read and that have at least ``fewest`` columns; the primary key
    first."""
    unique = (each.columns for each in relation.relation.unique_indexes if each.is_plain)
    for key in (each for each in (relation.key, *unique) if len(each) >= fewest):
        columns = [relation.by_name[name] for name in key if name in relation.by_name]
        if len(columns) == len(key) and all(_is_named(api, each) for each in columns):
            yield columns


def _is_named(api: ApiSchema, column: ApiColumn) -> bool:
    """Whether a request can have a value of the column, and the role may name the column's type."""
    return column.column.type not in api.view.unnamed_types and column.type.of_selection is None


def _member_name(key: Sequence[ApiColumn]) -> str:
    first, *others = (each.field_name for each in key)
    return "And".join((first, *(name[:1].upper() + name[1:] for name in others)))


def _member(api: ApiSchema, relation: ApiRelation, key: Sequence[ApiColumn]) -> GraphQLInputField:
    if len(key) == 1:
        return GraphQLInputField(key[0].type.input, extensions={KEY: (_part(api, key[0], None),)})
    member = _member_name(key)
    type_ = api.named(
        api.own_type_name(*_own_name(relation, member)),
        lambda name: GraphQLInputObjectType(
            name, {each.field_name: GraphQLInputField(GraphQLNonNull(each.type.input)) for each in key}
        ),
    )
    return GraphQLInputField(type_, extensions={KEY: tuple(_part(api, each, each.field_name) for each in key)})


def _own_name(relation: ApiRelation, member: str) -> OwnName:
    return own_name(relation, f"{member[:1].upper()}{member[1:]}KeyInput")


def _part(api: ApiSchema, column: ApiColumn, member: str | None) -> KeyPart:
    # Without the column's length check: a value that is too long matches no row.
    comparison = key_comparison(api.view, column.column, column.type.operand_text)
    return KeyPart(column.name, comparison, column.type.to_text, member)


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    fields = {f"{names.lower_first(each.type_name)}ByKey": partial(_by_key, api, each) for each in api.relations}
    return Fields(50, Deferred(fields))


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    fields = {f"update{each.type_name}ByKey": partial(_update, api, each) for each in api.relations}
    fields |= {f"deleteFrom{each.type_name}ByKey": partial(_delete, api, each) for each in api.relations}
    return Fields(50, Deferred(fields))


def _by_key(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        rows = field.planning.rows_of(relation)
        with field.planning.nodes.each_of(1):
            row = only(rows, named_columns(field), field.json(rows))
        return select(row).select_from(rows.element).where(*key_conditions(field, rows)).scalar_subquery()

    key = key_argument(api, relation)
    description = f"The row of type `{relation.type_name}` with a key"
    if key is None:
        return None
    return GraphQLField(api.object_type(relation), {KEY: key}, resolve, description=description)


def _update(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        given = given_values(field)

        def statement() -> tuple[Update, TableRows]:
            rows = field.planning.rows_of(relation)
            changing = update(rows.element).where(*key_conditions(field, rows))
            return changing.values(assignments(field, rows, given)), rows

        return changed_row(field, relation, named_columns(field), statement)

    if not relation.takes_changes:
        return None
    key, values = key_argument(api, relation), assigning(arguments_of_updates(api, relation))
    if key is None or not values:
        return None
    description = f"Changes the row of `{relation.type_name}` with a key"
    return GraphQLField(api.object_type(relation), {KEY: key, **values}, resolve, description=description)


def _delete(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        def statement() -> tuple[Delete, TableRows]:
            rows = field.planning.rows_of(relation)
            return delete(rows.element).where(*key_conditions(field, rows)), rows

        return changed_row(field, relation, named_columns(field), statement)

    if not (relation.visible.delete and relation.relation.deletable):
        return None
    key = key_argument(api, relation)
    description = f"Removes the row of `{relation.type_name}` with a key, and returns it as it was"
    if key is None:
        return None
    return GraphQLField(api.object_type(relation), {KEY: key}, resolve, description=description)
