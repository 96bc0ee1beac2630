"""_entities: the rows of any mixture of types and keys, in one statement and in the order of the request."""

from __future__ import annotations

from functools import partial
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLList, GraphQLNonNull, GraphQLScalarType, GraphQLUnionType
from sqlalchemy import ColumnElement, Integer, column, func, literal_column, null, select, union_all

from portico import ApiSchema, Field, ItemErrors, Leaf, json_list, rows_by_keys
from portico_federation.keys import entities_of
from portico_federation.representations import Group, Numbers, Reader, Values, count_text, steered_groups

ANY = "_Any"
ENTITY = "_Entity"
_REPRESENTATIONS = "representations"


def entities_field(api: ApiSchema) -> GraphQLField | None:
    """The root field; None if the schema has no entity."""
    if not entities_of(api):
        return None
    union = api.named(
        api.own_type_name(ENTITY, ENTITY),
        lambda name: GraphQLUnionType(name, lambda: entities_of(api).types(), description="The rows that have a key"),
    )
    representations = GraphQLNonNull(GraphQLList(GraphQLNonNull(any_type(api))))
    return GraphQLField(
        GraphQLNonNull(GraphQLList(union)),
        {_REPRESENTATIONS: GraphQLArgument(representations, description="Each has a __typename and a key")},
        _entities,
        description="The rows with these keys, each null if there is none",
    )


def any_type(api: ApiSchema) -> GraphQLScalarType:
    """The scalar of representations."""
    return api.named(ANY, lambda name: GraphQLScalarType(name, description="A representation of an entity"))


def _entities(field: Field, scope: None) -> ColumnElement[Any]:
    reader = field.api.shared("reader of representations", lambda: Reader(entities_of(field.api)))
    given = field.whole(_REPRESENTATIONS)
    groups = steered_groups(given, reader)
    read = given.read_by(reader.read)
    planning = field.planning
    planning.item_errors.append(ItemErrors(field.walk.path, read.source, lambda read: read.errors))
    last = planning.bind(read, count_text, "integer")
    numbers = func.pg_catalog.generate_series(literal_column("1"), last, type_=Integer)
    all_ = numbers.table_valued(column("number", Integer)).render_derived(name=planning.alias("representations"))
    if not groups:
        return select(json_list(null())).select_from(all_).scalar_subquery()
    with planning.nodes.each_of(given):
        found = union_all(*(_rows(field, read, each) for each in groups)).subquery(planning.alias("found"))
    joined = all_.outerjoin(found, found.c.number == all_.c.number)
    return select(json_list(found.c.row, order=[all_.c.number])).select_from(joined).scalar_subquery()


def _rows(field: Field, read: Leaf, group: Group) -> Any:
    """The query for the rows of a group's representations."""
    name, index = group
    entities = entities_of(field.api)
    parts = entities.keys(name)[index].parts
    bind = partial(field.planning.bind, read)
    values = [bind(Values(group, part), "text[]") for part in range(len(parts))]
    return rows_by_keys(field, entities.relation(name), parts, values, bind(Numbers(group), "integer[]"))
