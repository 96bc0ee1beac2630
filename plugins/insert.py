"""insertInto<T>Collection: new rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement, Insert, func, insert, literal_column, select

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.planning import TableRows
from app.graphql.relations import ApiColumn, ApiRelation
from app.graphql.sql import cast_to
from app.graphql.values import Leaf, common_keys, shape_of_objects
from app.graphql.walk import Field
from app.hooks import Fields, hookimpl
from plugins.arrays import ArrayText
from plugins.mutations import answer, assigned, response_type

Object = Mapping[str, Leaf | None]


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.insertable and each.relation.insertable]
    return Fields(10, {f"insertInto{each.type_name}Collection": _field(api, each) for each in relations})


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    members = {each.field_name: GraphQLInputField(each.type.graphql) for each in relation.insertable}
    type_ = api.named(f"{relation.type_name}InsertInput", lambda name: GraphQLInputObjectType(name, members))
    objects = GraphQLArgument(
        GraphQLNonNull(GraphQLList(GraphQLNonNull(type_))),
        description="The new rows; what they leave out gets its default",
        extensions={"takes_null": True},
    )

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        given: Sequence[Object] | None = field.arguments["objects"]
        if not given:
            raise RequestError("At least one record must be provided to objects", code="BAD_USER_INPUT")
        return answer(
            field, relation, lambda: (_statement(field, relation, given), TableRows(relation, relation.table))
        )

    return GraphQLField(
        response_type(api, relation, "Insert"),
        {"objects": objects},
        resolve,
        description=f"Adds rows to `{relation.type_name}`",
    )


def _statement(field: Field, relation: ApiRelation, objects: Sequence[Object]) -> Insert:
    variable = field.variable("objects")
    if variable is not None and common_keys(variable.steer(shape_of_objects)):
        return _from_arrays(field, relation, variable, objects[0])
    return _from_values(field, relation, objects)


def _from_values(field: Field, relation: ApiRelation, objects: Sequence[Object]) -> Insert:
    """Each value a parameter of its own: whatever the objects have and leave out."""
    given = {name for each in objects for name in each}
    # Rows of nothing but defaults: PostgreSQL wants a column to say so for more than one.
    columns = [each for each in relation.insertable if each.field_name in given] or [relation.insertable[0]]
    default: ColumnElement[Any] = literal_column("DEFAULT")
    rows = [
        tuple(
            assigned(field, each, record[each.field_name]) if each.field_name in record else default for each in columns
        )
        for record in objects
    ]
    names = [each.name for each in columns]
    return insert(relation.table).values([dict(zip(names, row, strict=True)) for row in rows])


def _from_arrays(field: Field, relation: ApiRelation, objects: Leaf, first: Object) -> Insert:
    """Each column one parameter, an array: one statement for any number of objects that have the members of ``first``.

    Measured with 100 rows of five columns it takes three quarters of the time that VALUES does in the database.
    """
    columns = [each for each in relation.insertable if each.field_name in first]
    arrays = [_array(field, each, objects.of_each(each.field_name)) for each in columns]
    names = [each.name for each in columns]
    rows = func.unnest(*arrays).table_valued(*names).render_derived(name=field.planning.alias("objects"))
    values = [_of_type(field, each, rows.c[each.name]) for each in columns]
    return insert(relation.table).from_select(names, select(*values))


def _array(field: Field, column: ApiColumn, values: Leaf) -> ColumnElement[Any]:
    # unnest would take arrays of arrays apart altogether, so those travel as text. All others are read by the input
    # function of the type itself, which refuses what does not fit, where a cast from text would cut it.
    element = "text" if column.type.element is not None else _type_text(field, column)
    return field.planning.bind(values, ArrayText(column.to_text), f"{element}[]")


def _of_type(field: Field, column: ApiColumn, value: ColumnElement[Any]) -> ColumnElement[Any]:
    return value if column.type.element is None else cast_to(value, _type_text(field, column))


def _type_text(field: Field, column: ApiColumn) -> str:
    return field.api.catalog.type_by_oid[column.column.type].text
