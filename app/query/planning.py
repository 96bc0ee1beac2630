"""One SQL statement under construction: its parameters, and the rows that its expressions stand on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    TableClause,
    false,
    func,
    literal_column,
    null,
    true,
)
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.selectable import Alias

from app.errors import OverLimit, RequestError
from app.graphql.relations import ApiRelation
from app.graphql.values import ABSENT, Leaf, Readings, Source, Variables
from app.graphql.values_of_types import ToText
from app.query.compiling import quoted
from app.query.distribution import CLAIM, Shard, claim_text
from app.query.nodes import Cap, Nodes
from app.query.sql import alias_stem, cast_to, constant, uncut
from app.query.written import Bound, InPlace, RowColumn, RowColumns

MAX_PARAMETERS = 65535
"""PostgreSQL counts the parameters of a statement in two bytes."""

HANDED_ON = "portico.k"
"""What the names of the settings begin with in which a statement hands texts on to a later one."""

MAX_CONDITIONS = 10_000
"""PostgreSQL takes more than a second to plan a filter of so many conditions."""

MAX_RELATION_STEPS = 50
"""How often the filters of a statement may lead from a row to related ones: each is a sub-query to plan and run."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A bind parameter of a plan: where each request finds its value, and how that becomes text."""

    name: str
    source: Source
    to_text: ToText

    def value(self, readings: Readings) -> bytes | None:
        """The value in PostgreSQL's text format. Raises RequestError if it does not fit."""
        text = self.to_text(readings.at(self.source))
        try:
            return None if text is None else text.encode()
        except UnicodeEncodeError:
            raise RequestError("A string of the request is not valid Unicode", code="BAD_USER_INPUT") from None


class Rows(Protocol):
    """A FROM element whose rows belong to one relation."""

    @property
    def relation(self) -> ApiRelation: ...

    @property
    def element(self) -> FromClause: ...

    @property
    def shard(self) -> Shard: ...

    def column(self, name: str) -> ColumnElement[Any]:
        """The column of that SQL name in the current row."""
        ...

    def whole(self) -> ColumnElement[Any]:
        """The current row as a value of the relation's row type."""
        ...


class TableRows:
    """The rows of the relation itself, or of a function that returns such rows, under a name. ``is_optional`` says that
    they are joined to others, which may have none of them. ``shard_of`` makes the shard of related rows."""

    def __init__(
        self,
        relation: ApiRelation,
        element: TableClause | Alias[Any],
        shard: Shard,
        shard_of: Callable[[ApiRelation], Shard],
    ) -> None:
        self.relation = relation
        self.element = element
        self.shard = shard
        self._shard_of = shard_of
        self.is_optional = False
        self._origin, self._numbers = element.name, itertools.count(1)
        self._joins: dict[Hashable, tuple[FromClause, ColumnElement[Any], Any]] = {}
        self._columns = RowColumns(self.element)

    @property
    def source(self) -> FromClause:
        """The rows with what was joined to them."""
        source: FromClause = self.element
        for element, condition, _ in self._joins.values():
            source = source.outerjoin(element, condition)
        return source

    def joined_rows(self, key: Hashable, join: Callable[[], tuple[TableRows, ColumnElement[Any]]]) -> TableRows:
        """Rows that are joined to these under ``key``, at most one to each. ``join`` makes them and the condition."""
        place = self.element.name, key
        if place not in self._joins:
            rows, condition = join()
            # What is joined to them is joined after them, so that it is there where they are not.
            rows._joins, rows.is_optional = self._joins, True
            self._joins[place] = rows.element, condition, rows
        return cast(TableRows, self._joins[place][2])

    def joined_value(self, key: Hashable, query: Callable[[], Select[Any]]) -> ColumnElement[Any]:
        """The one value that a query gives for each of these rows, which it stands in, joined to them under ``key``."""
        place = self.element.name, key
        if place not in self._joins:
            made = query().correlate(self.element).lateral(self.name_of_related())
            (value,) = made.c
            self._joins[place] = made, true(), value
        return cast(ColumnElement[Any], self._joins[place][2])

    def related(self, relation: ApiRelation) -> TableRows:
        """A relation under a name of its own, beside these rows."""
        alias = cast(Alias[Any], relation.table.alias(self.name_of_related()))
        rows = TableRows(relation, alias, self._shard_of(relation), self._shard_of)
        rows._origin, rows._numbers = self._origin, self._numbers
        return rows

    def name_of_related(self) -> str:
        """A name that nothing else in the statement has: no other ends with a letter and digits."""
        return f"{self._origin}_r{next(self._numbers)}"

    def column(self, name: str) -> ColumnElement[Any]:
        return self._columns[name]

    def whole(self) -> ColumnElement[Any]:
        return cast_to(self._row(), row_type(self.relation))

    def is_not_empty(self) -> ColumnElement[Any]:
        """That the row has at least one value that is not null."""
        # NOT (row IS NULL): other than row IS NOT NULL, which asks for every value not to be null.
        return self._row().is_(None).is_(false())

    def _row(self) -> ColumnElement[Any]:
        return Function("ROW", literal_column(f"{quoted(self.element.name)}.*"))


class NamedRows:
    """Rows that a common table expression will provide, or a query that stands in its place; its columns are known when
    the walk is done."""

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
        """A column that the expression adds to those of the relation."""
        return RowColumn(name, self.element)

    def computed(self, name: str, value: Callable[[TableRows], ColumnElement[Any]]) -> ColumnElement[Any]:
        """A column that the expression adds: ``value`` of the rows that it is made of, called ``name`` or like it."""
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
        """``name``, or something like it that no column of the relation is called."""
        while name in self.relation.column_names:
            name = f"{name}_"
        return name

    def provided_by(self, source: Rows) -> list[ColumnElement[Any]]:
        """The requested columns of ``source``, whose rows these are; never empty."""
        return [value.label(name) for value, name in self.values_of(source)]

    def values_of(self, source: Rows) -> list[tuple[ColumnElement[Any], str]]:
        """The same as values, each with its name."""
        self.shard.follow(source.shard)
        columns = [(source.column(name), name) for name in self._columns]
        columns.extend((value(cast(TableRows, source)), name) for value, name in self._computed.items())
        return columns or [(literal_column("1"), self.free_name("one"))]


