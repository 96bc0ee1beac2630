"""Arrays, as GraphQL lists of the type of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLList
from sqlalchemy import ColumnElement, case, column, func, literal_column, select

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import OfSelection, ToJson, ValueType
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.sql.constructs import builtin, cast_to
from app.query.sql.json_texts import json_list
from app.query.sql.texts import ArrayText, VectorText, as_is
from app.query.values.scalars import Scalar, scalars_of
from schema_cache.directive_values import Count
from schema_cache.directives import Directive
from schema_cache.model import Type

MAX_DIMENSIONS = 6
"""PostgreSQL's limit of dimensions (MAXDIM)."""


def as_text_array(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast_to(expression, "text[]")


@dataclass(frozen=True)
class ArrayJson:
    """Prints an array whose elements need a conversion to JSON."""

    element: ToJson

    def __call__(self, expression: ColumnElement[Any]) -> ColumnElement[Any]:
        items = builtin.unnest(expression).table_valued("item", with_ordinality="place", name="items").render_derived()
        array = select(json_list(self.element(items.c.item), order=(items.c.place,))).scalar_subquery()
        return case((expression.is_not(None), array))


@dataclass(frozen=True)
class ArrayOfSelection:
    """Prints an array of composite values, of which the field selects members."""

    element: ValueType

    def __call__(self, field: Field, expression: ColumnElement[Any]) -> ColumnElement[Any]:
        # In a select list unnest returns each row as one value, and the two functions advance together.
        numbers = builtin.generate_subscripts(expression, literal_column("1"))
        both = select(builtin.unnest(expression).label("item"), numbers.label("place")).correlate_except()
        items = both.subquery(field.planning.alias("items"))
        printed = self.element.printed(field, items.c.item)
        array = select(json_list(printed, order=(items.c.place,))).scalar_subquery()
        return case((expression.is_not(None), array))


def _to_json(element: ValueType, scalar: Scalar | None) -> ToJson:
    """The conversion of an array to JSON: none if its elements need none, a cast to text[] if its elements are strings
    in the API, else a conversion of each element."""
    if scalar is not None and scalar.array_to_json is not None:
        return scalar.array_to_json
    if element.of_selection is not None:
        return as_is
    if scalar is not None:
        return as_is if scalar.to_json is as_is else as_text_array
    item: ColumnElement[Any] = column("item")
    return as_is if element.to_json(item) is item else ArrayJson(element.to_json)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("column", "dimensions", Count()),)


@hookimpl(tryfirst=True)
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.category != "A" or not type_.element or type_.kind == "d":
        return None
    element = api.value_type(type_.element)
    if element is None or not api.view.usable_type(type_.element):
        return None
    scalar = next((each for each in scalars_of(api).all if each.type is element.graphql), None)
    return ValueType(
        graphql=GraphQLList(element.graphql),
        to_json=_to_json(element, scalar),
        to_text=VectorText(element.to_text) if type_.is_vector else ArrayText(element.to_text, element.delimiter),
        filter=f"{scalar.type.name}List" if scalar is not None and scalar.list_filter else None,
        orderable=False,
        element=element,
        prints_null=api.dialect.nested_arrays,
        operand_text=None if element.operand_text is None else f"{element.operand_text}[]",
        of_dimensions=_of_dimensions if api.dialect.nested_arrays else None,
        of_selection=None if element.of_selection is None else ArrayOfSelection(element),
        given=None if element.given is None else GraphQLList(element.given),
    )


@dataclass(frozen=True)
class OfDimensions:
    """Prints an array if it has the declared number of dimensions, or no elements; otherwise null."""

    dimensions: int
    to_json: ToJson

    def __call__(self, expression: ColumnElement[Any]) -> ColumnElement[Any]:
        return _if_of_dimensions(self.dimensions, expression, self.to_json(expression))


@dataclass(frozen=True)
class SelectionOfDimensions:
    """The same for an array of composite values, of which the field selects members."""

    dimensions: int
    of_selection: OfSelection

    def __call__(self, field: Field, expression: ColumnElement[Any]) -> ColumnElement[Any]:
        return _if_of_dimensions(self.dimensions, expression, self.of_selection(field, expression))


def _if_of_dimensions(
    dimensions: int, expression: ColumnElement[Any], printed: ColumnElement[Any]
) -> ColumnElement[Any]:
    declared: ColumnElement[Any] = literal_column(str(dimensions))
    return case((func.coalesce(builtin.array_ndims(expression), declared) == declared, printed))


def _of_dimensions(array: ValueType, dimensions: int) -> ValueType | None:
    of_selection = array.of_selection and SelectionOfDimensions(dimensions, array.of_selection)
    declared = replace(array, to_json=OfDimensions(dimensions, array.to_json), of_selection=of_selection)
    if dimensions == 1:
        return declared
    if array.of_selection or isinstance(array.to_json, ArrayJson) or not isinstance(array.to_text, ArrayText):
        return None
    graphql: Any = array.graphql
    for _ in range(min(dimensions, MAX_DIMENSIONS) - 1):
        graphql = GraphQLList(graphql)
    to_text = replace(array.to_text, dimensions=dimensions)
    return replace(declared, graphql=graphql, to_text=to_text, filter=None)
