"""How values of PostgreSQL's types cross the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLNullableInputType
from sqlalchemy import ColumnElement

ToText = Callable[[Any], str | None]
"""A JSON value to PostgreSQL's text form of it, None for null; raises RequestError for what does not fit."""

ToJson = Callable[[ColumnElement[Any]], ColumnElement[Any]]
"""An SQL value to what the API prints of it."""


@dataclass(frozen=True, eq=False)
class ValueType:
    """How values of one PostgreSQL type cross the API.

    ``graphql`` is the (nullable) GraphQL type, ``to_json`` makes an SQL value what the API prints, ``to_text`` makes a
    JSON input PostgreSQL's text form of it (None for null) or raises RequestError. ``filter`` names the kind of filter,
    None if the type has none; ``filter_name`` is what the filter is called if not after its kind. ``element`` is set
    for arrays. ``operand_text`` is the PostgreSQL type of what values are compared with, None for their own.
    ``prints_null`` says that values other than NULL may be null in the API. ``of_dimensions`` turns an array's type
    into that of an array with so many dimensions, or None if the API does not support it; it is set only if the number
    matters.
    """

    graphql: GraphQLNullableInputType
    to_json: ToJson
    to_text: ToText
    filter: str | None
    orderable: bool = True
    element: ValueType | None = None
    prints_null: bool = False
    filter_name: str | None = None
    operand_text: str | None = None
    of_dimensions: Callable[[ValueType, int], ValueType | None] | None = None
