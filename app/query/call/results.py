"""Further results of functions: void, objects, and lists of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
)
from sqlalchemy import ColumnElement, FromClause, case, false, select, true
from sqlalchemy.sql.functions import Function as SqlFunction

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.notices import Obstacle, function_subject
from app.graphql.schema.relations import OwnName
from app.graphql.values.types import ValueType
from app.query.call.calls import PSEUDO_TYPE, VOID, VOLATILE, result_or_obstacle
from app.query.plan.walk import Field
from app.query.sql.constructs import FunctionCall
from app.query.sql.json_texts import json_list
from schema_cache.model import Function, Type

PLACE = "place"
"""The column that numbers the rows of a set."""


class FunctionResult(Protocol):
    """The result of a function in the API."""

    @property
    def type(self) -> GraphQLOutputType: ...

    @property
    def arguments(self) -> dict[str, GraphQLArgument]:
        """The arguments that the result adds to the function's own; by default none."""
        return {}

    def json(
        self, field: Field, arguments: Sequence[ColumnElement[Any]], outer: tuple[FromClause, ...] = ()
    ) -> ColumnElement[Any]:
        """The result of a call as the API prints it. ``outer``: the FROM elements that ``arguments`` refer to."""


def any_result_of(api: ApiSchema, function: Function, type_name: str) -> FunctionResult | Obstacle:
    """The result of a function, of any kind, or the reason why the API does not support it. ``type_name``: the name of
    the object type that is made if the function returns a table of its own."""
    type_ = api.catalog.type_by_oid.get(function.returns)
    if type_ is None:
        return result_or_obstacle(api, function)
    if type_.name == VOID and type_.schema == "pg_catalog":
        return Obstacle("it returns a set of void") if function.returns_set else NoResult(function)
    if function.columns:
        item = _own_object(api, function, type_name)
        if item is None:
            return Obstacle(f"the API shows no column of its result, or {type_name} is not a valid GraphQL name")
    elif type_.kind == PSEUDO_TYPE or (type_.relation and not type_.attributes):
        return result_or_obstacle(api, function)
    else:
        item = _value_of(api, type_)
        if item is None:
            return Obstacle(f"it returns {type_.text}, which the API does not show")
    return ItemList(function, item) if function.returns_set else OneItem(function, item)


def _value_of(api: ApiSchema, type_: Type) -> ResultItem | None:
    value = api.value_type(type_.oid)
    value = value and value.of_declared(1)
    if value is None:
        return None
    if not type_.attributes:
        return PlainItem(value.graphql, ("value",), value)
    return RecordItem(cast(GraphQLObjectType, value.graphql), tuple(each.name for each in type_.attributes))


def _own_object(api: ApiSchema, function: Function, type_name: str) -> ResultItem | None:
    fields: dict[str, GraphQLField] = {}
    inflect = api.comments.inflects(function.schema)
    for column in function.columns:
        value = api.value_type(column.type)
        value = value and value.of_declared(1)
        name = names.field(column.name, None, inflect)
        if value is None or name in fields or not api.is_name(name):
            api.notices.add(
                function_subject(function), f"its result's column {column.name} is left out: the API cannot show it"
            )
        else:
            fields[name] = _field(column.name, value)
    if not (fields and api.is_name(type_name)):
        return None
    type_ = api.named(
        api.own_type_name(*own_result_name(function, type_name)), lambda name: GraphQLObjectType(name, fields)
    )
    return OwnRow(type_, tuple(column.name for column in function.columns))


def own_result_name(function: Function, type_name: str) -> OwnName:
    """The owner and requested name of the object type that is made for a function's result."""
    return ("result of function", function.oid), type_name


def _field(column: str, value: ValueType) -> GraphQLField:
    def resolve(field: Field, member: Callable[[str], ColumnElement[Any]]) -> ColumnElement[Any]:
        return value.printed(field, member(column))

    return GraphQLField(value.graphql, resolve=resolve)


