"""distinctOn: of rows that are equal in some columns, only the first in the order belongs to a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphql import GraphQLArgument, GraphQLEnumType, GraphQLEnumValue, GraphQLList, GraphQLNonNull

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.group.grouping import groupable
from app.query.read.collection import Distinct


@hookimpl
def features() -> Sequence[str]:
    return ("distinct",)


COLUMN = "Column"
"""The suffix of the type's name."""


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return (own_name(relation, COLUMN),)


@hookimpl
def collection_arguments(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    columns = {
        each.field_name: each for each in groupable(api, relation) if each.field_name not in names.NOT_ENUM_VALUES
    }
    if not columns:
        return None
    argument = GraphQLArgument(
        GraphQLList(GraphQLNonNull(_column_type(api, relation, columns))),
        description="Of rows that are equal in these columns, only the first is kept: by orderBy, then by the key",
        extensions={"distinct": _distinct(columns)},
    )
    return Fields(40, {"distinctOn": argument})


def _column_type(api: ApiSchema, relation: ApiRelation, columns: Mapping[str, ApiColumn]) -> GraphQLEnumType:
    values = {each: GraphQLEnumValue(each) for each in columns}
    return api.named(api.own_type_name(*own_name(relation, COLUMN)), lambda name: GraphQLEnumType(name, values))


def _distinct(columns: Mapping[str, ApiColumn]) -> Distinct:
    def distinct(given: Leaf | None) -> Sequence[str]:
        value = [] if given is None else given.steer()
        return [columns[each].name for each in dict.fromkeys(value if isinstance(value, list) else [value])]

    return distinct
