"""Shared by insert, update and delete: the affected rows as the scope of the response's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLDefaultInput,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
)
from sqlalchemy import CTE, ColumnElement, Select, case, select, union_all
from sqlalchemy.sql.dml import UpdateBase

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import unknown_field_in
from app.graphql.schema.relations import ApiRelation
from app.graphql.values.values import Leaf
from app.query.plan.handing_on import HandedOn
from app.query.plan.planning import Planning
from app.query.plan.rows import NamedRows, Rows
from app.query.plan.walk import Field
from app.query.read.keys import only
from app.query.sql.constructs import as_text, cast_to, constant, fail_with, one_row, row_count
from app.query.sql.json_texts import json_list, json_object
from app.query.sql.texts import integer_text
from app.query.write.on_cluster import check_changes, record_of

AT_MOST = 1
"""The most rows that an update or delete may affect unless the request says otherwise."""

AT_MOST_HINT = 'Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".'


@dataclass(frozen=True)
class Rollback:
    """A reason to roll back a change as a whole. ``when``: a condition on all affected rows. ``message`` and ``hint``:
    the error for the client. ``because``: a text that is known only when the statement runs (see ``fail_with``)."""

    when: ColumnElement[Any]
    message: str
    because: ColumnElement[Any]
    hint: str | None = None

    def instead_of(self, response: ColumnElement[Any]) -> ColumnElement[Any]:
        """``response``, or the error if the condition is true."""
        return case((self.when, fail_with(self.message, self.because, self.hint)), else_=response)


AFTERWARDS = "afterwards"
"""The extension of a response's field that needs a second statement, which runs in the same transaction and sees the
change: a function from the scope to whether the field needs one."""


class Affected:
    """The scope of a response: the ``rows`` that a statement changed. ``most``: the largest number of them.
    ``refusal``: a reason to roll back. ``order``: their order, if it is not the one in which the statement returns
    them. ``is_insert``: they are new rows. ``read_again``: makes the JSON array of the rows as they are after all
    statements, for a change in which later statements may change the rows again."""

    def __init__(
        self,
        rows: NamedRows,
        most: int | Leaf,
        refusal: Rollback | None = None,
        order: ColumnElement[Any] | None = None,
    ) -> None:
        rows.shard.is_result = True
        self.rows = rows
        self.most = most
        self.refusal = refusal
        self.order = order
        self.is_insert = False
        self.handed_on: list[HandedOn] = []
        self.read_again: Callable[[Field], ColumnElement[Any]] | None = None

    def hand_on(self, planning: Planning, text: ColumnElement[Any]) -> ColumnElement[Any]:
        """Pass a text, computed from all rows, to the fields with the extension AFTERWARDS; returns the expression that
        they read."""
        handed_on = planning.hand_on(text)
        self.handed_on.append(handed_on)
        return handed_on.read


def response_type(
    api: ApiSchema, relation: ApiRelation, verb: str, others: Mapping[str, GraphQLField] | None = None
) -> GraphQLObjectType:
    """The response of the mutation ``verb`` (Insert, Update, Delete): the number of affected rows, the rows, and the
    fields ``others``."""
    records = GraphQLNonNull(GraphQLList(GraphQLNonNull(api.object_type(relation))))
    fields = {
        "affectedCount": GraphQLField(
            GraphQLNonNull(GraphQLInt), resolve=_count, description="How many rows were affected"
        ),
        "records": GraphQLField(
            records,
            resolve=_records,
            description="The affected rows",
            extensions={AFTERWARDS: lambda affected: affected.read_again is not None},
        ),
    }
    fields |= {name: each for name, each in (others or {}).items() if name not in fields}
    return api.named(
        f"{relation.type_name}{verb}Response",
        lambda name: GraphQLObjectType(name, fields, extensions=unknown_field_in(verb.lower())),
    )


def _count(field: Field, affected: Affected) -> ColumnElement[Any]:
    return row_count()


def _records(field: Field, affected: Affected) -> ColumnElement[Any]:
    if affected.read_again is not None:
        return affected.read_again(field)
    with field.planning.nodes.each_of(affected.most):
        record = record_of(field, affected.rows, is_insert=affected.is_insert)
    return json_list(record, order=() if affected.order is None else (affected.order,))


def answer(
    field: Field, statement: Callable[[], tuple[Sequence[UpdateBase], Rows]], affected: Affected
) -> ColumnElement[Any]:
    """The response's selected fields as one JSON object. ``statement`` makes the data-modifying statements, usually
    one, and the rows that they work on."""
    check_changes(field, affected.rows.relation)
    type_ = cast(GraphQLObjectType, field.type)
    members = field.walk.members(type_, field.nodes, affected)
    later = {key for key, nodes in field.walk.collect(type_, field.nodes).items() if _is_later(type_, nodes, affected)}
    response = json_object([(key, expression) for key, expression in members if key not in later])
    if affected.refusal is not None:
        response = affected.refusal.instead_of(response)
    changed = _changed(field, *statement(), affected.rows)

    def query(*columns: ColumnElement[Any]) -> Select[Any]:
        return one_row(select(*columns).select_from(affected.rows.element)).add_cte(changed)

    if not later and not affected.handed_on:
        return query(response).scalar_subquery()
    answered = field.planning.hand_on(response)
    field.planning.run_before(query, [answered, *affected.handed_on])
    earlier = cast_to(answered.read, "json")
    return json_object(
        [(key, expression if key in later else earlier.op("->")(constant(key))) for key, expression in members]
    )


def _changed(field: Field, changing: Sequence[UpdateBase], changing_rows: Rows, rows: NamedRows) -> CTE:
    """The common table expression of ``rows``, with the rows that the statements return."""
    returning = [each.returning(*rows.provided_by(changing_rows)) for each in changing]
    if len(returning) == 1:
        return returning[0].cte(rows.name)
    parts = [each.cte(field.planning.alias(rows.relation.relation.name)) for each in returning]
    return union_all(*(select(each) for each in parts)).cte(rows.name)


def _is_later(type_: GraphQLObjectType, nodes: Sequence[FieldNode], affected: Affected) -> bool:
    made = type_.fields.get(nodes[0].name.value)
    is_afterwards = made.extensions.get(AFTERWARDS) if made else None
    return is_afterwards is not None and is_afterwards(affected)


def changed_row(
    field: Field, relation: ApiRelation, key: Sequence[str], statement: Callable[[], tuple[UpdateBase, Rows]]
) -> ColumnElement[Any]:
    """The one row that ``statement`` finds by a key of these columns and changes; null if there is none."""
    affected = field.planning.named_rows(relation, "affected")
    affected.shard.is_result = True
    check_changes(field, relation)
    with field.planning.nodes.each_of(1):
        row = only(affected, key, record_of(field, affected))
    changing, changing_rows = statement()
    changed = changing.returning(*affected.provided_by(changing_rows)).cte(affected.name)
    return select(row).select_from(affected.element).add_cte(changed).scalar_subquery()


def at_most_argument() -> GraphQLArgument:
    """The argument of updates and deletes with the largest number of rows that they may affect."""
    return GraphQLArgument(
        GraphQLNonNull(GraphQLInt),
        default=GraphQLDefaultInput(AT_MOST),
        description="The most rows that may be affected; more are an error, and nothing is changed",
        extensions={"takes_null": True},
    )


def affected_at_most(field: Field, relation: ApiRelation, verb: str) -> Affected:
    """The rows that the mutation ``verb`` affects, at most as many as its argument ``atMost``."""
    leaf: Leaf | None = field.arguments.get("atMost")
    too_many = row_count() > _at_most(field)
    refusal = Rollback(too_many, f"{verb} impacts too many records", as_text(row_count()), AT_MOST_HINT)
    return Affected(field.planning.named_rows(relation, "affected"), AT_MOST if leaf is None else leaf, refusal)


def _at_most(field: Field) -> ColumnElement[Any]:
    """The argument ``atMost``, 1 without it.

    In a dialect without validation it is 1 also if the argument is null or no integer, as in pg_graphql.
    """
    validates = field.api.dialect.validates
    leaf: Leaf | None = field.arguments.get("atMost")
    if leaf is not None:
        return field.planning.bind(leaf, _at_most_text if validates else _readable_at_most_text, "bigint")
    if validates and "atMost" in field.arguments:
        raise RequestError("Invalid input for NonNull type", hint=AT_MOST_HINT)
    return cast_to(constant(str(AT_MOST)), "bigint")


def _readable_at_most_text(value: Any) -> str | None:
    return _at_most_text(value if isinstance(value, int) and not isinstance(value, bool) else AT_MOST)


def _at_most_text(value: Any) -> str | None:
    text = integer_text(value)
    if text is not None and text.startswith("-"):
        raise RequestError("`atMost` must be an unsigned integer", code="BAD_USER_INPUT", hint=AT_MOST_HINT)
    return text
