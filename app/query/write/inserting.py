"""The objects of an insert as SQL, and the scope of its response."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graphql import GraphQLInputObjectType
from sqlalchemy import ColumnClause, ColumnElement, FromClause, literal_column, select, values
from sqlalchemy import column as sql_column
from sqlalchemy.dialects.postgresql import Insert

from app.errors import OverLimit, RequestError
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf, shape_of
from app.query.plan.rows import NamedRows
from app.query.plan.walk import Field
from app.query.sql.constructs import unnest
from app.query.write.assignments import assigned
from app.query.write.changes import Affected
from app.query.write.new_rows import columns_of, has_default, have_links, is_required, links_of, missing_member
from app.query.write.unnesting import array_for, unnested

NewRow = Mapping[str, Leaf | None]

Columns = Mapping[str, ApiColumn]
"""The columns that an insert can set, by member of the input object."""

Alter = Callable[[Field, Insert, Any], Insert]
"""A function from the INSERT statement and the value of an argument of an insert to the statement that is run. It is
the extension ``alter`` of the GraphQLArgument."""

MAX_SINGLE_VALUES = 10_000
"""The most values of an insert in which each is its own parameter; planning that takes half a second."""

MAX_LISTED, MAX_LISTED_VALUES = 100, 1_000
"""With Citus, the most objects of which each value is its own parameter even if they are one variable, and the most
such values. Their number is part of the plan; planning the most takes 50 ms."""


class Objects(Protocol):
    """The objects of an insert, as fields of its response use them. ``arguments``: the other arguments of the
    insert."""

    @property
    def arguments(self) -> Mapping[str, Any]: ...

    @property
    def number(self) -> int | Leaf:
        """The number of objects, or the list of them."""

    def gives(self, column: ApiColumn) -> bool:
        """Whether all objects have a value for the column."""

    def rows(self, columns: Columns, position: str) -> FromClause:
        """The values for ``columns``, under these names, and the position of each object under the name ``position``.
        All objects must have a value for each column. The values can be cast to the types of the columns."""


class PlainObjects(Objects, Protocol):
    """Objects without links to related rows."""

    def insert(self) -> InsertOfObjects:
        """The statement that inserts the objects."""


class InsertOfObjects(Insert):
    """An INSERT that knows the columns of its objects. ``given``: the columns for which at least one object has a
    value. ``uneven``: the objects, if some may lack values that others have, so that their columns get defaults."""

    inherit_cache = False
    given: frozenset[str] = frozenset()
    uneven: UnevenObjects | None = None


class UnevenObjects(Protocol):
    """Objects of which some may have a value for a column, while for others the column gets its default."""

    def gives(self, column: ApiColumn) -> bool:
        """Whether all objects have the column, perhaps with null."""

    def rows_with_presence(self, columns: Columns, column: ApiColumn) -> FromClause:
        """A row for each object that has values for all of ``columns``: the values, under the columns' names, and a
        boolean ``given`` that says whether the object has a value for ``column``."""


class Inserted(Affected):
    """The scope of an insert's response: the inserted rows, and the ``objects`` of the request. ``value``: that of the
    distribution column in all rows, if it is known."""

    def __init__(
        self,
        rows: NamedRows,
        objects: Objects,
        value: ColumnElement[Any] | None = None,
        order: ColumnElement[Any] | None = None,
    ) -> None:
        super().__init__(rows, objects.number, order=order)
        self.is_insert = True
        self.objects = objects
        self.value = value


def listed_number(objects: int, members: int) -> int | None:
    """With Citus, the number of ``objects`` if the plan depends on it; None if there are many."""
    return objects if objects <= MAX_LISTED and objects * members <= MAX_LISTED_VALUES else None


def objects_of(field: Field, relation: ApiRelation, type_: GraphQLInputObjectType) -> PlainObjects:
    """The argument ``objects`` of an insert, of the type ``type_``, if no object has links to related rows."""
    members = type_.fields
    columns: Columns = columns_of(members)
    required = frozenset(name for name, each in members.items() if is_required(each))
    variable = field.variable("objects")
    if variable is not None:
        defaulted = frozenset(name for name, each in members.items() if has_default(each))
        is_on_cluster = field.planning.cluster is not None
        shape = BulkShape(relation, defaulted, required, frozenset(links_of(members)), is_on_cluster)
        names = shape.members(variable.steer(shape))
        if names and columns.keys() >= set(names):
            given = {name: column for name, column in columns.items() if name in names}
            made = _OfVariable if shape.number(variable.raw) is None else _ListedOfVariable
            return made(field, relation, given, variable, field.arguments_without("objects"))
    objects: Sequence[NewRow] | None = field.arguments["objects"]
    if not objects:
        raise RequestError("At least one record must be provided to objects", code="BAD_USER_INPUT")
    missing = next((name for each in objects for name in required if each.get(name) is None), None)
    if missing is not None:
        raise missing_member(type_.name, members, missing)
    # All links are null here.
    objects = [{name: value for name, value in each.items() if name in columns} for each in objects]
    return _OneByOne(field, relation, columns, objects, field.arguments)


@dataclass(frozen=True)
class BulkShape:
    """The key function of ``objects`` if it is one variable. The plan depends only on the names of the members, if one
    statement fits any number of such objects.

    That is the case if there are several objects, all have the ``required`` members, and members that only some of them
    have are not ``defaulted``. Objects with ``links`` are planned as a nested insert. With Citus (``is_on_cluster``)
    the plan depends on the number of objects too, unless there are many.
    """

    relation: ApiRelation
    defaulted: frozenset[str]
    required: frozenset[str]
    links: frozenset[str]
    is_on_cluster: bool = False

    def __call__(self, value: Any) -> Hashable:
        if have_links(self.links, value):
            return None
        members = self.members(value)
        return shape_of(value) if members is None else ("bulk", members, self.number(value))

    def number(self, value: Any) -> int | None:
        """The number of objects in the list, if the plan depends on it."""
        return listed_number(len(value), len(self.members(value) or ())) if self.is_on_cluster else None

    def members(self, value: Any) -> tuple[str, ...] | None:
        """The names of all members in any of the objects; None if the objects must be read one by one."""
        if not isinstance(value, list) or len(value) < 2 or not all(isinstance(each, dict) for each in value):
            return None
        if any(each.get(name) is None for name in self.required for each in value):
            return None
        members = frozenset().union(*value)
        if sum(map(len, value)) < len(members) * len(value) and self.defaulted & members:
            in_all = members.intersection(*value)
            if not self.defaulted.isdisjoint(members - in_all):
                return None
        return tuple(sorted(members)) or None


@dataclass(frozen=True)
class _OneByOne:
    """Objects with any members, read one by one; each value is its own parameter."""

    field: Field
    relation: ApiRelation
    columns: Columns
    objects: Sequence[NewRow]
    arguments: Mapping[str, Any]

    @property
    def number(self) -> int:
        return len(self.objects)

    def insert(self) -> InsertOfObjects:
        named = {name for each in self.objects for name in each}
        # VALUES needs at least one column, even if all rows have only defaults.
        members = [name for name in self.columns if name in named] or [next(iter(self.columns))]
        if len(self.objects) * len(members) > MAX_SINGLE_VALUES:
            message = f"The objects have different keys and more than {MAX_SINGLE_VALUES} values"
            raise OverLimit(message, hint="Give all objects the same keys, or send fewer at once.")
        default: ColumnElement[Any] = literal_column("DEFAULT")
        rows = [
            {
                self.columns[name].name: self._value(self.columns[name], record[name]) if name in record else default
                for name in members
            }
            for record in self.objects
        ]
        inserting = InsertOfObjects(self.relation.table).values(rows)
        inserting.given = frozenset(each.name for each in self.columns.values() if any(self._gives(each)))
        inserting.uneven = self
        return inserting

    def _gives(self, column: ApiColumn) -> list[bool]:
        """For each object whether it has a value for the column."""
        members = (self._member(column, record) for record in self.objects)
        return [
            member is not None and record[member] is not None
            for member, record in zip(members, self.objects, strict=True)
        ]

    def rows_with_presence(self, columns: Columns, column: ApiColumn) -> FromClause:
        complete = [all(each) for each in zip(*map(self._gives, columns.values()), strict=True)]
        data = [
            (*self._values(record, columns), literal_column("true" if given else "false"))
            for record, given, has_all in zip(self.objects, self._gives(column), complete, strict=True)
            if has_all
        ]
        names: Iterable[ColumnClause[Any]] = (sql_column(name) for name in (*columns, "given"))
        return values(*names, name=self.field.planning.alias("objects")).data(data)

    def _value(self, column: ApiColumn, value: Leaf | None) -> ColumnElement[Any]:
        return assigned(self.field, column, value)

    def _values(self, record: NewRow, columns: Columns) -> list[ColumnElement[Any]]:
        return [self._value(each, record[self._member(each, record) or ""]) for each in columns.values()]

    def gives(self, column: ApiColumn) -> bool:
        return all(self._member(column, record) is not None for record in self.objects)

    def _member(self, column: ApiColumn, record: NewRow) -> str | None:
        return next((name for name in record if self.columns[name].name == column.name), None)

    def rows(self, columns: Columns, position: str) -> FromClause:
        data = [
            (literal_column(str(place)), *self._values(record, columns))
            for place, record in enumerate(self.objects, start=1)
        ]
        names: Iterable[ColumnClause[Any]] = (sql_column(name) for name in (position, *columns))
        return values(*names, name=self.field.planning.alias("objects")).data(data)


@dataclass(frozen=True)
class _OfVariable:
    """Objects that are one variable. Each column is one parameter, an array, so one statement serves any number of
    objects, and their values are not part of the plan.

    With 100 rows of five columns the database takes three quarters of the time that it takes for VALUES (measured).
    """

    field: Field
    relation: ApiRelation
    columns: Columns
    objects: Leaf
    arguments: Mapping[str, Any]

    @property
    def number(self) -> Leaf:
        return self.objects

    def insert(self) -> InsertOfObjects:
        names = [each.name for each in self.columns.values()]
        rows = unnest(*(self._array(name) for name in self.columns)).table_valued(*names)
        rows = rows.render_derived(name=self.field.planning.alias("objects"))
        given = [unnested(self.field, each, rows.c[each.name]) for each in self.columns.values()]
        inserting = InsertOfObjects(self.relation.table).from_select(names, select(*given))
        inserting.given = frozenset(names)
        return inserting

    def _array(self, member: str) -> ColumnElement[Any]:
        return array_for(self.field, self.columns[member], self.objects.of_each(member))

    def gives(self, column: ApiColumn) -> bool:
        return any(each.name == column.name for each in self.columns.values())

    def rows(self, columns: Columns, position: str) -> FromClause:
        members = {each.name: member for member, each in self.columns.items()}
        arrays = (self._array(members[each.name]) for each in columns.values())
        rows = unnest(*arrays).table_valued(*columns, with_ordinality=position)
        return rows.render_derived(name=self.field.planning.alias("objects"))


class _ListedOfVariable(_OfVariable):
    """Objects that are one variable, on a cluster of Citus. Each value is a parameter, so that Citus sends the INSERT
    to the server of the rows; rows of a query it would send there first, and commit in two phases."""

    def insert(self) -> InsertOfObjects:
        rows = [
            {each.name: self._value(member, each, number) for member, each in self.columns.items()}
            for number in range(len(self.objects.raw))
        ]
        inserting = InsertOfObjects(self.relation.table).values(rows)
        inserting.given = frozenset(each.name for each in self.columns.values())
        return inserting

    def _value(self, member: str, column: ApiColumn, number: int) -> ColumnElement[Any]:
        type_text = self.field.api.catalog.type_by_oid[column.column.type].text
        return self.field.planning.bind(self.objects, _TextOfMember(number, member, column.to_text), type_text)


@dataclass(frozen=True)
class _TextOfMember:
    """The text of a member of one object in a list, None if it has none."""

    number: int
    member: str
    to_text: ToText

    def __call__(self, objects: Sequence[Mapping[str, Any]]) -> str | None:
        value = objects[self.number].get(self.member)
        return None if value is None else self.to_text(value)
