"""How the values of a column are compared, and how cursors and node ids represent them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, and_, func, not_

from app.query.sql.compiled_constructs import WrittenComparison
from app.query.sql.constructs import as_text, cast_to
from schema_cache.model import Catalog, Column, Type
from schema_cache.operators import Operators
from schema_cache.role_view import RoleView

JSON_TYPES = frozenset(("json", "jsonb"))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a column is compared. ``type_text`` is the type of a value that it is compared with.

    ``by_text`` says that the text of the values is compared: they have no order, or their type may not be named.
    ``printed_as_text`` says that cursors and node ids contain their text, because the type cannot read what
    to_jsonb prints of them. ``cast`` says that the column is cast to ``type_text``.
    """

    type_text: str
    operators: Operators
    by_text: bool
    printed_as_text: bool
    cast: bool = False

    def value(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """The column as it is compared."""
        if self.cast:
            return cast_to(column, self.type_text)
        return as_text(column) if self.by_text else column

    def printed(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """The column as a cursor or a node id represents it."""
        return as_text(column) if self.printed_as_text else column

    def equal(self, column: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
        return compared(self.value(column), self.operators.equal, other)

    def less(self, column: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
        return compared(self.value(column), self.operators.less, other)

    def greater(self, column: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
        return compared(self.value(column), self.operators.greater, other)


USUAL_OPERATORS = Operators()


def compared(left: ColumnElement[Any], operator: str, right: ColumnElement[Any]) -> ColumnElement[Any]:
    return WrittenComparison(left, operator, right)


def is_distinct(left: ColumnElement[Any], right: ColumnElement[Any], operators: Operators) -> ColumnElement[Any]:
    """That two values differ, where null is a value. IS DISTINCT FROM takes the operator = that the search path leads
    to, so it is not used where that may be a user's."""
    if not operators.is_shadowed:
        return left.is_distinct_from(right)
    return not_(func.coalesce(compared(left, operators.equal, right), and_(left.is_(None), right.is_(None))))


def operators_of(view: RoleView, type_oid: int) -> Operators:
    """The operators for values of a type if the role may use them, else those that PostgreSQL finds on its own."""
    type_ = view.catalog.type_by_oid.get(type_oid)
    known = type_ is not None and type_oid not in view.unnamed_types
    return (type_.operators if type_ is not None and known else None) or view.catalog.usual_operators


def has_order(view: RoleView, column: Column) -> bool:
    """Whether PostgreSQL orders the values of a column."""
    type_ = view.catalog.type_by_oid.get(column.type)
    return type_ is not None and type_.operators is not None


def key_comparison(view: RoleView, column: Column, operand_text: str | None = None) -> Comparison:
    """How a column of a key is compared: by its text if its type has no order or may not be named, as a domain over an
    enum that may not, else as one in orderBy."""
    if not _is_compared(view, column):
        return Comparison("text", USUAL_OPERATORS, by_text=True, printed_as_text=True)
    return order_comparison(view, column, operand_text)


def order_comparison(view: RoleView, column: Column, operand_text: str | None = None) -> Comparison:
    """How a column in orderBy is compared: as the type ``operand_text`` if that is given. PostgreSQL refuses it if its
    type has no order."""
    comparison = type_comparison(view, column.type, column.type_text)
    return comparison if operand_text is None else replace(comparison, type_text=operand_text, cast=True)


def type_comparison(view: RoleView, type_oid: int, type_text: str) -> Comparison:
    """How values of a type are compared in an order that a client requests."""
    operators, enum = operators_of(view, type_oid), enum_of_domain(view, type_oid)
    return Comparison(
        enum or type_text,
        operators,
        by_text=False,
        printed_as_text=not _is_read_back(view.catalog, type_oid),
        cast=enum is not None,
    )


def enum_of_domain(view: RoleView, type_oid: int) -> str | None:
    """The enum that a domain is made of, if the role may name it: PostgreSQL compares enums, but not domains over
    them."""
    enum = _enum_of_domain(view.catalog, type_oid)
    return enum.text if enum is not None and enum.oid not in view.unnamed_types else None


def _enum_of_domain(catalog: Catalog, type_oid: int) -> Type | None:
    type_ = catalog.type_by_oid.get(type_oid)
    while type_ is not None and type_.kind == "d":
        type_ = catalog.type_by_oid.get(type_.base)
    return type_ if type_ is not None and type_.oid != type_oid and type_.kind == "e" else None


def _is_compared(view: RoleView, column: Column) -> bool:
    """Whether the role may name what PostgreSQL compares the values of a column as, and these have an order."""
    enum = _enum_of_domain(view.catalog, column.type)
    named = (column.type,) if enum is None else (column.type, enum.oid)
    return view.unnamed_types.isdisjoint(named) and has_order(view, column)


def _is_read_back(catalog: Catalog, type_oid: int) -> bool:
    """Whether a type reads the values that to_jsonb has printed, once they are strings, numbers and lists."""
    type_ = catalog.type_by_oid.get(type_oid)
    if type_ is None or type_.kind == "c" or type_.has_json_cast or type_.is_vector:
        return False
    within = type_.element or type_.base
    return not within or (catalog.type_by_oid[within].text not in JSON_TYPES and _is_read_back(catalog, within))
