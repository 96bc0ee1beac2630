"""Calls of database functions that return a value, a row of a relation, or a collection of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graphql import GraphQLArgument, GraphQLObjectType, GraphQLOutputType
from sqlalchemy import ColumnElement, FromClause, func, literal_column, select
from sqlalchemy.sql.selectable import Alias

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.notices import Obstacle
from app.graphql.schema.relations import ApiRelation
from app.graphql.values.types import ValueType
from app.query.plan.planning import Planning
from app.query.plan.rows import TableRows, row_type
from app.query.plan.walk import Field
from app.query.read.collection import Collection, Origin
from app.query.read.connections import arguments_of_collections, connection_type
from app.query.sql.compiled_constructs import InPlace, Query, RowColumn, WrittenSQL
from app.query.sql.constructs import FunctionCall, as_text, builtin, cast_to, constant, row_count
from app.query.sql.constructs import call as sql_call
from schema_cache.model import Function

PSEUDO_TYPE = "p"
"""The kind (``typtype``) of record, trigger, void, anyelement and others, whose values the API does not support."""

VOID = "void"

VOLATILE = "v"


@dataclass(frozen=True)
class Result:
    """The result of a function: a ``value``, a row of ``relation``, or with ``is_collection`` rows of ``relation``."""

    api: ApiSchema
    function: Function
    value: ValueType | None = None
    relation: ApiRelation | None = None
    is_collection: bool = False

    @property
    def is_row(self) -> bool:
        return self.relation is not None

    @property
    def type(self) -> GraphQLOutputType:
        """The GraphQL type, always nullable."""
        if self.relation is None:
            return cast(GraphQLOutputType, cast(ValueType, self.value).graphql)
        return connection_type(self.api, self.relation) if self.is_collection else self.api.object_type(self.relation)

    @property
    def arguments(self) -> dict[str, GraphQLArgument]:
        """The arguments that the result adds to the function's own."""
        return arguments_of_collections(self.api, self.relation) if self.is_collection and self.relation else {}

    def call(self, arguments: Sequence[ColumnElement[Any]]) -> FunctionCall:
        """A call of the function."""
        return FunctionCall(self.function.schema, self.function.name, arguments)

    def json(
        self, field: Field, arguments: Sequence[ColumnElement[Any]], outer: tuple[FromClause, ...] = ()
    ) -> ColumnElement[Any]:
        """The result of a call as the API prints it. ``outer``: the FROM elements that ``arguments`` refer to."""
        call = self.call(arguments)
        field.planning.is_volatile |= self.function.volatility == VOLATILE
        field.planning.reads.add(self.function.oid)
        field.planning.calls_functions |= not outer
        if self.relation is None:
            return self._value(field, call, outer)
        relation, is_volatile = self.relation, self.function.volatility == VOLATILE
        sources: list[InPlace] = []

        def rows() -> TableRows:
            sources.append(self._source(field, call))
            return field.planning.rows_in(relation, sources[-1])

        with field.planning.noting_reads() as reads:
            if self.is_collection and not is_volatile:
                result = Collection(field, Origin(relation, rows, outer=outer)).json()
            else:
                result = _of_all(field, rows(), outer) if self.is_collection else _of_one(field, rows(), outer)
        sees_changes = is_volatile and field.api.dialect.reads_after_functions
        if reads and not outer and (sees_changes or field.planning.cluster is not None):
            called = field.planning.rows_in(relation, self._source(field, call))
            query = _called_before(field, called, is_collection=self.is_collection)
            for source in sources:
                source.query = query
        return result

    def _source(self, field: Field, call: FunctionCall) -> InPlace:
        """The call as an element of FROM."""
        source = InPlace(field.planning.alias(self.function.name), call)
        if field.planning.cluster is not None and self.function.returns_set and self.relation is not None:
            # Citus finds no rows if PostgreSQL replaces the call of a function in SQL by the function's query, which it
            # does not do for a call with ordinality.
            numbered = InPlace(field.planning.alias("numbered"), WrittenSQL("call", ("", " WITH ORDINALITY"), (call,)))
            names = [each.name for each in self.relation.relation.columns]
            source.query = Query([(RowColumn(name, numbered), name) for name in names], numbered)
        return source

    def _value(self, field: Field, call: FunctionCall, outer: tuple[FromClause, ...]) -> ColumnElement[Any]:
        value = cast(ValueType, self.value)
        if value.of_dimensions is None:
            return value.to_json(call)
        # Printing an array uses the value several times, and the function must be called only once.
        called = call.table_valued("value", name=field.planning.alias("called")).render_derived()
        return select(value.to_json(called.c.value)).select_from(called).correlate(*outer).scalar_subquery()


