"""The order of a collection's rows: the order of the arguments, then the key, so that the order is total.

If the role may not read the whole key, rows are ordered by the columns that it may read. Rows that are equal in these
are numbered in the order of their text, so that the numbers are the same in every request, and the cursor contains the
number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, literal_column

from app.errors import OverLimit, RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation
from app.graphql.values.counted import COUNTED, ValueLimit
from app.graphql.values.values import Leaf
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.read.order_terms import ColumnTerm, Expression, Term, TermOfField
from app.query.sql.comparison import Comparison, compared, has_order, key_comparison, order_comparison
from app.query.sql.compiled_constructs import WrittenSQL
from app.query.sql.constructs import builtin, row_text

MOST_COLUMNS = 32
"""Rows without a key are ordered by at most this number of columns, which is PostgreSQL's limit for an index."""


_ELEMENTS = ValueLimit(100, 2000, "orderBy has more than 100 elements")

MOST_EXPRESSIONS = 50
"""The most expressions in an order. Ordering 100 rows by 60 aggregates of related rows took 0.25 s, by 240 almost 2
s."""


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A term that rows are ordered by, with its comparison and direction."""

    term: Term
    comparison: Comparison
    descending: bool = False
    nulls_first: bool = False

    @property
    def not_null(self) -> bool:
        return self.term.not_null

    @property
    def may_have_index(self) -> bool:
        """Whether an index may contain the values that rows are ordered by."""
        return self.term.may_have_index and not self.comparison.by_text and not self.comparison.cast

    @property
    def symbol(self) -> str:
        """The operator between a later and an earlier value in the order."""
        return self.comparison.operators.less if self.descending else self.comparison.operators.greater

    def is_decided_by(self, earlier: OrderKey) -> bool:
        """Whether rows that are equal in ``earlier`` are equal in this key too, since both have the same values."""
        return self.term == earlier.term and self.comparison == earlier.comparison

    @property
    def reversed(self) -> OrderKey:
        return replace(self, descending=not self.descending, nulls_first=not self.nulls_first)

    def value(self, rows: Rows) -> ColumnElement[Any]:
        """The expression that rows are ordered by."""
        return self.comparison.value(self.term.of(rows))

    def printed(self, rows: Rows) -> ColumnElement[Any]:
        """The expression in a row's cursor."""
        return self.comparison.printed(self.term.of(rows))

    def is_null(self, rows: Rows) -> ColumnElement[Any]:
        return self.term.of(rows).is_(None)

    def is_not_null(self, rows: Rows) -> ColumnElement[Any]:
        return self.term.of(rows).is_not(None)

    def beyond(self, rows: Rows, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """The condition that a row's value comes after ``value``; nulls are not considered."""
        return compared(self.value(rows), self.symbol, value)

    def at_or_beyond(self, rows: Rows, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """The condition that a row's value is equal to ``value`` or comes after it; nulls are not considered."""
        operators = self.comparison.operators
        symbol = operators.less_or_equal if self.descending else operators.greater_or_equal
        return compared(self.value(rows), symbol, value)

    def equal(self, rows: Rows, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return self.comparison.equal(self.term.of(rows), value)

    def clause(self, rows: Rows, *, has_related: bool = False) -> ColumnElement[Any]:
        """The member of ORDER BY. ``has_related``: the rows have the related row that the term is of.

        The place of nulls is left out where there are none: PostgreSQL does not consider that, and an order with the
        other place of nulls than an index has is a sort of all rows. A function may return rows with nulls in such a
        column, since PostgreSQL checks only rows that are stored."""
        direction = " DESC" if self.descending else " ASC"
        nulls = " NULLS FIRST" if self.nulls_first else " NULLS LAST"
        has_no_nulls = (self.not_null and rows.are_stored) or (has_related and self.term.not_null_if_related)
        return WrittenSQL("ordered", ("", direction if has_no_nulls else direction + nulls), (self.value(rows),))


@dataclass(frozen=True, slots=True)
class Ordering:
    """The order of rows by ``keys``. If rows can be equal in these, equal rows are numbered in the order of the text of
    the columns ``ties``."""

    keys: tuple[OrderKey, ...]
    ties: tuple[str, ...] = ()

    def clauses(self, rows: Rows, *, backward: bool, not_null: Sequence[Term] = ()) -> list[ColumnElement[Any]]:
        """The members of ORDER BY. ``not_null``: terms that are not null in these rows."""
        clauses = [
            (key.reversed if backward else key).clause(rows, has_related=any(each is key.term for each in not_null))
            for key in self.keys
        ]
        if self.ties:
            number = self.equal_before(rows)
            clauses.append(number.desc() if backward else number)
        return clauses

    def equal_before(self, rows: Rows) -> ColumnElement[Any]:
        """The number of rows before the current one among those that are equal to it in the keys."""
        text = row_text([rows.column(name) for name in self.ties])
        equal = [key.value(rows) for key in self.keys]
        return builtin.row_number().over(partition_by=equal, order_by=text) - literal_column("1")


Order = Callable[[Any], Sequence[OrderKey]]
"""A function from the value of a member of orderBy, or of an argument that orders (None for null), to keys. It is the
extension ``order`` of the GraphQLInputField or GraphQLArgument."""

DIRECTIONS: Mapping[str, tuple[bool, bool]] = {
    "AscNullsFirst": (False, True),
    "AscNullsLast": (False, False),
    "DescNullsFirst": (True, True),
    "DescNullsLast": (True, False),
}


DEPRECATED_DIRECTIONS: Mapping[str, str] = {"AscNullFirst": "AscNullsFirst"}


def direction_type(api: ApiSchema) -> GraphQLEnumType:
    def make(name: str) -> GraphQLEnumType:
        values = {value: GraphQLEnumValue(value) for value in DIRECTIONS}
        if api.dialect.direction_aliases:
            for alias, value in DEPRECATED_DIRECTIONS.items():
                values[alias] = GraphQLEnumValue(alias, deprecation_reason=f"Use {value}")
        return GraphQLEnumType(name, values)

    return api.named("OrderByDirection", make)


def direction(api: ApiSchema, leaf: Leaf) -> tuple[bool, bool]:
    """Whether a requested direction is descending, and whether nulls come first. The direction steers the plan. Raises
    RequestError if it is unknown."""
    value = leaf.steer()
    if isinstance(value, str):
        if api.dialect.direction_aliases:
            value = DEPRECATED_DIRECTIONS.get(value, value)
        if value in DIRECTIONS:
            return DIRECTIONS[value]
    raise RequestError("Invalid input for OrderByDirection type")


def order_by_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType | None:
    """The type of an element of orderBy; None if there is nothing to order by."""
    known: dict[int, bool] = api.shared("has an order", dict)
    oid = relation.relation.oid
    if oid not in known:
        # Members may refer to the types of other relations, and these back to this one; until that is known, this type
        # counts as existing.
        known[oid] = True
        known[oid] = any(each.type.orderable for each in relation.columns) or bool(_members(api, relation))
    if not known[oid]:
        return None
    return api.named(
        f"{relation.type_name}OrderBy",
        lambda name: GraphQLInputObjectType(name, lambda: _members(api, relation), extensions={COUNTED: _ELEMENTS}),
    )


def _members(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLInputField]:
    return api.contributed("order_fields", relation)


def keys_of_element(api: ApiSchema, type_: GraphQLInputObjectType, element: Mapping[str, Any]) -> Sequence[OrderKey]:
    """The keys of an element of orderBy, or of an object inside one.

    Raises RequestError if it has several members and the dialect allows one.
    """
    if len(element) > 1 and api.dialect.one_order_key_per_element:
        named = ", ".join(f"{{{name}: ...}}" for name in element)
        raise RequestError(f"An element of orderBy names one column: [{named}]", code="BAD_USER_INPUT")
    return [key for name, value in element.items() for key in type_.fields[name].extensions["order"](value)]


def ordering_of(field: Field, relation: ApiRelation) -> Ordering:
    """The total order of a relation's rows: the order of the field's arguments, then the key."""
    given = field.arguments
    requested = tuple(
        _within(field, key)
        for name, argument in field.definition.args.items()
        if "order" in argument.extensions and name in given
        for key in argument.extensions["order"](given[name])
    )
    if sum(isinstance(key.term, Expression) for key in requested) > MOST_EXPRESSIONS:
        raise OverLimit(f"orderBy has more than {MOST_EXPRESSIONS} elements by related rows or computed fields")
    if relation.has_readable_key:
        key = (relation.relation.column(name) for name in relation.key)
        by_key = (OrderKey(ColumnTerm(each), key_comparison(field.api.view, each)) for each in key if each is not None)
        return Ordering((*requested, *by_key))
    readable = (each.name for each in relation.relation.columns if each.name in relation.visible.select)
    return Ordering((*requested, *_by_columns(field.api, relation, requested)), ties=tuple(readable))


def _within(field: Field, key: OrderKey) -> OrderKey:
    return replace(key, term=key.term.of_field(field)) if isinstance(key.term, TermOfField) else key


def _by_columns(api: ApiSchema, relation: ApiRelation, requested: Sequence[OrderKey]) -> list[OrderKey]:
    """The keys for the readable columns whose type has an order, without those that are in ``requested`` already."""
    known = [key.term for key in requested]
    ordered = (each.column for each in relation.columns if each.type.orderable and has_order(api.view, each.column))
    terms = (ColumnTerm(each) for each in ordered)
    rest = [each for each in terms if each not in known][:MOST_COLUMNS]
    return [OrderKey(each, order_comparison(api.view, each.column)) for each in rest]
