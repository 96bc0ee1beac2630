"""The statements of a nested insert. They write referenced rows before the rows that refer to them.

Each batch of objects is one statement of the flight. It passes the keys of its rows to later statements inside the
database. Policies and triggers of a later statement see the rows of the earlier ones; within a single statement they
would not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import GraphQLArgument
from sqlalchemy import ColumnElement, FromClause, exists, func, literal_column, not_, select, update
from sqlalchemy.dialects.postgresql import Insert, aggregate_order_by

from app.errors import RequestError
from app.graphql.schema.relations import ApiRelation
from app.graphql.values.coercion import coerce
from app.graphql.values.values import Source
from app.query.filter.conditions import narrowed
from app.query.plan.distribution import equal_to
from app.query.plan.rows import TableRows
from app.query.sql.constructs import as_text, builtin, constant, row_count
from app.query.sql.json_texts import json_text
from app.query.write.arbiters import Arbiter
from app.query.write.changes import Rollback
from app.query.write.inserting import InsertOfObjects
from app.query.write.nested.conflicts import arbiter_of, given_keys
from app.query.write.nested.kept import Kept
from app.query.write.nested.objects import ObjectPlace
from app.query.write.nested.rows import NestedRows
from app.query.write.nested.values import Batch, link_at, type_at
from app.query.write.new_rows import HINT, columns_of

Arguments = Mapping[str, GraphQLArgument]


class NestedWriting:
    """Plans the statements for rows below those of the root. ``given_arguments`` returns the INSERT arguments that the
    objects of a batch have."""

    def __init__(self, rows: NestedRows, given_arguments: Callable[[Batch], Mapping[str, Any]]) -> None:
        self._rows = rows
        self._field = rows.field
        self._planning = rows.planning
        self._given_arguments = given_arguments

    def write_referred(self, place: ObjectPlace) -> None:
        """Write, or find, the rows that the rows of a place refer to."""
        for name, link in self._rows.links_below(place):
            if link.refers:
                self._write((*place, name))

    def write_referring(self, place: ObjectPlace) -> None:
        """Write the rows that refer to those of a place, then set the foreign keys of existing rows that are
        connected."""
        for name, link in self._rows.links_below(place):
            if not link.refers:
                self._write((*place, name))

    def _write(self, place: ObjectPlace) -> None:
        self.write_referred(place)
        self._rows.kept[place] = []
        batches = self._rows.batches(place)
        for batch in (each for each in batches if each.sort.key is None):
            self._write_rows(batch)
        connecting = [each for each in batches if each.sort.key is not None]
        for number, batch in enumerate(connecting):
            self._connect(batch, connecting[:number])
        self.write_referring(place)

    def _write_rows(self, batch: Batch) -> None:
        relation, names = self._rows.relation_at(batch.place), self._rows.handed_on_at(batch.place)
        arguments: Arguments = self._field.api.contributed(self._field.api.hooks.insert_arguments.name, relation)
        altering = self._altering(batch, arguments)
        inserting = self.insert(batch, arguments, altering)
        returning = [relation.table.c[each] for each in names] if names and not altering else [_one()]
        rows = inserting.returning(*returning).cte(self._planning.alias(relation.relation.name))
        if not names or altering:
            self._planning.earlier.append(select(row_count()).select_from(rows))
            if names:
                self._find(batch, arbiter_of(self._field.api, arguments, altering))
            return
        positions = self._rows.positions(batch)
        texts = texts_of([rows.c[each] for each in names])
        keys = self._planning.hand_on(texts, left_out(relation, positions).instead_of)
        self._planning.run_before(lambda *columns: select(*columns).select_from(rows), [keys])
        self._rows.kept[batch.place].append(Kept(keys.read, (batch,)))

    def _altering(self, batch: Batch, arguments: Arguments) -> dict[str, Any]:
        """The coerced INSERT arguments of a batch's objects. Their values are part of the plan's key."""
        given, read = self._given_arguments(batch), self._field.walk.variables
        return {name: coerce(arguments[name].type, Source(None, constant=each), read) for name, each in given.items()}

    def insert(self, batch: Batch, arguments: Arguments, altering: Mapping[str, Any]) -> Insert:
        """The INSERT of a batch's rows, altered by the values of arguments."""
        inserting = self._plain_insert(batch)
        for name, value in altering.items():
            inserting = arguments[name].extensions["alter"](self._field, inserting, value)
        return inserting

    def _plain_insert(self, batch: Batch) -> Insert:
        table = self._rows.relation_at(batch.place).table
        if batch.number is not None:
            rows = self._rows.listed(batch)
            # If the rows have only defaults: SELECT has no DEFAULT, but VALUES needs at least one column.
            column, *_ = columns_of(type_at(self._rows.type_, batch.place).fields).values()
            inserting = InsertOfObjects(table).values(
                [each or {column.name: literal_column("DEFAULT")} for each in rows]
            )
            inserting.given = frozenset(rows[0])
            return inserting
        new = self._rows.proposed(batch)
        query = select(*new.values.values()).select_from(*new.elements).where(*new.conditions).order_by(new.position)
        inserting = InsertOfObjects(table).from_select(list(new.values), query)
        inserting.given = frozenset(new.values)
        return inserting

    def find_root(self, arbiter: Arbiter | None) -> None:
        """Find the rows of the root after their INSERT."""
        self._rows.kept[()] = []
        for batch in self._rows.batches(()):
            self._find(batch, arbiter)

    def _find(self, batch: Batch, arbiter: Arbiter | None) -> None:
        """Find the rows of a batch after its INSERT: the inserted ones, and those that conflicted."""
        relation = self._rows.relation_at(batch.place)
        given = given_keys(self._rows, [batch], arbiter)
        if given is None:
            message = f"onConflict of {relation.type_name} needs a constraint of plain columns that every object has"
            raise RequestError(message, code="BAD_USER_INPUT", hint=HINT)
        rows = self._planning.rows_of(relation)
        self._hand_on_found(batch, rows, given.element, given.same(rows), given.position)

    def _hand_on_found(
        self,
        batch: Batch,
        rows: TableRows,
        given: FromClause,
        same: Sequence[ColumnElement[Any]],
        position: ColumnElement[Any],
    ) -> None:
        positions = self._rows.positions(batch)
        key = builtin.json_build_array(*(as_text(rows.column(each)) for each in self._rows.handed_on_at(batch.place)))
        text = as_text(func.coalesce(builtin.json_agg(aggregate_order_by(key, position)), constant("[]")))
        keys = self._planning.hand_on(text, _not_found(rows.relation, positions).instead_of)
        same = [*self._rows.of_tenant(rows), *same]
        self._planning.run_before(
            lambda *columns: select(*columns).select_from(rows.element, given).where(*same), [keys]
        )
        self._rows.kept[batch.place].append(Kept(keys.read, (batch,)))

    def _connect(self, batch: Batch, earlier: Sequence[Batch]) -> None:
        """Connect the rows that a batch of keys identifies: find them if their owners refer to them, otherwise set
        their foreign keys. Rows that one of the ``earlier`` batches of the place has updated are left out; those
        identify rows by another key."""
        link = link_at(self._rows.type_, batch.place)
        rows = self._planning.rows_of(link.relationship.target)
        given, same = self._rows.named(batch, rows)
        same = narrowed(rows, same)
        if link.refers:
            self._hand_on_found(batch, rows, given, same, given.c.position)
            return
        owners = batch.place[:-1]
        keys = self._rows.keys(owners)
        new = {
            target: self._rows.referenced_value(
                keys, owners, source, self._rows.type_text(link.relationship.target, target)
            )
            for source, target in link.relationship.pairs
        }
        distribution = rows.relation.distribution
        if distribution is not None and distribution.column in new and len(new) > 1:
            # Citus moves no row to another value of this column, so only rows that have the value are connected.
            same = [*same, equal_to(rows.column(distribution.column), new.pop(distribution.column))]
        same = [*same, keys.joined, keys.position.op("=")(given.c.owner)]
        same += self._rows.of_tenant(rows)
        same += (not_(self._is_named(each, rows)) for each in earlier)
        changed = update(rows.element).values(new).where(*same).returning(_one())
        changed_rows = changed.cte(self._planning.alias(rows.relation.relation.name))
        done = _not_found(rows.relation, self._rows.positions(batch)).instead_of(json_text(row_count()))
        self._planning.earlier.append(select(done).select_from(changed_rows))

    def _is_named(self, batch: Batch, rows: TableRows) -> ColumnElement[bool]:
        given, same = self._rows.named(batch, rows)
        return exists(select(_one()).select_from(given).where(*same).correlate(rows.element))


def _one() -> ColumnElement[Any]:
    return literal_column("1").label("one")


def texts_of(columns: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """A JSON text with the values of columns of all rows, in the order in which a statement returned them."""
    rows = builtin.json_agg(builtin.json_build_array(*map(as_text, columns)))
    return as_text(func.coalesce(rows, constant("[]")))


def left_out(relation: ApiRelation, positions: ColumnElement[Any]) -> Rollback:
    """The error if a statement inserted fewer rows than it has objects, although other rows refer to them."""
    return _unless_all(f"A new row of {relation.type_name} was left out, and others are to belong to it", positions)


def _not_found(relation: ApiRelation, positions: ColumnElement[Any]) -> Rollback:
    return _unless_all(f"Not every row of {relation.type_name} that is to be connected was found", positions)


def _unless_all(message: str, positions: ColumnElement[Any]) -> Rollback:
    return Rollback(
        row_count() != builtin.cardinality(positions),
        message,
        as_text(row_count()),
    )