def _of_one(field: Field, row: TableRows, outer: tuple[FromClause, ...]) -> ColumnElement[Any]:
    """The row that a call returns."""
    with field.planning.nodes.each_of(1):
        returned = field.json(row, cast(GraphQLObjectType, field.type))
    query = select(returned).select_from(row.element)
    # A function that returns no row appears in FROM as a row of nulls.
    return query.where(row.is_not_empty()).limit(literal_column("1")).correlate(*outer).scalar_subquery()


def _of_all(field: Field, rows: TableRows, outer: tuple[FromClause, ...]) -> ColumnElement[Any]:
    """A connection on ``rows`` that makes the call once, regardless of the selected fields: the call may change
    data."""
    columns = (rows.column(each.name) for each in rows.relation.relation.columns)
    call = select(*columns).select_from(rows.element).correlate(*outer)
    called = call.cte(field.planning.alias("called"), nesting=True).prefix_with("MATERIALIZED")

    def result() -> TableRows:
        return field.planning.rows_in(rows.relation, cast(Alias[Any], called.alias(field.planning.alias("result"))))

    connection = Collection(field, Origin(rows.relation, result)).json()
    # PostgreSQL skips a CTE that nothing refers to, but the call matters for its side effects too.
    is_called = select(row_count()).select_from(called).scalar_subquery() >= literal_column("0")
    query = select(connection).where(is_called).add_cte(called, nest_here=True)
    return query.correlate(*outer).scalar_subquery()


def _called_before(field: Field, rows: TableRows, *, is_collection: bool) -> ColumnElement[Any]:
    """The rows of a call that is made in an earlier statement. So the statement that reads related rows sees the
    changes of the call: a statement sees tables as they were when it began. With Citus that statement may run on
    another server, where functions cannot read distributed tables."""
    return _handed_on(field.planning, rows, [] if is_collection else [rows.is_not_empty()])


def read_before(planning: Planning, rows: TableRows, conditions: Sequence[ColumnElement[Any]]) -> TableRows:
    """The rows that fulfil the conditions, as an earlier statement finds them."""
    return planning.rows_in(rows.relation, InPlace(planning.alias("read"), _handed_on(planning, rows, conditions)))


def _handed_on(planning: Planning, rows: TableRows, conditions: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    texts = as_text(builtin.array_agg(rows.whole()))
    read = planning.hand_on(func.coalesce(texts, constant("{}")))
    planning.run_before(lambda *columns: select(*columns).select_from(rows.element).where(*conditions), [read])
    return sql_call("unnest", cast_to(read.read, f"{row_type(rows.relation)}[]"))


def result_of(api: ApiSchema, function: Function) -> Result | None:
    """The result of a function; None if the API does not support it."""
    result = result_or_obstacle(api, function)
    return result if isinstance(result, Result) else None


def value_obstacle(
    api: ApiSchema, function: Function, is_usable: Callable[[ValueType], bool], of_type: str
) -> Obstacle | None:
    """Why rows cannot be ordered or filtered by a function; None if they can. The function must not be volatile, and
    must return one value of a type that ``is_usable``. ``of_type`` names what the type lacks otherwise, in the
    message."""
    if function.volatility == VOLATILE:
        return Obstacle("it is volatile; declare it as stable or immutable if it changes nothing")
    result = result_or_obstacle(api, function)
    if isinstance(result, Obstacle):
        return result
    type_ = api.catalog.type_by_oid[function.returns]
    if result.value is None:
        return Obstacle(f"it returns rows of {type_.schema}.{type_.name}, not one value")
    return None if is_usable(result.value) else Obstacle(f"it returns {type_.text}, a type without {of_type}")


def result_or_obstacle(api: ApiSchema, function: Function) -> Result | Obstacle:
    """The result of a function, or the reason why the API does not support it."""
    type_ = api.catalog.type_by_oid.get(function.returns)
    if type_ is None:
        return Obstacle("the API does not know the type of its result")
    if function.columns and (type_.kind == PSEUDO_TYPE or not type_.relation):
        return Obstacle("it returns a table of its own", exposing_helps=True)
    if type_.kind == PSEUDO_TYPE:
        return Obstacle(f"it returns {type_.name}", exposing_helps=type_.name == VOID)
    relation = api.rows_by_oid.get(type_.relation) if type_.relation else None
    if relation is not None:
        many = function.returns_set and function.rows != 1
        if many and not relation.key:
            return Obstacle("the rows of its result have no key, which a collection needs")
        return Result(api, function, relation=relation, is_collection=many)
    if type_.relation and not type_.attributes:
        return Obstacle(f"it returns rows of {type_.schema}.{type_.name}, which the API does not show to the role")
    value = api.value_type(function.returns)
    if value is not None and value.of_dimensions is not None:
        value = value.of_dimensions(value, 1)
    if value is None:
        return Obstacle(f"it returns {type_.text}, which the API does not show")
    if function.returns_set:
        return Obstacle("it returns a set of values, not of rows", exposing_helps=True)
    if value.of_selection is not None:
        return Obstacle(f"it returns {type_.text}, a composite type", exposing_helps=True)
    return Result(api, function, value=value)
