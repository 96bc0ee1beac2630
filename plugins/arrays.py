"""Arrays: a list of what their elements are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphql import GraphQLList
from sqlalchemy import ColumnElement

from app.graphql.api_schema import ApiSchema
from app.graphql.planning import ToText
from app.graphql.relations import ValueType
from app.graphql.sql import array_literal, cast_to
from app.hooks import hookimpl
from plugins.scalars import as_is, scalars
from schema_cache.model import Type


@dataclass(frozen=True)
class ArrayText:
    """A JSON list as PostgreSQL's text form of an array; a single value counts as a list of one."""

    element: ToText

    def __call__(self, value: Any) -> str | None:
        if value is None:
            return None
        items = value if isinstance(value, list) else [value]
        return array_literal([self.element(item) for item in items])


def as_text_array(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast_to(expression, "text[]")


@hookimpl(tryfirst=True)
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.category != "A" or not type_.element or type_.kind == "d":
        return None
    element = api.value_type(type_.element)
    if element is None or not api.view.usable_type(type_.element):
        return None
    scalar = next((each for each in scalars(api).all if each.type is element.graphql), None)
    # Where the API prints an element as a string, it prints the elements of an array so.
    prints_text = scalar is not None and scalar.to_json is not as_is
    return ValueType(
        graphql=GraphQLList(element.graphql),
        to_json=as_text_array if prints_text else element.to_json if scalar is None else as_is,
        to_text=ArrayText(element.to_text),
        filter=f"{scalar.type.name}List" if scalar is not None and scalar.list_filter else None,
        orderable=False,
        element=element,
    )
