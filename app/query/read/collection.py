"""The scope of a connection's fields: a collection of rows, and the requested page of it.

The rows of the page are a common table expression. Edges, pageInfo and all other selected fields are expressions over
it, so a connection reads its rows once. It reads one row beyond the page only if the query selects whether more rows
follow.

Citus refuses a subquery that depends on rows of a common table expression, unless one server has all rows. So for
distributed relations the page is a subquery in FROM, in which the selected fields of each row are computed as one more
column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from graphql import GraphQLObjectType
from sqlalchemy import ColumnElement, FromClause, Select, literal_column, select, type_coerce
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.sql.selectable import Alias

from app.graphql.schema.relations import ApiRelation
from app.query.filter.conditions import conditions_of_arguments
from app.query.plan.rows import NamedRows, Rows, TableRows
from app.query.plan.walk import Field
from app.query.read.ordering import ordering_of
from app.query.read.pages import Page, page_of
from app.query.read.ranges import Range
from app.query.sql.compiled_constructs import Consecutive, InPlace, Query, RowColumn
from app.query.sql.constructs import base64_of_json, jsonb_array, row_count
from app.query.sql.json_texts import json_list

EQUAL_BEFORE = "equal_before"
"""The name of the column with the number that distinguishes a row of the page from rows that are equal to it."""

MOST_RANGES = 5
"""The most ranges that the rows of a page are divided into: enough for two nullable columns and the key."""

NEEDS_MORE = {False: "hasNextPage", True: "hasPreviousPage"}
"""The field of pageInfo that needs one row beyond the page, by whether the page goes backward."""


def _unlinked(rows: TableRows) -> Sequence[ColumnElement[Any]]:
    return ()


@dataclass(frozen=True)
class Origin:
    """The origin of a collection's rows. ``rows`` makes a new FROM element with them. ``linked`` makes the conditions
    that join these rows to ``outer``, the FROM elements of the enclosing queries."""

    relation: ApiRelation
    rows: Callable[[], TableRows]
    linked: Callable[[TableRows], Sequence[ColumnElement[Any]]] = _unlinked
    outer: tuple[FromClause, ...] = ()


Distinct = Callable[[Any], Sequence[str]]
"""A function from the value of an argument, None for null, to the SQL names of columns: of rows that are equal in these
only the first belongs to the collection. It is the extension ``distinct`` of the GraphQLArgument."""


class Collection:
    """A connection being planned. Raises RequestError if its arguments are not valid."""

    def __init__(self, field: Field, origin: Origin) -> None:
        self._field = field
        self.origin = origin
        self.relation = origin.relation
        self.planning = field.planning
        ordering = ordering_of(field, self.relation)
        self.page: Page = page_of(field, self.relation.max_rows, ordering)
        page_info = _selected_of_page_info(field)
        self.looks_ahead = NEEDS_MORE[self.page.backward] in page_info
        self._is_numbered = self.page.backward or bool(page_info)
        self._is_read = False

    def json(self) -> ColumnElement[Any]:
        """The selected fields of the connection as a JSON object."""
        with self.planning.nodes.each_of(self.page.size):
            connection = self._field.json(self)
        if not self._is_read:
            return connection
        page, rows = self._page_query(), self.rows.element
        if self._is_distributed:
            rows.query = page
            return Query([(connection, None)], rows)
        return Query([(connection, None)], rows, beforehand=(self.rows.name, page))

    @property
    def _is_distributed(self) -> bool:
        return self.relation.distribution is not None

    # The whole collection

    def all_rows(self) -> tuple[TableRows, list[ColumnElement[Any]]]:
        """The whole collection, not only the page: its rows under a new alias, and the conditions on them."""
        rows = self.origin.rows()
        conditions = [*self.origin.linked(rows), *conditions_of_arguments(self._field, rows)]
        distinct = self._distinct()
        return (self._first_rows(rows, conditions, distinct), []) if distinct else (rows, conditions)

    def _distinct(self) -> list[str]:
        """The columns in which, because of the arguments, no two rows of the collection may be equal."""
        given = self._field.arguments
        return [
            column
            for name, argument in self._field.definition.args.items()
            if "distinct" in argument.extensions and name in given
            for column in argument.extensions["distinct"](given[name])
        ]

    def _first_rows(
        self, rows: TableRows, conditions: Sequence[ColumnElement[Any]], distinct: Sequence[str]
    ) -> TableRows:
        """The rows without those that are equal, in the columns ``distinct``, to an earlier row of the collection."""
        equal = [rows.column(name) for name in distinct]
        order = self.page.ordering.clauses(rows, backward=False)
        readable = (each.name for each in self.relation.relation.columns if each.name in self.relation.visible.select)
        query = self.query(rows, conditions, *(rows.column(name).label(name) for name in readable))
        first = query.ext(distinct_on(*equal)).order_by(*equal, *order).subquery(self.planning.alias("first"))
        firsts = self.planning.rows_in(self.relation, cast(Alias[Any], first))
        firsts.shard.follow(rows.shard)
        return firsts

    def query(
        self, rows: TableRows, conditions: Sequence[ColumnElement[Any]], *columns: ColumnElement[Any]
    ) -> Select[Any]:
        """A query for ``columns`` over the whole collection, not only the page."""
        return select(*columns).select_from(rows.source).where(*conditions).correlate(*self.origin.outer)

    # The page

    @cached_property
    def rows(self) -> NamedRows:
        """The rows of the page."""
        self._is_read = True
        return self.planning.named_rows(self.relation, "page")

    def of_row(self, value: Callable[[Rows], ColumnElement[Any]]) -> ColumnElement[Any]:
        """The result of ``value`` for a row of the page."""
        if not self._is_distributed:
            return value(self.rows)
        made = value(self._source[0])
        return type_coerce(self.rows.computed("node", lambda _: made), made.type)

    @property
    def position(self) -> ColumnElement[Any]:
        """The position of a row in the direction of the page, from 1."""
        return self.rows.added_column(self.rows.free_name("position"))

    @property
    def count(self) -> ColumnElement[Any]:
        """The number of rows that were read: those of the page, and one more if it looks ahead and more follow."""
        return self.rows.added_column(self.rows.free_name("count"))

    @cached_property
    def cursor(self) -> ColumnElement[Any]:
        """The cursor of a row of the page."""
        return base64_of_json(self._place(self.rows))

    def identity(self, rows: Rows) -> ColumnElement[Any]:
        """One value that distinguishes a row of the collection from all others; ``rows`` are those of the page, or of a
        query over the collection."""
        place = self._place(rows)
        values = place[-len(self.relation.key) :] if self.relation.has_readable_key else place
        return values[0] if len(values) == 1 else jsonb_array(values)

    def _place(self, rows: Rows) -> list[ColumnElement[Any]]:
        """The values that determine a row's position in the order of the collection."""
        ordering = self.page.ordering
        values = [key.printed(rows) for key in ordering.keys]
        return [*values, self._equal_before(rows)] if ordering.ties else values

    def _equal_before(self, rows: Rows) -> ColumnElement[Any]:
        value = self.page.ordering.equal_before
        return rows.computed(EQUAL_BEFORE, value) if isinstance(rows, NamedRows) else value(rows)

    def collect(self, expression: ColumnElement[Any]) -> ColumnElement[Any]:
        """A JSON array of ``expression`` for each row of the page, in the order of the collection."""
        order = [self.position.desc()] if self.page.backward else []
        conditions = [self.position <= self.page.limit()] if self.looks_ahead else []
        conditions += self._has_key(self.rows)
        return json_list(expression, *conditions, order=order)

    def _has_key(self, rows: NamedRows) -> list[ColumnElement[Any]]:
        # Rows of a view may lack the key that its comment declares.
        if not self.relation.has_readable_key:
            return []
        first = self.relation.relation.column(self.relation.key[0])
        return [] if first is None or first.not_null else [rows.column(first.name).is_not(None)]

    def _equal_to_cursor(self) -> ColumnElement[Any]:
        """How many rows of the collection are equal to the cursor."""
        rows, conditions = self.all_rows()
        conditions.append(self.page.equal_to_cursor(rows))
        return self.query(rows, conditions, row_count()).scalar_subquery()

    @cached_property
    def _source(self) -> tuple[TableRows, list[ColumnElement[Any]]]:
        """The rows that the page is taken from, and the conditions on them."""
        return self.all_rows()

    def _page_query(self) -> Query | Consecutive:
        rows, conditions = self._source
        values = self.rows.values_of(rows)
        if self.page.cursor is None:
            ranges = self._ranges_from_the_edge(rows, conditions)
        else:
            ranges = self.page.ranges_beyond(self.page.cursor, rows, self._most_ranges(rows))
        limit = self.page.limit(beyond=int(self.looks_ahead))
        query = self._query_of(rows, conditions, ranges, values, limit, self.page.skipped(self._equal_to_cursor))
        return self._numbered(query, [name for _, name in values]) if self._is_numbered else query

    def first(self, value: Callable[[Rows], ColumnElement[Any]]) -> ColumnElement[Any]:
        """The result of ``value`` for the row with which the collection begins, in the direction of the page."""
        rows, conditions = self.all_rows()
        ranges = self._ranges_from_the_edge(rows, conditions)
        return self._query_of(rows, conditions, ranges, [(value(rows), None)], literal_column("1"))

    def _query_of(
        self,
        rows: TableRows,
        conditions: Sequence[ColumnElement[Any]],
        ranges: Sequence[Range],
        values: Sequence[tuple[ColumnElement[Any], str | None]],
        limit: ColumnElement[Any],
        skipped: ColumnElement[Any] | None = None,
    ) -> Query | Consecutive:
        """The first ``limit`` rows of consecutive ranges, in the order of the page."""
        queries = []
        for each in ranges:
            order = self.page.ordering.clauses(rows, backward=self.page.backward, not_null=each.not_null)
            queries.append(Query(values, rows.source, [*conditions, *each.conditions], order, limit, skipped))
        return queries[0] if len(queries) == 1 else Consecutive(queries, limit)

    def _ranges_from_the_edge(self, rows: TableRows, conditions: Sequence[ColumnElement[Any]]) -> Sequence[Range]:
        # If conditions leave few rows, no range is larger than the page, and each of them would be read.
        return self.page.ranges_from_the_edge(rows, 1 if conditions else self._most_ranges(rows))

    def _most_ranges(self, rows: TableRows) -> int:
        """The largest number of ranges that the rows of the collection may be divided into.

        Each range repeats the conditions of the filter, and their number is limited. Citus accepts no ranges in a
        nested query, and PostgreSQL may read those of foreign tables, which a view may have, in any order."""
        may_be_foreign = self.relation.relation.kind == "v" and self._field.api.catalog.has_foreign_tables
        if self._is_distributed or may_be_foreign or not rows.are_stored:
            return 1
        return min(MOST_RANGES, self.planning.possible_repetitions)

    def _numbered(self, query: Query | Consecutive, names: Sequence[str]) -> Query:
        picked = InPlace(self.planning.alias("picked"))
        picked.query = query
        columns: list[tuple[ColumnElement[Any], str]] = [(RowColumn(name, picked), name) for name in names]
        columns.append((literal_column("pg_catalog.row_number() OVER ()"), self.rows.free_name("position")))
        columns.append((literal_column("pg_catalog.count(*) OVER ()"), self.rows.free_name("count")))
        return Query(columns, picked)


def _selected_of_page_info(connection: Field) -> set[str]:
    names = set()
    for field in connection.selected(cast(GraphQLObjectType, connection.type)):
        if field.name == "pageInfo":
            names |= {each.name for each in field.selected(cast(GraphQLObjectType, field.type))}
    return names - {"__typename"}
