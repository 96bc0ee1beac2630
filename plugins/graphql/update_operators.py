"""inc, append, prepend and remove: updates that make new values of those that columns have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, func, literal_column, not_, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.group.aggregates import is_number
from app.query.plan.walk import Field
from app.query.sql.comparison import is_distinct, operators_of
from app.query.sql.constructs import builtin, cast_to, constant
from app.query.write.assignments import assigned, operator_argument, own_operators_name, read_and_updated
from schema_cache.model import Type


@hookimpl
def features() -> Sequence[str]:
    return ("update_operators",)


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return [own_operators_name(relation, kind) for kind in ("Inc", "Array", "Remove")]


@hookimpl
def update_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    columns = read_and_updated(relation)
    numbers = [each for each in columns if is_number(api, each)]
    arrays = [each for each in columns if _is_list(api, each)]
    removed = [each for each in arrays if _is_found(_element(api, each))]
    of_removed = "Array" if removed == arrays else "Remove"
    made = {
        "inc": operator_argument(api, relation, "Inc", numbers, _increased, "What is added to numbers"),
        "append": operator_argument(api, relation, "Array", arrays, _appended, "What is added behind"),
        "prepend": operator_argument(api, relation, "Array", arrays, _prepended, "What is added in front"),
        "remove": operator_argument(api, relation, of_removed, removed, _removed, "What is taken away, wherever it is"),
    }
    return Fields(15, {name: argument for name, argument in made.items() if argument is not None})


def _is_list(api: ApiSchema, column: ApiColumn) -> bool:
    """Whether a column's values are arrays, of values that are no arrays themselves. PostgreSQL joins no vectors."""
    type_ = api.catalog.type_by_oid[column.column.type]
    element = api.catalog.type_by_oid.get(type_.element)
    if element is None or element.category == "A" or type_.is_vector:
        return False
    return max(1, column.column.dimensions) == 1


def _element(api: ApiSchema, column: ApiColumn) -> Type:
    types = api.catalog.type_by_oid
    return types[types[column.column.type].element]


def _is_found(element: Type) -> bool:
    """Whether elements of a type are found in an array: as a table, unnest would take rows apart."""
    return element.equality is not None and element.category != "C"


def _increased(field: Field, column: ApiColumn, own: ColumnElement[Any], operand: Leaf) -> ColumnElement[Any]:
    plus = operators_of(field.api.view, column.column.type).named("+")
    return own.op(plus)(assigned(field, column, operand))


def _appended(field: Field, column: ApiColumn, own: ColumnElement[Any], operand: Leaf) -> ColumnElement[Any]:
    return builtin.array_cat(func.coalesce(own, _empty(column)), assigned(field, column, operand))


def _prepended(field: Field, column: ApiColumn, own: ColumnElement[Any], operand: Leaf) -> ColumnElement[Any]:
    return builtin.array_cat(assigned(field, column, operand), func.coalesce(own, _empty(column)))


def _removed(field: Field, column: ApiColumn, own: ColumnElement[Any], operand: Leaf) -> ColumnElement[Any]:
    items = builtin.unnest(own).table_valued("item", with_ordinality="place")
    items = items.render_derived(name=field.planning.alias("items"))
    taken = builtin.unnest(assigned(field, column, operand)).table_valued("item")
    taken = taken.render_derived(name=field.planning.alias("taken"))
    one: ColumnElement[Any] = literal_column("1")
    operators = operators_of(field.api.view, field.api.catalog.type_by_oid[column.column.type].element)
    equal = select(one).select_from(taken).where(not_(is_distinct(taken.c.item, items.c.item, operators)))
    left = select(func.coalesce(builtin.array_agg(aggregate_order_by(items.c.item, items.c.place)), _empty(column)))
    left = left.select_from(items).where(~equal.correlate(items).exists())
    return case((own.is_not(None), left.scalar_subquery()))


def _empty(column: ApiColumn) -> ColumnElement[Any]:
    return cast_to(constant("{}"), column.column.type_text)
