"""The rows that expressions refer to: those of a relation under an alias, or of a common table expression."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, cast

from sqlalchemy import ColumnElement, FromClause, Select, TableClause, false, literal_column, true
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.selectable import Alias

from app.database.identifiers import quoted
from app.graphql.schema.relations import ApiRelation
from app.query.plan.distribution import Shard, equal_to
from app.query.sql.compiled_constructs import InPlace, RowColumn, RowColumns
from app.query.sql.constructs import cast_to


class Rows(Protocol):
    """A FROM element whose rows belong to one relation."""

    @property
    def relation(self) -> ApiRelation: ...

    @property
    def element(self) -> FromClause: ...

    @property
    def shard(self) -> Shard: ...

    @property
    def are_stored(self) -> bool:
        """Whether PostgreSQL stores these rows: not those of a function, a query or a foreign table."""
        ...

    def column(self, name: str) -> ColumnElement[Any]:
        """The column with that SQL name, of the current row."""

    def whole(self) -> ColumnElement[Any]:
        """The current row as a value of the relation's row type."""


class _Joined(NamedTuple):
    """An element joined to rows, with its join condition; ``result`` is the rows or the value that it provides."""

    element: FromClause
    condition: ColumnElement[Any]
    result: Any


class TableRows:
    """The rows of the relation itself, or of a function that returns such rows, under an alias. ``is_optional``: they
    are joined to ``others`` by an outer join, so there may be none for some of those. ``shard_of`` makes the shard of
    related rows."""

    def __init__(
        self,
        relation: ApiRelation,
        element: TableClause | Alias[Any],
        shard: Shard,
        shard_of: Callable[[ApiRelation], Shard],
        *,
        others: TableRows | None = None,
        is_optional: bool = False,
    ) -> None:
        self.relation = relation
        self.element = element
        self.shard = shard
        self.is_optional = is_optional
        self._shard_of = shard_of
        self._names: _Names = _Names(element.name) if others is None else others._names
        # Optional rows share the joins of ``others``: an element joined to optional rows is joined after them, by an
        # outer join too.
        self._joins: dict[Hashable, _Joined] = others._joins if others is not None and is_optional else {}
        self._columns = RowColumns(self.element)

    @property
    def are_stored(self) -> bool:
        is_whole = isinstance(self.element, Alias) and self.element.element is self.relation.table
        return is_whole and self.relation.relation.kind != "f"

    @property
    def source(self) -> FromClause:
        """The rows with all elements that were joined to them."""
        source: FromClause = self.element
        for each in self._joins.values():
            source = source.outerjoin(each.element, each.condition)
        return source

    def joined_rows(
        self, key: Hashable, relation: ApiRelation, linked: Callable[[TableRows], ColumnElement[Any]]
    ) -> TableRows:
        """Rows of a relation, joined to these by the condition ``linked``, at most one to each. Calls with an equal
        ``key`` share the join."""
        place = self.element.name, key
        if place not in self._joins:
            rows = self._beside(relation, is_optional=True)
            self._joins[place] = _Joined(rows.element, linked(rows), rows)
        return cast(TableRows, self._joins[place].result)

    def joined_value(self, key: Hashable, query: Callable[[], Select[Any]]) -> ColumnElement[Any]:
        """The single value that a query returns for each of these rows, to which it is correlated. Calls with an equal
        ``key`` share the join."""
        place = self.element.name, key
        if place not in self._joins:
            made = query().correlate(self.element).lateral(self._names.another())
            (value,) = made.c
            self._joins[place] = _Joined(made, true(), value)
        return cast(ColumnElement[Any], self._joins[place].result)

    def related(self, relation: ApiRelation) -> TableRows:
        """A relation under a new alias, for a subquery on these rows."""
        return self._beside(relation, is_optional=False)

    def _beside(self, relation: ApiRelation, *, is_optional: bool) -> TableRows:
        alias = cast(Alias[Any], relation.table.alias(self._names.another()))
        shard = self._shard_of(relation)
        return TableRows(relation, alias, shard, self._shard_of, others=self, is_optional=is_optional)

    def column(self, name: str) -> ColumnElement[Any]:
        return self._columns[name]

    def of_value(self, value: ColumnElement[Any] | None) -> list[ColumnElement[Any]]:
        """The condition that the rows have a value in the distribution column; none if it is not known."""
        if value is None or self.relation.distribution is None:
            return []
        condition = equal_to(self.column(self.relation.distribution.column), value)
        self.shard.learn(condition.left, [condition])
        return [condition]

    def whole(self) -> ColumnElement[Any]:
        return cast_to(self._row(), row_type(self.relation))

    def is_not_empty(self) -> ColumnElement[Any]:
        """The condition that the row has at least one value that is not null."""
        # NOT (row IS NULL), because row IS NOT NULL is true only if every value is not null.
        return self._row().is_(None).is_(false())

    def _row(self) -> ColumnElement[Any]:
        return Function("ROW", literal_column(f"{quoted(self.element.name)}.*"))


class _Names:
    """Makes aliases from the alias of some rows. They are unique in the statement, because other aliases do not end in
    ``_r`` and a number."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._numbers = itertools.count(1)

    def another(self) -> str:
        return f"{self._origin}_r{next(self._numbers)}"


class NamedRows:
    """Rows of a common table expression, or of a query in its place, that is made later: its columns are known only at
    the end of the walk."""

    are_stored = False

    def __init__(self, relation: ApiRelation, name: str) -> None:
        self.relation = relation
        self.element = InPlace(name)
        self.shard = Shard()
        self._columns = RowColumns(self.element)
        self._computed: dict[Callable[[TableRows], ColumnElement[Any]], str] = {}

    def column(self, name: str) -> ColumnElement[Any]:
        return self._columns[name]

    @property
    def name(self) -> str:
        return self.element.name

    def added_column(self, name: str) -> ColumnElement[Any]:
        """A column that the expression has in addition to those of the relation."""
        return RowColumn(name, self.element)

    def computed(self, name: str, value: Callable[[TableRows], ColumnElement[Any]]) -> ColumnElement[Any]:
        """An additional column: ``value`` is computed from the underlying rows. The column is called ``name``, with a
        suffix if that is taken."""
        if value not in self._computed:
            free, number = self.free_name(name), 1
            while free in self._computed.values():
                number += 1
                free = self.free_name(f"{name}_{number}")
            self._computed[value] = free
        return self.added_column(self._computed[value])

    def whole(self) -> ColumnElement[Any]:
        return self.computed("row", TableRows.whole)

    def free_name(self, name: str) -> str:
        """``name``, with underscores appended until no column of the relation has it."""
        while name in self.relation.column_names:
            name = f"{name}_"
        return name

    def provided_by(self, source: Rows) -> list[ColumnElement[Any]]:
        """The columns of ``source`` that were used, where ``source`` has the underlying rows; never empty."""
        return [value.label(name) for value, name in self.values_of(source)]

    def values_of(self, source: Rows) -> list[tuple[ColumnElement[Any], str]]:
        """The same as pairs of a value and its name."""
        self.shard.follow(source.shard)
        columns = [(source.column(name), name) for name in self._columns]
        columns.extend((value(cast(TableRows, source)), name) for value, name in self._computed.items())
        return columns or [(literal_column("1"), self.free_name("one"))]


def row_type(relation: ApiRelation) -> str:
    """The name of a relation's row type, quoted for a CAST."""
    return f"{quoted(relation.relation.schema)}.{quoted(relation.relation.name)}"
