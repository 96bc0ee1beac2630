"""Limits of changes on a cluster of Citus."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement

from app.graphql.schema.relations import ApiRelation
from app.query.plan.refusals import refused
from app.query.plan.rows import NamedRows, Rows
from app.query.plan.walk import Field


def check_changes(field: Field, relation: ApiRelation) -> None:
    """Raise RequestError if Citus changes no rows through a view like this one."""
    if field.planning.cluster is not None and relation.relation.kind == "v" and relation.relation.placement is not None:
        message = (
            f"{relation.type_name} is a view of tables that Citus distributes, and it changes no rows through views."
        )
        raise refused(message, "Change the rows of the table.")


def check_keys(field: Field, relation: ApiRelation, key: Collection[str], changed: Collection[str]) -> None:
    """Raise RequestError if a bulk update of several servers' rows changes columns of the ``key`` by which it finds
    them: Citus would look for rows that are named twice after the change. Changes of the distribution column are
    refused by ``without_moves``."""
    distribution = relation.distribution
    if field.planning.cluster is None or distribution is None or distribution.column in changed:
        return
    if set(key) & set(changed):
        message = f"The keys of rows of {relation.type_name} on several servers would change in one field."
        raise refused(message, "Send a mutation field for each tenant.")


def record_of(field: Field, rows: NamedRows, *, is_insert: bool = False) -> ColumnElement[Any]:
    """The selected fields of changed rows. Raises RequestError if they read the changed relation again, and Citus would
    read it after the change: PostgreSQL reads it as it was before."""
    with field.planning.noting_reads() as reads:
        record = field.json(rows)
    place = rows.relation.relation.placement
    is_earlier = place is not None and (is_insert or place.is_everywhere)
    if field.planning.cluster is not None and is_earlier and rows.relation.relation.oid in reads:
        message = f"The fields of the changed rows lead to {rows.relation.type_name} again."
        raise refused(message, "Read these rows in a request of their own, after the change.")
    return record


def without_moves(
    field: Field, rows: Rows, new: dict[str, ColumnElement[Any]], *, are_same: bool | None = None
) -> dict[str, ColumnElement[Any]]:
    """The new values of ``rows``. With Citus they must not give rows another value in the distribution column, which
    raises RequestError: the rows would have to move to another server. ``are_same``: whether the new values in that
    column are known to be those of the rows; without it they are one parameter, which is compared."""
    distribution, known = rows.relation.distribution, rows.shard.value
    if field.planning.cluster is None or distribution is None or distribution.column not in new:
        return new
    if are_same is None:
        are_same = known is not None and field.planning.same_value(new[distribution.column], known)
    if known is None or not are_same:
        column = rows.relation.by_name[distribution.column].field_name
        message = f"{column} of {rows.relation.type_name} decides which server has a row, and cannot change."
        raise refused(message, "Write the row again with the other value, and remove this one.")
    return {**new, distribution.column: known}
