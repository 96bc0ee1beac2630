"""Converts the values of many objects to rows: one parameter, an array, for each column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement

from app.graphql.schema.relations import ApiColumn
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf
from app.query.plan.walk import Field
from app.query.sql.constructs import cast_to
from app.query.sql.texts import ArrayText
from schema_cache.model import Type


def array_for(
    field: Field,
    column: ApiColumn,
    values: Leaf,
    within: Callable[[ToText], ToText] = lambda to_text: to_text,
    *,
    has_gaps: bool = False,
) -> ColumnElement[Any]:
    """The values of a column as an argument of ``unnest``. ``values`` is a list of them, or a value from which
    ``within`` extracts the list. ``has_gaps``: some values are missing; these are null in the array, even if the
    column's type refuses null."""
    # The array has the column's type where possible: the type's input function refuses a value that is too long, while
    # a cast from text would truncate it.
    type_ = _type(field, column, has_gaps)
    if _is_split_by_unnest(type_):
        return field.planning.bind(values, within(ArrayText(column.to_text)), "text[]")
    return field.planning.bind(values, within(ArrayText(column.to_text, type_.delimiter)), f"{type_.text}[]")


def unnested(
    field: Field, column: ApiColumn, value: ColumnElement[Any], *, has_gaps: bool = False
) -> ColumnElement[Any]:
    """A value of a column, from an element of ``unnest(array_for(...))``."""
    type_ = _type(field, column, has_gaps)
    return cast_to(value, type_.text) if _is_split_by_unnest(type_) else value


def _is_split_by_unnest(type_: Type) -> bool:
    """Whether unnest would split elements of this type further: arrays and rows."""
    return bool(type_.element) or type_.category == "C"


def _type(field: Field, column: ApiColumn, has_gaps: bool) -> Type:
    types, unnamed = field.api.catalog.type_by_oid, field.api.view.unnamed_types
    type_ = types[column.column.type]
    # A domain may refuse null. Its base type does not, and the assignment to the column checks the values that exist.
    while has_gaps and type_.kind == "d" and not _is_split_by_unnest(type_) and type_.base not in unnamed:
        type_ = types[type_.base]
    return type_