def row_type(relation: ApiRelation) -> str:
    """The name of a relation's row type, ready for a CAST."""
    return f"{quoted(relation.relation.schema)}.{quoted(relation.relation.name)}"


class Planning:
    """What the resolvers of one statement share, and of the ``earlier`` ones: a mutation's field that must see what it
    changed runs several in one transaction, of which the last one answers. ``is_volatile``: one of them calls a
    volatile function. ``reads`` are the oids of the relations and functions that they name."""

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self._readings = Readings(variables.values)
        self._parameters: dict[object, tuple[Parameter, ColumnElement[Any]]] = {}
        self._aliases = 0
        self._conditions = 0
        self._relation_steps = 0
        self._relation_depth = 0
        self._handed_on = 0
        self.nodes = Nodes()
        self.is_volatile = False
        self.reads: set[int] = set()
        self.earlier: list[Select[Any]] = []
        self.caps: list[Cap] = []

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters bound so far, by name."""
        return {parameter.name: parameter for parameter, _ in self._parameters.values()}

    @contextmanager
    def noting_reads(self) -> Iterator[set[int]]:
        """What the SQL that is made within the context ``reads``."""
        before, self.reads = self.reads, set()
        try:
            yield self.reads
        finally:
            self.reads = before | self.reads

    def bind(self, leaf: Leaf, to_text: ToText, type_text: str) -> ColumnElement[Any]:
        """``leaf`` as a parameter of the PostgreSQL type ``type_text``.

        The value of the request being planned is converted at once, so that one that does not fit is an error here.
        """
        source = leaf.source
        leaf.steer_as_one()
        text = Parameter("", source, to_text).value(self._readings)
        from_variables = source.path is not None or source.parts is not None
        key = (source.path, source.parts and id(source), source.reading, to_text if from_variables else text, type_text)
        if key not in self._parameters:
            if len(self._parameters) == MAX_PARAMETERS:
                raise OverLimit(f"The operation has more than {MAX_PARAMETERS} values for one statement")
            parameter = Parameter(f"p{len(self._parameters) + 1}", source, to_text)
            self._parameters[key] = parameter, Bound(parameter.name, uncut(type_text))
        return self._parameters[key][1]

    def bind_or_null(self, leaf: Leaf | None, to_text: ToText, type_text: str) -> ColumnElement[Any]:
        """``leaf`` as a parameter, or NULL of the type where null was given."""
        return cast_to(null(), type_text) if leaf is None else self.bind(leaf, to_text, type_text)

    def count_conditions(self, number: int) -> None:
        """Raises OverLimit when the filters of the statement have too many conditions with ``number`` more."""
        self._conditions += number
        if self._conditions > MAX_CONDITIONS:
            raise OverLimit(f"The filters have more than {MAX_CONDITIONS} conditions")

    @contextmanager
    def relation_step(self, deepest: int) -> Iterator[None]:
        """Count a step from a filter to related rows, as a condition too; what is counted within the context is one
        step deeper. Raises OverLimit if there are too many, or more than ``deepest`` one within the other."""
        self.count_conditions(1)
        self._relation_steps += 1
        self._relation_depth += 1
        if self._relation_depth > deepest:
            raise OverLimit(f"A filter leads through more than {deepest} relations (FILTER_DEPTH_LIMIT)")
        if self._relation_steps > MAX_RELATION_STEPS:
            raise OverLimit(f"The filters lead to related rows more than {MAX_RELATION_STEPS} times")
        try:
            yield
        finally:
            self._relation_depth -= 1

    def rows_of(self, relation: ApiRelation) -> TableRows:
        """The relation under an alias of its own."""
        alias = cast(Alias[Any], relation.table.alias(self.alias(relation.relation.name)))
        return TableRows(relation, alias, self._shard_of(relation), self._shard_of)

    def rows_in(self, relation: ApiRelation, element: TableClause | Alias[Any]) -> TableRows:
        """Rows of the relation in any FROM element, such as a call of a function."""
        return TableRows(relation, element, Shard(), self._shard_of)

    def named_rows(self, relation: ApiRelation, stem: str) -> NamedRows:
        return NamedRows(relation, self.alias(stem))

    def _shard_of(self, relation: ApiRelation) -> Shard:
        self.reads.add(relation.relation.oid)
        distribution, claim = relation.distribution, self.variables.get(CLAIM)
        if distribution is None or claim is ABSENT or distribution.column not in relation.visible.select:
            return Shard()
        column = relation.relation.column(distribution.column)
        leaf = Leaf(Source((CLAIM,)), self.variables, type_name="")
        return Shard(self.bind(leaf, claim_text, column.type_text)) if column else Shard()

    def alias(self, stem: str) -> str:
        """A name that nothing else in the statement has."""
        self._aliases += 1
        return f"{alias_stem(stem)}_{self._aliases}"

    def hand_on(self, text: ColumnElement[Any]) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
        """A text from one statement to a later one, inside the database: an expression that the earlier one must
        select, and the text as the later one reads it."""
        self._handed_on += 1
        name = constant(f"{HANDED_ON}{self._handed_on}")
        # Not the text itself, which would be sent to us for nothing.
        kept = func.octet_length(func.set_config(name, text, literal_column("true")))
        return kept, func.current_setting(name)
