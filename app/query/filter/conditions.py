"""Conditions on rows, made from filters, their members and the operators of types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLID, GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, and_

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.counted import COUNTED, ValueLimit
from app.graphql.values.types import ToText, ValueType
from app.query.plan.distribution import claimed_rows
from app.query.plan.existence import MOST_JOINED, join_few
from app.query.plan.planning import MAX_CONDITIONS, TOO_MANY_CONDITIONS, Planning
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.sql.comparison import operators_of
from app.query.sql.constructs import cast_to
from schema_cache.operators import Operators

Condition = ColumnElement[Any]

_FILTERS = ValueLimit(MAX_CONDITIONS, 5 * MAX_CONDITIONS, TOO_MANY_CONDITIONS)
"""The second number applies to the whole request, which may have several statements."""

MemberCondition = Callable[[Planning, Rows, Any], Condition | None]
"""A function from the value of a filter's member, or of an argument that filters, to a condition on a row; None if it
has no effect. It is the extension ``condition`` of the GraphQLInputField or GraphQLArgument."""

CONJUNCTS = "conjuncts"
"""The extension of a filter's member whose value is a list of filters that all must hold. Their members are read as if
they were members of the outer filter."""

MERGED = "merged"
"""The extension of a filter's member that makes one condition from all values that the member has in a conjunction. It
is called like a MemberCondition, with a list of at least two values."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The left side of a comparison: a ``value`` in the current row, of a column or an expression.

    ``type``: its type in the API. ``type_text``: its PostgreSQL type. ``to_text`` converts an operand to text.
    ``operators``: the SQL operators of the type.
    """

    value: ColumnElement[Any]
    type: ValueType
    type_text: str
    to_text: ToText
    operators: Operators


Operator = Callable[[Planning, Compared, Any], Condition | None]
"""A function from the operand of a filter's operator, None for null, to a condition; None if it has no effect. It is
the extension ``operator`` of the filter's member."""


def compared_column(api: ApiSchema, column: ApiColumn, rows: Rows) -> Compared:
    """A column of the current row as the left side of a comparison."""
    own = column.column
    value, type_text = compared_value(column.type, rows.column(own.name), own.type_text)
    return Compared(value, column.type, type_text, column.to_text, operators_of(api.view, own.type))


def compared_value(type_: ValueType, value: ColumnElement[Any], type_text: str) -> tuple[ColumnElement[Any], str]:
    """The expression that is compared for a value of the PostgreSQL type ``type_text``, and the type of the operand."""
    return (
        (value, type_text) if type_.operand_text is None else (cast_to(value, type_.operand_text), type_.operand_text)
    )


def value_filter_type(api: ApiSchema, value_type: ValueType) -> GraphQLInputObjectType:
    """The filter of a type's values, such as IntFilter, StringListFilter or that of an enum."""
    return api.named(
        value_type.filter_type_name,
        lambda name: GraphQLInputObjectType(name, lambda: api.operators_of(value_type)),
    )


def value_condition(
    type_: GraphQLInputObjectType, planning: Planning, compared: Compared, value: Mapping[str, Any] | None
) -> Condition | None:
    """All members of a value's filter as one condition on the value; None if they have no effect."""
    made = (
        type_.fields[name].extensions["operator"](planning, compared, operand)
        for name, operand in (value or {}).items()
    )
    parts = [part for part in made if part is not None]
    return and_(*parts) if parts else None


def column_condition(api: ApiSchema, column: ApiColumn, type_: GraphQLInputObjectType) -> MemberCondition:
    """The MemberCondition of a column with the filter type ``type_``."""

    def make(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        return value_condition(type_, planning, compared_column(api, column, rows), value)

    return make


def id_filter_type(api: ApiSchema) -> GraphQLInputObjectType:
    """The filter of ids, which can only be compared for equality."""
    equal = GraphQLInputField(GraphQLID, description="The row with this id")
    return api.named("IDFilter", lambda name: GraphQLInputObjectType(name, {"eq": equal}))


def relation_filter_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The filter of a relation's rows."""
    return api.named(
        f"{relation.type_name}Filter",
        lambda name: GraphQLInputObjectType(
            name, lambda: api.contributed("filter_fields", relation), extensions={COUNTED: _FILTERS}
        ),
    )


def condition(
    type_: GraphQLInputObjectType, planning: Planning, rows: Rows, *filters: Mapping[str, Any]
) -> Condition | None:
    """The conjunction of filters as one condition on a row; None if they have no effect.

    Raises OverLimit if the filters have too many members.
    """
    made = (
        _member_condition(type_.fields[name], planning, rows, values)
        for name, values in _members(type_, planning, filters)
    )
    parts = [part for part in made if part is not None]
    return and_(*parts) if parts else None


def _member_condition(
    member: GraphQLInputField, planning: Planning, rows: Rows, values: Sequence[Any]
) -> Condition | None:
    if len(values) == 1:
        made: Condition | None = member.extensions["condition"](planning, rows, values[0])
    else:
        made = member.extensions[MERGED](planning, rows, values)
    return made


def _members(
    type_: GraphQLInputObjectType, planning: Planning, filters: Sequence[Mapping[str, Any]]
) -> Sequence[tuple[str, Sequence[Any]]]:
    """The members of a conjunction in their order, each with a list of its values: all values of a member with the
    extension MERGED, one value for others."""
    found: list[tuple[str, list[Any]]] = []
    merging: dict[str, list[Any]] = {}
    for name, value in _conjunction(type_, planning, filters):
        if name in merging:
            merging[name].append(value)
            continue
        found.append((name, [value]))
        if MERGED in type_.fields[name].extensions:
            merging[name] = found[-1][1]
    return found


def _conjunction(
    type_: GraphQLInputObjectType, planning: Planning, filters: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Any]]:
    """The members of filters that all must hold, including those inside ``and``, each with its value."""
    for each in filters:
        # An empty filter counts as one condition, since it costs time too.
        planning.count_conditions(max(1, len(each)))
        for name, value in each.items():
            if CONJUNCTS in type_.fields[name].extensions:
                yield from _conjunction(type_, planning, value or ())
            else:
                yield name, value


def query_condition(
    type_: GraphQLInputObjectType, planning: Planning, rows: Rows, value: Mapping[str, Any]
) -> Condition | None:
    """Like ``condition``, for the rows of a query that PostgreSQL plans separately from the outer ones. It limits the
    existences that PostgreSQL plans as joins."""
    made = condition(type_, planning, rows, value)
    if made is not None and planning.relation_steps > MOST_JOINED:
        join_few([made])
    return made


def narrowed(rows: Rows, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions on rows that a statement reads or changes. If the caller's claim has a value for the distribution
    column, a condition for that is added. The value that ``conditions`` require for that column is recorded in the
    rows' shard."""
    distribution = rows.relation.distribution
    if distribution is None:
        return [*conditions]
    column, claimed = rows.column(distribution.column), rows.shard.claimed
    rows.shard.learn(column, conditions)
    return [*conditions] if claimed is None else claimed_rows(column, claimed, conditions)


def conditions_of_arguments(field: Field, rows: Rows) -> list[Condition]:
    """The conditions on a field's rows from the arguments that the request has."""
    given = field.arguments
    made = (
        argument.extensions["condition"](field.planning, rows, given[name])
        for name, argument in field.definition.args.items()
        if "condition" in argument.extensions and name in given
    )
    return narrowed(rows, [part for part in made if part is not None])
