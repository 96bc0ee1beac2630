"""<t>ByPk: one row by its primary key."""

from __future__ import annotations

from functools import partial
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull, GraphQLObjectType, get_nullable_type
from sqlalchemy import ColumnElement, select

from app.errors import RequestError
from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values import coercion
from app.graphql.values.types import ToText
from app.graphql.values.values import ABSENT
from app.hooks import hookimpl
from app.query.filter.conditions import narrowed
from app.query.plan.walk import Field
from app.query.read.keys import only
from app.query.sql.comparison import key_comparison
from app.query.sql.texts import opaque_text

KEY_TYPES = frozenset(("int2", "int4", "int8", "text", "citext", "uuid", "varchar", "bpchar"))
"""The types, by their names in pg_type, of key columns that can be arguments."""


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    fields = {f"{names.lower_first(each.type_name)}ByPk": partial(_field, api, each) for each in api.relations}
    return Fields(10, Deferred(fields))


def _key_columns(api: ApiSchema, relation: ApiRelation) -> list[ApiColumn]:
    """The key's columns if each can be an argument, else none."""
    columns = [relation.by_name.get(name) for name in relation.key]
    usable = [column for column in columns if column is not None and _is_key_type(api, column.column.type)]
    return usable if len(usable) == len(columns) else []


def _is_key_type(api: ApiSchema, type_oid: int) -> bool:
    return api.catalog.type_by_oid[type_oid].name in KEY_TYPES and type_oid not in api.view.unnamed_types


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    key = _key_columns(api, relation)
    if not key:
        return None
    arguments = {column.field_name: GraphQLArgument(GraphQLNonNull(column.type.input)) for column in key}

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        given = {each.name.value: each.value for each in field.nodes[0].arguments or ()}
        values = [
            coercion.coerce(
                get_nullable_type(arguments[each.field_name].type),
                given.get(each.field_name, ABSENT),
                field.walk.variables,
            )
            for each in key
        ]
        missing = [each.name for each, value in zip(key, values, strict=True) if value is None or value is ABSENT]
        if missing:
            raise RequestError(f"Missing primary key column(s): {', '.join(missing)}", code="BAD_USER_INPUT")
        _refuse_unknown(field, api.object_type(relation))
        rows = field.planning.rows_of(relation)
        conditions = [
            key_comparison(api.view, each.column).equal(
                rows.column(each.name), field.planning.bind(value, _to_text(api, each), each.column.type_text)
            )
            for each, value in zip(key, values, strict=True)
        ]
        with field.planning.nodes.each_of(1):
            row = only(rows, relation.key, field.json(rows))
        return select(row).select_from(rows.element).where(*narrowed(rows, conditions)).scalar_subquery()

    return GraphQLField(
        api.object_type(relation),
        arguments,
        resolve,
        description=f"The row of type `{relation.type_name}` with a primary key",
    )


def _to_text(api: ApiSchema, column: ApiColumn) -> ToText:
    """The conversion of a key value to text. In the dialect pg_graphql any value is accepted and cast, unless the
    column has a maximum length: the cast would truncate a long value, which would then be another key."""
    return column.to_text if api.dialect.validates or column.column.max_length is not None else opaque_text


def _refuse_unknown(field: Field, type_: GraphQLObjectType) -> None:
    """Raise RequestError for an unknown field, with the message that pg_graphql has for this look-up."""
    for nodes in field.walk.collect(type_, field.nodes).values():
        name = nodes[0].name.value
        if name not in type_.fields and name != "__typename":
            raise RequestError(f'Unknown field "{name}" on type {type_.name}', code="UNKNOWN_FIELD")
