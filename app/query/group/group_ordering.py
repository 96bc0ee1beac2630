"""Orders of groups: by the number of rows, and by the results of aggregate functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.values import Leaf
from app.query.group.aggregates import AGGREGATES, Aggregate
from app.query.plan.rows import TableRows
from app.query.read.order_terms import Expression, Term
from app.query.read.ordering import OrderKey, direction, direction_type, keys_of_element
from app.query.sql.comparison import USUAL_OPERATORS, Comparison, type_comparison
from app.query.sql.constructs import row_count

COUNTS = Comparison("bigint", USUAL_OPERATORS, by_text=False, printed_as_text=False)

_Members = dict[str, GraphQLInputField]


def group_order_fields(api: ApiSchema, relation: ApiRelation, *, of_columns: bool) -> _Members:
    """The members of an element of orderBy for groups of a relation's rows. Their terms are aggregate functions: the
    number of rows and, with ``of_columns``, functions of columns."""
    taking = [each for each in AGGREGATES if of_columns and each.columns(api, relation)]
    by_number = term_field(api, Expression(_count, not_null=True), COUNTS)
    return {"count": by_number, **{each.name: _by_columns(api, relation, each) for each in taking}}


def term_field(api: ApiSchema, term: Term, comparison: Comparison) -> GraphQLInputField:
    """A member of orderBy whose value is the direction of the order by ``term``."""

    def order(leaf: Leaf | None) -> Sequence[OrderKey]:
        return () if leaf is None else (OrderKey(term, comparison, *direction(api, leaf)),)

    return GraphQLInputField(direction_type(api), extensions={"order": order})


def own_order_type(
    api: ApiSchema, relation: ApiRelation, kind: str, members: Callable[[], _Members]
) -> GraphQLInputObjectType:
    """The type of an element of orderBy for another ``kind`` of rows than the relation's own."""
    name = api.own_type_name(*own_order_name(relation, kind))
    return api.named(name, lambda name: GraphQLInputObjectType(name, members))


def own_order_name(relation: ApiRelation, kind: str) -> OwnName:
    """The owner and requested name of that type."""
    return own_name(relation, f"{kind}OrderBy")


def group_order_names(relation: ApiRelation, *, of_columns: bool) -> Iterator[OwnName]:
    """The owners and requested names of the types of ``group_order_fields``."""
    return (own_order_name(relation, each.title) for each in AGGREGATES if of_columns)


def _by_columns(api: ApiSchema, relation: ApiRelation, aggregate: Aggregate) -> GraphQLInputField:
    def members() -> _Members:
        return {each.field_name: _by_column(api, aggregate, each) for each in aggregate.columns(api, relation)}

    type_ = own_order_type(api, relation, aggregate.title, members)

    def order(value: Mapping[str, Any] | None) -> Sequence[OrderKey]:
        return keys_of_element(api, type_, value or {})

    return GraphQLInputField(type_, extensions={"order": order})


def _by_column(api: ApiSchema, aggregate: Aggregate, column: ApiColumn) -> GraphQLInputField:
    def value(rows: TableRows) -> ColumnElement[Any]:
        return aggregate.call(api, column, rows)

    type_ = aggregate.result(api, column)
    return term_field(api, Expression(value), type_comparison(api.view, type_.oid, type_.text))


def _count(rows: TableRows) -> ColumnElement[Any]:
    return row_count()
