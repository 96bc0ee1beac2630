"""Relations and columns as the API shows them to a role, with their GraphQL names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import TableClause, column, table

from app.errors import RequestError
from app.graphql.schema.dialect import Dialect
from app.graphql.values.types import ToText, ValueType
from schema_cache.distribution import Distribution
from schema_cache.model import Column, Relation
from schema_cache.role_view import VisibleRelation

NODE_ID = "nodeId"
"""The field that every row has. A column of that name is left out."""


@dataclass(frozen=True, eq=False)
class ApiColumn:
    """A column with a type that the API supports: its field name and the type of its values. ``directives``: those in
    its comment."""

    column: Column
    field_name: str
    type: ValueType
    directives: Mapping[str, Any] = field(default_factory=dict)

    @property
    def description(self) -> str | None:
        return self.directives.get("description")

    @property
    def deprecated(self) -> str | None:
        return self.directives.get("deprecated")

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def to_text(self) -> ToText:
        """Converts a value of the request to text that fits the column. A string that is too long is refused, never
        truncated. Columns that accept the same values have equal converters, so that they can share a parameter."""
        limit = self.column.max_length
        return self.type.to_text if limit is None else _TextAtMost(self.type.to_text, limit)


@dataclass(frozen=True, slots=True)
class _TextAtMost:
    """Converts a value to text, and refuses strings of more than ``limit`` characters."""

    to_text: ToText
    limit: int

    def __call__(self, value: Any) -> str | None:
        if any(isinstance(each, str) and len(each) > self.limit for each in _values_in(value)):
            raise RequestError(f"Invalid input for String type. Maximum character length {self.limit}")
        return self.to_text(value)


def _values_in(value: Any) -> Iterator[Any]:
    """``value``, or the items of a list at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _values_in(item)
    else:
        yield value


def _is_written(column: ApiColumn) -> bool:
    return not column.type.is_read_only


class SupportedColumns:
    """The columns of a relation that the API supports. ``make`` makes each on first use, or returns None for a column
    that is not supported. ``is_writable``: whether requests can contain values for a column."""

    def __init__(
        self, relation: Relation, make: Callable[[Column], ApiColumn | None], is_writable: Callable[[Column], bool]
    ) -> None:
        self._columns = relation.columns
        self._make = make
        self._is_writable = is_writable
        self._cache: dict[str, ApiColumn | None] = {}

    def named(self, names: frozenset[str]) -> Iterator[ApiColumn]:
        """The columns with these names, in the database's order."""
        made = (self._column(each) for each in self._columns if each.name in names)
        return (each for each in made if each is not None)

    def writable(self, names: frozenset[str], takes: Callable[[Column], bool]) -> Iterator[ApiColumn]:
        """The columns with these names that requests can contain values for, if ``takes`` accepts them too."""
        accepted = (each for each in self._columns if each.name in names and takes(each) and self._is_writable(each))
        return (made for each in accepted if (made := self._column(each)) is not None)

    def _column(self, column: Column) -> ApiColumn | None:
        if column.name not in self._cache:
            self._cache.setdefault(column.name, self._make(column))
        return self._cache[column.name]


def _without_duplicates(columns: Iterable[ApiColumn]) -> Collection[ApiColumn]:
    """The columns without those whose field name a later column has too."""
    kept: dict[str, ApiColumn] = {}
    for each in columns:
        kept.pop(each.field_name, None)
        kept[each.field_name] = each
    return kept.values()


@dataclass(frozen=True, eq=False)
class ApiRelation:
    """A relation as the API shows it to a role. ``key``: the columns that identify a row, or () without a key. Columns
    are made by ``supported_columns`` on first use; most relations of a large schema are never used."""

    visible: VisibleRelation
    relation: Relation
    type_name: str
    inflect: bool
    max_rows: int
    key: tuple[str, ...]
    supported_columns: SupportedColumns
    directives: Mapping[str, Any]

    @cached_property
    def columns(self) -> tuple[ApiColumn, ...]:
        """The readable columns in the database's order."""
        readable = _without_duplicates(self.supported_columns.named(self.visible.select))
        return tuple(each for each in readable if each.field_name != NODE_ID)

    @cached_property
    def column_names(self) -> frozenset[str]:
        """The names of all columns in the database."""
        return frozenset(each.name for each in self.relation.columns)

    @cached_property
    def by_name(self) -> Mapping[str, ApiColumn]:
        """The readable columns by their names in the database."""
        return {each.name: each for each in self.columns}

    @cached_property
    def insertable(self) -> tuple[ApiColumn, ...]:
        """The columns that an insert may give values."""
        return tuple(filter(_is_written, _without_duplicates(self._columns_of_insert(self.visible.insert))))

    @cached_property
    def updatable(self) -> tuple[ApiColumn, ...]:
        """The columns that an update may give new values."""
        return tuple(filter(_is_written, _without_duplicates(self._columns_of_update(self.visible.update))))

    @cached_property
    def takes_rows(self) -> bool:
        """Whether the role may insert rows, with a value in at least one column."""
        return self.relation.insertable and any(map(_is_written, self._columns_of_insert(self.visible.insert)))

    @cached_property
    def takes_changes(self) -> bool:
        """Whether the role may update at least one column."""
        return self.relation.updatable and any(map(_is_written, self._columns_of_update(self.visible.update)))

    def inserts(self, names: frozenset[str]) -> bool:
        """Whether an insert may give values to all columns with these names."""
        return names.issubset(
            each.name for each in filter(_is_written, self._columns_of_insert(self.visible.insert & names))
        )

    def updates(self, names: frozenset[str]) -> bool:
        """Whether an update may give new values to all columns with these names."""
        return names.issubset(
            each.name for each in filter(_is_written, self._columns_of_update(self.visible.update & names))
        )

    def _columns_of_insert(self, names: frozenset[str]) -> Iterator[ApiColumn]:
        return self.supported_columns.writable(names, lambda column: column.insertable)

    def _columns_of_update(self, names: frozenset[str]) -> Iterator[ApiColumn]:
        return self.supported_columns.writable(names, lambda column: column.updatable)

    @cached_property
    def table(self) -> TableClause:
        """The relation as an SQLAlchemy construct."""
        relation = self.relation
        return table(relation.name, *(column(each.name) for each in relation.columns), schema=relation.schema)

    @property
    def distribution(self) -> Distribution | None:
        """How Citus distributes the rows over nodes, or else the directive ``distribution_column``."""
        declared = self.directives.get("distribution_column")
        if self.relation.distribution is None and declared and self.relation.column(declared):
            return Distribution(declared, group=None)
        return self.relation.distribution

    @property
    def has_readable_key(self) -> bool:
        """Whether the role may read all columns of the key, from which node ids are made."""
        return bool(self.key) and self.visible.select.issuperset(self.key)


def is_exposed_kind(relation: Relation, dialect: Dialect) -> bool:
    return relation.kind != "p" or dialect.partitioned_tables


def key_of(relation: Relation, directives: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of the primary key, else those of the directive ``primary_key_columns``, else (). For views, whose
    primary key is only inferred, the directive comes first."""
    declared = tuple(directives.get("primary_key_columns") or ())
    if not all(relation.column(name) for name in declared):
        declared = ()
    if relation.kind in ("v", "m"):
        return declared or relation.primary_key
    return relation.primary_key or declared


OwnName = tuple[Hashable, str]
"""The owner of a type, which identifies it, and the name that is requested for it."""


def own_name(relation: ApiRelation, suffix: str) -> OwnName:
    """The owner and requested name of a relation's own type with that suffix."""
    return (relation.relation.oid, suffix), f"{relation.type_name}{suffix}"
