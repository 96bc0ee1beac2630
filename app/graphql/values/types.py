"""How values of PostgreSQL's types cross the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from graphql import GraphQLInputObjectType, GraphQLNullableInputType, GraphQLNullableOutputType, get_named_type
from sqlalchemy import ColumnElement

ToText = Callable[[Any], str | None]
"""A JSON value to PostgreSQL's text form of it, None for null; raises RequestError for what does not fit."""

ToJson = Callable[[ColumnElement[Any]], ColumnElement[Any]]
"""An SQL value to what the API prints of it."""


OfSelection = Callable[[Any, ColumnElement[Any]], ColumnElement[Any]]
"""A field (app.query.plan.walk.Field) and an SQL value to what the API prints of that, as the field's
selection says."""


@dataclass(frozen=True, eq=False)
class Nearness:
    """How far values of a type are from what a request gives, which is of the type ``given``.

    ``distance`` makes the distance, of the type double precision: of an app.query.plan.planning.Planning, the
    value of a column, the type of that column ready for a CAST, and what was given.
    """

    given: GraphQLInputObjectType
    distance: Callable[[Any, ColumnElement[Any], str, Mapping[str, Any]], ColumnElement[Any]]


class Patterns(Enum):
    """Which patterns texts are compared with: of a nondeterministic collation none, or from PostgreSQL 18 on only those
    of LIKE."""

    ALL = "all"
    LIKE = "like"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class ValueType:
    """How values of one PostgreSQL type cross the API.

    ``graphql`` is the (nullable) GraphQL type, ``to_json`` makes an SQL value what the API prints, ``to_text`` makes a
    JSON input PostgreSQL's text form of it (None for null) or raises RequestError. Of values with members, what is
    printed depends on what a field selects: ``of_selection`` makes it of the field and the value; ``given`` is the type
    that they have in requests, None if these cannot have them. ``nearness`` is set if values have distances from each
    other. ``filter`` names the kind of filter, None if the type has none; ``filter_name`` is what the filter is called
    if not after its kind. ``element`` is set for arrays. ``operand_text`` is the PostgreSQL type of what values are
    compared with, None for their own. ``prints_null`` says that values other than NULL may be null in the API.
    ``of_dimensions`` turns an array's type into that of an array with so many dimensions, or None if the API does not
    support it; it is set only if the number matters. ``delimiter`` stands between values in the text of an array.
    ``equatable`` says that two values can be equal to PostgreSQL, ``patterns`` which patterns it compares texts with.
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
        """What the type of the filter is called, if there is one."""
        return self.filter_name or f"{self.filter}Filter"

    @property
    def type_names(self) -> frozenset[str]:
        """What the types are called that values have in answers, in requests and in filters."""
        types = (get_named_type(each).name for each in (self.graphql, self.given) if each is not None)
        return frozenset((*types, self.filter_type_name))

    @property
    def is_read_only(self) -> bool:
        """Whether requests cannot have values of the type."""
        return self.of_selection is not None and self.given is None

    def printed(self, field: Any, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """What the API prints of a value where ``field`` selects it."""
        return self.to_json(value) if self.of_selection is None else self.of_selection(field, value)

    def of_declared(self, dimensions: int) -> ValueType | None:
        """The type of an array that is declared with so many dimensions, or with none; None if the API does not support
        it. Other types are what they are."""
        return self if self.of_dimensions is None else self.of_dimensions(self, max(1, dimensions))
