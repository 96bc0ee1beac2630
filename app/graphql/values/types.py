"""The conversions between values of PostgreSQL's types and the JSON of requests and responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from graphql import GraphQLInputObjectType, GraphQLNullableInputType, GraphQLNullableOutputType, get_named_type
from sqlalchemy import ColumnElement

ToText = Callable[[Any], str | None]
"""Converts a JSON value to PostgreSQL's text form; None stands for null. Raises RequestError if it does not fit."""

ToJson = Callable[[ColumnElement[Any]], ColumnElement[Any]]
"""Converts an SQL value to the one that the API prints."""


OfSelection = Callable[[Any, ColumnElement[Any]], ColumnElement[Any]]
"""Converts an SQL value to the one that the API prints for the selection of a field (app.query.plan.walk.Field)."""


@dataclass(frozen=True, eq=False)
class Nearness:
    """The distance of a type's values from a value in the request, which is of the type ``given``.

    ``distance`` returns the SQL expression of the distance, of the type double precision. Its arguments are an
    app.query.plan.planning.Planning, the value of a column, the column's type as CAST takes it, and the value of the
    request.
    """

    given: GraphQLInputObjectType
    distance: Callable[[Any, ColumnElement[Any], str, Mapping[str, Any]], ColumnElement[Any]]


class Patterns(Enum):
    """The kinds of patterns that texts can be matched with. With a nondeterministic collation there are none, or from
    PostgreSQL 18 on only those of LIKE."""

    ALL = "all"
    LIKE = "like"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class ValueType:
    """One PostgreSQL type in the API.

    ``graphql``: the (nullable) GraphQL type. ``to_json`` and ``to_text`` convert values, see ToJson and ToText.
    ``prints_null``: values other than NULL may be null in the API.

    For types with members, ``of_selection`` converts values, since the result depends on what a field selects;
    ``given`` is their type in requests, or None if requests cannot have them. ``nearness`` is set if values have
    distances from each other.

    ``filter``: the kind of filter, or None without one. ``filter_name``: the name of the filter type if it is not
    derived from the kind. ``operand_text``: the PostgreSQL type that values are compared with, if not their own.
    ``equatable``: PostgreSQL can compare two values for equality. ``patterns``: the patterns that texts are matched
    with.

    ``element`` is set for arrays. ``of_dimensions`` returns the type of an array with the given number of dimensions,
    or None if the API does not support it; it is set only if the number matters. ``delimiter``: the character between
    values in the text of an array.
    """

    graphql: GraphQLNullableOutputType
    to_json: ToJson
    to_text: ToText
    filter: str | None
    orderable: bool = True
    element: ValueType | None = None
    prints_null: bool = False
    filter_name: str | None = None
    operand_text: str | None = None
    of_dimensions: Callable[[ValueType, int], ValueType | None] | None = None
    of_selection: OfSelection | None = None
    given: GraphQLNullableInputType | None = None
    nearness: Nearness | None = None
    delimiter: str = ","
    equatable: bool = True
    patterns: Patterns = Patterns.ALL

    @property
    def input(self) -> GraphQLNullableInputType:
        """The (nullable) GraphQL type of values in requests. Not for a type that is read only."""
        return cast(GraphQLNullableInputType, self.graphql if self.of_selection is None else self.given)

    @property
    def filter_type_name(self) -> str:
        """The name of the filter type, if there is one."""
        return self.filter_name or f"{self.filter}Filter"

    @property
    def type_names(self) -> frozenset[str]:
        """The names of the types that values have in responses, in requests and in filters."""
        types = (get_named_type(each).name for each in (self.graphql, self.given) if each is not None)
        return frozenset((*types, self.filter_type_name))

    @property
    def is_read_only(self) -> bool:
        """Whether values of the type occur in responses only."""
        return self.of_selection is not None and self.given is None

    def printed(self, field: Any, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """The SQL of what the API prints for a value that ``field`` selects."""
        return self.to_json(value) if self.of_selection is None else self.of_selection(field, value)

    def of_declared(self, dimensions: int) -> ValueType | None:
        """The type of an array that is declared with this number of dimensions; 0 if none is declared. None if the API
        does not support it. Types other than arrays are returned unchanged."""
        return self if self.of_dimensions is None else self.of_dimensions(self, max(1, dimensions))
