"""update<T>CollectionByKey: updates many rows, each with its own new values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    get_named_type,
)
from sqlalchemy import CTE, ColumnElement, FromClause, Update, and_, case, exists, literal_column, select, update

from app.errors import OverLimit, RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import narrowed
from app.query.plan.rows import Rows, TableRows
from app.query.plan.walk import Field
from app.query.read.keys import KEY, RowKey, key_input_type
from app.query.read.relationship_names import is_unique
from app.query.sql.constructs import as_text, cast_to, row_count, unmodified, unnest
from app.query.sql.texts import ArrayText
from app.query.write.assignments import arguments_of_updates
from app.query.write.changes import Affected, Rollback, answer, response_type
from app.query.write.nested.values import member_at
from app.query.write.on_cluster import check_keys, without_moves
from app.query.write.one_shard import tenant_of_updates, value_of
from app.query.write.unnesting import array_for, unnested

MAX_UPDATES = 10_000
POSITION = "position"

HINT = 'docs/changes.md, "Many rows, each its own values"'


@hookimpl
def features() -> Sequence[str]:
    return ("bulk_updates",)


UPDATE = "KeyedUpdateInput"
"""The suffix of the type name of an update."""


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return (own_name(relation, UPDATE),)


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = (each for each in api.relations if each.takes_changes)
    return Fields(
        50, Deferred({f"update{each.type_name}CollectionByKey": partial(_field, api, each) for each in relations})
    )


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    key, values = key_input_type(api, relation), arguments_of_updates(api, relation).get("set")
    if key is None or values is None:
        return None
    set_: Any = get_named_type(values.type)
    members = {"key": GraphQLInputField(GraphQLNonNull(key)), "set": GraphQLInputField(GraphQLNonNull(set_))}
    type_ = api.named(
        api.own_type_name(*own_name(relation, UPDATE)), lambda name: GraphQLInputObjectType(name, members)
    )

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        updates = field.whole("updates")
        # The parts of a literal steer by their structure anyway, so only a variable needs a key function.
        shape = shape_of(updates.steer(shape_of) if updates.source.path else updates.raw)
        named: RowKey = key.fields[shape.member].extensions[KEY]
        columns = {name: each.extensions["column"] for name, each in set_.fields.items()}
        return BulkUpdate(field, relation, named, columns, updates, shape).answer()

    return GraphQLField(
        GraphQLNonNull(response_type(api, relation, "Update")),
        {
            "updates": GraphQLArgument(
                GraphQLNonNull(GraphQLList(GraphQLNonNull(type_))),
                description="The new values of each row; the keys all name the same member",
            )
        },
        resolve,
        description=f"Changes rows of `{relation.type_name}`, each by its key",
    )


@dataclass(frozen=True)
class UpdatesShape:
    """The shape of a list of updates. ``member``: the member of the key input that all of them use. ``parts``: the sets
    of columns in the values of that member. ``values``: the names in their ``set``, each with whether all updates have
    it."""

    member: str
    parts: frozenset[tuple[str, ...]]
    values: tuple[tuple[str, bool], ...]


def shape_of(updates: Any) -> UpdatesShape:
    """The shape of the argument ``updates``, which is all that the SQL depends on. Raises RequestError for malformed
    updates, since the values of a variable are read here before they are validated, and OverLimit for too many."""
    items = _items(updates)
    if not items:
        raise _refused("At least one update must be provided to updates")
    if len(items) > MAX_UPDATES:
        raise OverLimit(f"updates has more than {MAX_UPDATES} rows")
    keys = {_key_shape(each) for each in items}
    members = sorted({member for member, _ in keys})
    if len(members) > 1:
        raise _refused(f"The keys of updates name different members: {', '.join(members)}")
    given = sorted({name for each in items for name in each["set"]})
    if not given:
        raise _refused("At least one mapping must be provided to set")
    values = tuple((name, all(name in each["set"] for each in items)) for name in given)
    return UpdatesShape(members[0], frozenset(parts for _, parts in keys), values)


def _key_shape(update: Any) -> tuple[str, tuple[str, ...]]:
    """The member of the key input that an update uses, and the columns in its value. Raises RequestError for a
    malformed update."""
    if not isinstance(update, dict) or update.keys() != {"key", "set"} or not isinstance(update["set"], dict):
        raise _refused("Expected updates of the form {key: {...}, set: {...}}")
    key = update["key"]
    if not isinstance(key, dict) or len(key) != 1:
        raise _refused("Expected a key that names one member")
    ((member, value),) = key.items()
    parts = value if isinstance(value, dict) else {member: value}
    if None in parts.values():
        raise _refused("Expected a key without null")
    return member, tuple(sorted(parts))


def _items(updates: Any) -> list[Any]:
    return updates if isinstance(updates, list) else [updates]


def _refused(message: str) -> RequestError:
    return RequestError(message, code="BAD_USER_INPUT", hint=HINT)


@dataclass(frozen=True)
class Within:
    """Converts a list of updates to the text of a list with their values at ``path``, null for an update without
    one."""

    path: tuple[str, ...]
    to_text: ToText

    def __call__(self, updates: list[Any]) -> str | None:
        return self.to_text([member_at(each, self.path) for each in updates])


@dataclass(frozen=True)
class Has:
    """Converts a list of updates to the text of an array of booleans: for each update whether it sets ``name``."""

    name: str

    def __call__(self, updates: list[Any]) -> str:
        return "{" + ",".join("t" if self.name in each["set"] else "f" for each in updates) + "}"


@dataclass(frozen=True)
class BulkUpdate:
    """One bulk update under construction. ``updates``: the value of the argument, with its ``shape``."""

    field: Field
    relation: ApiRelation
    key: RowKey
    columns: Mapping[str, ApiColumn]
    updates: Leaf
    shape: UpdatesShape

    def answer(self) -> ColumnElement[Any]:
        """The response."""
        given = self._given()
        rows = self.field.planning.rows_of(self.relation)
        value = value_of(tenant_of_updates(self.field, self.relation, self.updates), self.relation)
        if value is None:
            changed = [self.columns[name].name for name, _ in self.shape.values]
            check_keys(self.field, self.relation, [part.column for part in self.key], changed)
        affected = self.field.planning.named_rows(self.relation, "affected")
        position = affected.computed(POSITION, lambda source: given.c[POSITION])
        twice = Rollback(self._names_a_row_twice(given, value), self._twice(), as_text(row_count()))

        def statement() -> tuple[Sequence[Update], TableRows]:
            new = {
                self.columns[name].name: self._new_value(given, rows, number, everywhere=everywhere)
                for number, (name, everywhere) in enumerate(self.shape.values)
            }
            where = narrowed(rows, [*rows.of_value(value), self._is_row(given, rows)])
            staying = without_moves(self.field, rows, new, are_same=value is not None)
            return [update(rows.element).values(staying).where(*where)], rows

        number = self.updates if self.updates.source.path else len(_items(self.updates.raw))
        return answer(self.field, statement, Affected(affected, number, twice, position))

    def _given(self) -> CTE:
        """A common table expression with a row for each update: its key, its values, and which values it has."""
        planning, updates = self.field.planning, self.updates.read_by(_items)
        arrays: dict[str, ColumnElement[Any]] = {}
        for number, part in enumerate(self.key):
            path = ("key", self.shape.member, *((part.member,) if part.member else ()))
            arrays[f"key_{number}"] = planning.bind(updates, Within(path, ArrayText(part.to_text)), "text[]")
        for number, (name, everywhere) in enumerate(self.shape.values):
            within = partial(Within, ("set", name))
            arrays[f"value_{number}"] = array_for(
                self.field, self.columns[name], updates, within, has_gaps=not everywhere
            )
            if not everywhere:
                arrays[f"has_{number}"] = planning.bind(updates, Has(name), "boolean[]")
        rows = unnest(*arrays.values()).table_valued(*arrays, with_ordinality=POSITION)
        rows = rows.render_derived(name=planning.alias("given"))
        # PostgreSQL materializes the CTE because it is read twice, so the casts are computed before the comparison, as
        # by ``computed_first``.
        computed = {
            name: cast_to(rows.c[name], unmodified(part.comparison.type_text))
            for name, part in ((f"key_{number}", part) for number, part in enumerate(self.key))
        }
        if planning.cluster is not None:
            # Citus accepts no stable function in SET, and the casts of arrays and rows are stable.
            computed |= {f"value_{number}": self._value(rows, number) for number in range(len(self.shape.values))}
        columns = (computed[each.name].label(each.name) if each.name in computed else each for each in rows.c)
        return select(*columns).cte(planning.alias("updates"))

    def _value(self, rows: FromClause, number: int) -> ColumnElement[Any]:
        """The new value of a column in the row for an update."""
        name, everywhere = self.shape.values[number]
        return unnested(self.field, self.columns[name], rows.c[f"value_{number}"], has_gaps=not everywhere)

    def _is_row(self, given: CTE, rows: Rows) -> ColumnElement[Any]:
        return and_(
            *(
                part.comparison.equal(rows.column(part.column), given.c[f"key_{number}"])
                for number, part in enumerate(self.key)
            )
        )

    def _new_value(self, given: CTE, rows: Rows, number: int, *, everywhere: bool) -> ColumnElement[Any]:
        column = self.columns[self.shape.values[number][0]]
        is_computed = self.field.planning.cluster is not None
        value = given.c[f"value_{number}"] if is_computed else self._value(given, number)
        return value if everywhere else case((given.c[f"has_{number}"], value), else_=rows.column(column.name))

    def _twice(self) -> str:
        is_declared = not is_unique(self.relation.relation, [part.column for part in self.key])
        several = f", or the declared key of {self.relation.type_name} is not unique" if is_declared else ""
        return f"updates names a row twice{several}"

    def _names_a_row_twice(self, given: CTE, value: ColumnElement[Any] | None) -> ColumnElement[Any]:
        rows = self.field.planning.rows_of(self.relation)
        key = [rows.column(part.column) for part in self.key]
        one: ColumnElement[Any] = literal_column("1")
        found = select(one).select_from(given.join(rows.element, self._is_row(given, rows)))
        if self.field.planning.cluster is not None:
            found = found.where(*narrowed(rows, rows.of_value(value)))
        return exists(found.group_by(*key).having(row_count() > one).correlate(None))