@dataclass(frozen=True)
class ResultItem:
    """A function returns one item, or a list of items. ``columns``: the columns of the call in FROM."""

    type: Any
    columns: tuple[str, ...]

    @property
    def type_in_list(self) -> Any:
        return self.type

    def json(self, field: Field, rows: FromClause) -> ColumnElement[Any]:
        """One of ``rows`` as the API prints it."""
        raise NotImplementedError

    def json_in_list(self, field: Field, rows: FromClause) -> ColumnElement[Any]:
        """One of ``rows`` as the API prints it in a list."""
        return self.json(field, rows)


@dataclass(frozen=True)
class PlainItem(ResultItem):
    """A scalar or enum value."""

    value: ValueType

    def json(self, field: Field, rows: FromClause) -> ColumnElement[Any]:
        return self.value.printed(field, rows.c.value)


class RecordItem(ResultItem):
    """A record whose members are ``columns``. A null record is a row of nulls in FROM, so such a row is printed as
    null."""

    def json(self, field: Field, rows: FromClause) -> ColumnElement[Any]:
        printed = _members(field, rows)
        is_null = SqlFunction("ROW", *(rows.c[name] for name in self.columns)).is_(None)
        return case((is_null.is_(false()), printed))


class OwnRow(RecordItem):
    """A row of a function that returns its own table. In a list a row of nulls is an object, not null."""

    @property
    def type_in_list(self) -> Any:
        return GraphQLNonNull(self.type)

    def json_in_list(self, field: Field, rows: FromClause) -> ColumnElement[Any]:
        return _members(field, rows)


def _members(field: Field, rows: FromClause) -> ColumnElement[Any]:
    return field.json(lambda name: rows.c[name])


@dataclass(frozen=True)
class OneItem(FunctionResult):
    """One value or object."""

    function: Function
    item: ResultItem

    @property
    def type(self) -> GraphQLOutputType:
        return cast(GraphQLOutputType, self.item.type)

    def json(
        self, field: Field, arguments: Sequence[ColumnElement[Any]], outer: tuple[FromClause, ...] = ()
    ) -> ColumnElement[Any]:
        # In FROM the function is called once, however often its result is used.
        rows = _call(field, self.function, arguments).table_valued(*self.item.columns)
        rows = rows.render_derived(name=field.planning.alias("called"))
        printed = select(self.item.json(field, rows))
        return printed.select_from(rows).correlate(*outer).scalar_subquery()


@dataclass(frozen=True)
class ItemList(FunctionResult):
    """All items of a set, in its order."""

    function: Function
    item: ResultItem

    @property
    def type(self) -> GraphQLOutputType:
        return GraphQLList(self.item.type_in_list)

    def json(
        self, field: Field, arguments: Sequence[ColumnElement[Any]], outer: tuple[FromClause, ...] = ()
    ) -> ColumnElement[Any]:
        place = PLACE
        while place in self.item.columns:
            place += "_"
        rows = _call(field, self.function, arguments).table_valued(*self.item.columns, with_ordinality=place)
        rows = rows.render_derived(name=field.planning.alias("called"))
        listed = select(json_list(self.item.json_in_list(field, rows), order=(rows.c[place],)))
        return listed.select_from(rows).correlate(*outer).scalar_subquery()


@dataclass(frozen=True)
class NoResult(FunctionResult):
    """The result of a void function, which the API prints as true."""

    function: Function

    @property
    def type(self) -> GraphQLOutputType:
        return GraphQLBoolean

    def json(
        self, field: Field, arguments: Sequence[ColumnElement[Any]], outer: tuple[FromClause, ...] = ()
    ) -> ColumnElement[Any]:
        called = _call(field, self.function, arguments).table_valued("value", name=field.planning.alias("called"))
        return select(true()).select_from(called).correlate(*outer).scalar_subquery()


def _call(field: Field, function: Function, arguments: Sequence[ColumnElement[Any]]) -> FunctionCall:
    field.planning.is_volatile |= function.volatility == VOLATILE
    field.planning.reads.add(function.oid)
    field.planning.calls_functions = True
    return FunctionCall(function.schema, function.name, arguments)
