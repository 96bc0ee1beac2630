"""Orders by related rows: members of orderBy for relationships, and for functions of a row that a comment enables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement, case

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.notices import Obstacle, function_subject
from app.graphql.schema.relations import ApiRelation, OwnName
from app.hooks import hookimpl
from app.query.call.calls import value_obstacle
from app.query.call.computed_fields import ComputedField, computed_fields_of
from app.query.call.functions import (
    NamedArguments,
    arguments_or_obstacle,
    declared_members,
    field_name,
    given_type,
    overloads,
    passed,
)
from app.query.call.functions_of_rows import TakenArguments, exposed_changes_of, exposed_functions_of
from app.query.group.group_ordering import (
    group_order_fields,
    group_order_names,
    own_order_name,
    own_order_type,
    term_field,
)
from app.query.plan.planning import Planning
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.read.order_terms import Expression, TermOfField, of_all_related, related
from app.query.read.ordering import OrderKey, direction, direction_type, keys_of_element, order_by_type
from app.query.read.relationships import Relationship, relationships_of
from app.query.sql.comparison import Comparison, type_comparison
from app.query.sql.constructs import FunctionCall
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive
from schema_cache.model import Function


@hookimpl
def features() -> Sequence[str]:
    return ("relation_orders",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("function", "orderBy", Flag()),)


MANY = "Many"
"""The suffix of the type name for related rows."""

DIRECTION = "direction"
"""The member for the direction, next to those for a function's arguments."""


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    relations = api.rows_by_oid.values()
    taken = (
        (relation, each) for relation in relations for each, others in exposed_functions_of(api, relation) if others
    )
    return [_own_function_order_name(api, relation, each) for relation, each in taken if _is_opted_in(api, each)]


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return [own_order_name(relation, MANY), *group_order_names(relation, of_columns=_is_of_columns(relation))]


@hookimpl
def order_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    computed = computed_fields_of(api, relation).items()
    members = {name: _by_computed(api, each) for name, each in computed if _is_orderable(api, each)}
    for taken in (*exposed_functions_of(api, relation), *exposed_changes_of(api, relation)):
        if taken[1] and _is_opted_in(api, taken[0]):
            _add_by_arguments(api, relation, taken, members)
    for relationship in relationships_of(api, relation):
        target = relationship.target
        type_ = _many_type(api, target) if relationship.to_many else order_by_type(api, target)
        if type_ is not None:
            members.setdefault(relationship.name, _by_related(api, relationship, type_))
    return Fields(40, members)


def _by_related(api: ApiSchema, relationship: Relationship, type_: GraphQLInputObjectType) -> GraphQLInputField:
    term_of = of_all_related if relationship.to_many else related

    def order(value: Mapping[str, Any] | None) -> Sequence[OrderKey]:
        keys = keys_of_element(api, type_, value or {})
        return [replace(key, term=term_of(relationship, key.term)) for key in keys]

    return GraphQLInputField(type_, extensions={"order": order})


def _many_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The input type for an order by aggregates of related rows."""
    of_columns = _is_of_columns(relation)
    return own_order_type(api, relation, MANY, lambda: group_order_fields(api, relation, of_columns=of_columns))


def _is_of_columns(relation: ApiRelation) -> bool:
    return bool(relation.directives.get("aggregate"))


# Functions of a row


def _is_opted_in(api: ApiSchema, function: Function) -> bool:
    return api.comments.on_function(function).get("orderBy") is True


def _is_orderable(api: ApiSchema, computed: ComputedField) -> bool:
    if computed.directives.get("orderBy") is not True:
        return False
    function = computed.result.function
    obstacle = value_obstacle(api, function, lambda value: value.orderable, "an order")
    if obstacle is not None:
        api.notices.add(function_subject(function), f"it is not in orderBy: {obstacle.reason}")
    return obstacle is None


def _by_computed(api: ApiSchema, computed: ComputedField) -> GraphQLInputField:
    function = computed.result.function
    return term_field(api, _result(function, lambda planning: ()), _comparison(api, function))


def _add_by_arguments(
    api: ApiSchema, relation: ApiRelation, taken: TakenArguments, members: dict[str, GraphQLInputField]
) -> None:
    """Add the member for a function with further arguments, or a notice why there is none."""
    function, others = taken
    name = field_name(api, function, api.comments.on_function(function))
    obstacle = value_obstacle(api, function, lambda value: value.orderable, "an order")
    arguments = arguments_or_obstacle(api, function, given_type, others)
    if obstacle is not None:
        reason = obstacle.reason
    elif isinstance(arguments, Obstacle):
        reason = arguments.reason
    elif DIRECTION in arguments:
        reason = f"it has an argument {DIRECTION}, which is the name of the member for the direction; rename it"
    elif not api.is_name(name):
        reason = f"{name} is not a valid GraphQL name; the directive `name` gives another"
    elif name in members:
        reason = f"another member is called {name}; the directive `name` gives another"
    else:
        members[name] = _by_arguments(api, relation, function, arguments)
        return
    api.notices.add(function_subject(function), f"it is not in orderBy: {reason}")


def _by_arguments(
    api: ApiSchema, relation: ApiRelation, function: Function, arguments: NamedArguments
) -> GraphQLInputField:
    own = api.own_type_name(*_own_function_order_name(api, relation, function))
    direction_member = GraphQLInputField(GraphQLNonNull(direction_type(api)))
    type_ = api.named(
        own, lambda name: GraphQLInputObjectType(name, {**declared_members(arguments), DIRECTION: direction_member})
    )
    is_overloaded = overloads(api, function) > 1

    def order(value: Mapping[str, Any] | None) -> Sequence[OrderKey]:
        if value is None:
            return ()
        term = _result(function, lambda planning: passed(planning, value, arguments, is_overloaded=is_overloaded))
        return (OrderKey(term, _comparison(api, function), *direction(api, value[DIRECTION])),)

    return GraphQLInputField(type_, extensions={"order": order})


def _own_function_order_name(api: ApiSchema, relation: ApiRelation, function: Function) -> OwnName:
    directives = api.comments.on_function(function)
    base = names.base(function.name, directives.get("name"), api.comments.inflects(function.schema))
    return ("order by function", function.oid), f"{relation.type_name}{base}OrderBy"


def _comparison(api: ApiSchema, function: Function) -> Comparison:
    type_ = api.catalog.type_by_oid[function.returns]
    return type_comparison(api.view, type_.oid, type_.text)


def _result(function: Function, others: Callable[[Planning], Sequence[ColumnElement[Any]]]) -> TermOfField:
    """The term with a function's result for a row; ``others`` makes the function's further arguments."""

    def of_field(field: Field) -> Expression:
        field.planning.reads.add(function.oid)
        arguments = others(field.planning)

        def value(rows: TableRows) -> ColumnElement[Any]:
            call = FunctionCall(function.schema, function.name, [rows.whole(), *arguments])
            # If the optional row does not exist, all its columns are null, and the function could still return a value.
            return case((rows.is_not_empty(), call)) if rows.is_optional else call

        return Expression(value)

    return TermOfField(of_field)
