"""Nested inserts: an insert whose objects have links to related rows, and its response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from graphql import GraphQLInputObjectType
from sqlalchemy import ColumnElement, FromClause, and_, select
from sqlalchemy.dialects.postgresql import Insert

from app.graphql.schema.relations import ApiRelation
from app.graphql.values.values import Leaf
from app.query.plan.row_ids import key_comparisons
from app.query.plan.rows import NamedRows, TableRows
from app.query.plan.walk import Field
from app.query.sql.constructs import builtin, computed_first, unmodified
from app.query.sql.json_texts import json_list
from app.query.write.arbiters import Arbiter
from app.query.write.changes import answer
from app.query.write.inserting import Columns, Inserted
from app.query.write.nested.conflicts import arbiter_of, given_keys
from app.query.write.nested.kept import Kept
from app.query.write.nested.objects import ROOT, BatchesOf
from app.query.write.nested.rows import NestedRows
from app.query.write.nested.statements import Arguments, NestedWriting, left_out, texts_of
from app.query.write.nested.steering import steering_batches
from app.query.write.nested.values import Batch
from app.query.write.new_rows import columns_of, links_of
from app.query.write.one_shard import tenant_of_all, value_of


def nested_insert(field: Field, relation: ApiRelation, type_: GraphQLInputObjectType) -> NestedInsert | None:
    """The nested insert of the argument ``objects``; None if no object has links to related rows."""
    if not links_of(type_.fields):
        return None
    objects = field.whole("objects")
    planned_batches = steering_batches(type_, objects, are_listed=field.planning.cluster is not None)
    return None if planned_batches is None else NestedInsert(field, relation, type_, objects, planned_batches)


class NestedInsert:
    """One nested insert under construction."""

    def __init__(
        self,
        field: Field,
        relation: ApiRelation,
        type_: GraphQLInputObjectType,
        objects: Leaf,
        planned_batches: Sequence[Batch],
    ) -> None:
        read = BatchesOf(type_)
        batches = read(objects.raw)
        self._objects = objects
        self._relation = relation
        self._columns = columns_of(type_.fields)
        tenant = tenant_of_all(field, relation, type_, objects)
        self._value = value_of(tenant, relation)
        self._rows = NestedRows(field, relation, type_, objects.read_by(read), planned_batches, tenant)
        self._rows.check_tenants(objects)
        self._writing = NestedWriting(self._rows, lambda batch: batch.of(batches)[0].arguments)
        self._root = self._rows.batches(ROOT)
        self.arguments: Mapping[str, Any] = field.arguments_without("objects")

    # The protocol Objects, for the objects of the root

    @property
    def number(self) -> int | Leaf:
        raw = self._objects.raw
        return self._objects if self._objects.source.path else len(raw) if isinstance(raw, list) else 1

    def gives(self, column: Any) -> bool:
        members = {name for name, each in self._columns.items() if each.name == column.name}
        return all(members & set(each.members) for each in self._root)

    def rows(self, columns: Columns, position: str) -> FromClause:
        members = {each.name: name for name, each in self._columns.items()}
        arrays = {name: self._rows.array(self._root, members[each.name], each) for name, each in columns.items()}
        return self._rows.unnest({**arrays, position: self._rows.positions(*self._root)}, "objects")

    # The response

    def answer(self, arguments: Arguments) -> ColumnElement[Any]:
        """The response. ``arguments``: the arguments that alter the INSERT of the root's rows."""
        rows, field = self._rows, self._rows.field
        altering = {name: value for name, value in self.arguments.items() if name in arguments and value is not None}
        arbiter = arbiter_of(field.api, arguments, altering)
        has_referring = any(not link.refers for _, link in rows.links_below(ROOT))
        self._writing.write_referred(ROOT)
        named = rows.planning.named_rows(self._relation, "affected")
        affected = Inserted(named, self, self._value)
        if has_referring and not altering:
            affected.refusal = left_out(self._relation, rows.positions(*self._root))
        returned = self._returned(affected, named)
        affected.read_again = partial(self._read_again, affected, returned, arbiter)

        def statement() -> tuple[Sequence[Insert], TableRows]:
            inserting = [self._writing.insert(each, arguments, altering) for each in self._root]
            return inserting, rows.planning.rows_in(self._relation, self._relation.table, self._value)

        response = answer(field, statement, affected)
        if altering and has_referring:
            self._writing.find_root(arbiter)
        else:
            rows.kept[ROOT] = [returned]
        self._writing.write_referring(ROOT)
        return response

    def _returned(self, affected: Inserted, named: NamedRows) -> Kept:
        names = self._rows.handed_on_at(ROOT)
        text = texts_of([named.column(each) for each in names])
        return Kept(affected.hand_on(self._rows.planning, text), tuple(self._root))

    def _read_again(
        self, affected: Inserted, returned: Kept, arbiter: Arbiter | None, field: Field
    ) -> ColumnElement[Any]:
        """The rows of the root as they are after all statements, in the order of their objects."""
        planning = self._rows.planning
        rows = planning.rows_of(self._relation)
        of_value = rows.of_value(self._value)
        with planning.nodes.each_of(affected.most):
            record = field.json(rows)
        comparisons = key_comparisons(field.api.view, self._relation)
        keys = self._rows.keys_of([returned], self._rows.handed_on_at(ROOT))
        values = [
            keys.value(name, unmodified(each.type_text)).label(f"key_{number}")
            for number, (name, each) in enumerate(comparisons)
        ]
        query = select(keys.position.label("position"), *values).select_from(*keys.elements).where(keys.joined)
        found = computed_first(query, planning.alias("found"))
        same = (
            each.equal(rows.column(name), found.c[value.name])
            for (name, each), value in zip(comparisons, values, strict=True)
        )
        source, order = self._ordered(rows, arbiter)
        records = select(json_list(record, order=(*order, found.c.position))).select_from(source, found)
        return records.where(*of_value, *same).scalar_subquery()

    def _ordered(self, rows: TableRows, arbiter: Arbiter | None) -> tuple[FromClause, list[ColumnElement[Any]]]:
        """The rows with the numbers of their objects, to order by. They are needed if several statements insert rows
        and each may skip some, because then the order of the returned rows does not show which objects they are for."""
        given = given_keys(self._rows, self._root, arbiter) if len(self._root) > 1 else None
        if given is None:
            return rows.element, []
        values = [each for each in given.element.c if each is not given.position]
        first = select(builtin.min(given.position).label("position"), *values).group_by(*values)
        given = given.over(first.subquery(self._rows.planning.alias("first")))
        return rows.element.outerjoin(given.element, and_(*given.same(rows))), [given.position]
