"""Errors that Citus passes on from another server, as PostgreSQL itself would report them.

There a table is split into shards, which have its name and a number, and so have the names of their constraints. Of
the fields of an error only state, message, detail, hint and call stack are passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from app.database import REFUSED_BY_POLICY, StatementError
from app.database.wire.sqlstates import (
    CHECK_VIOLATION,
    FEATURE_NOT_SUPPORTED,
    FOREIGN_KEY_VIOLATION,
    INSUFFICIENT_PRIVILEGE,
    NOT_NULL_VIOLATION,
    UNIQUE_VIOLATION,
)
from app.errors import Diagnosis, RequestError
from app.query.plan.refusals import CANNOT_RUN, refused
from schema_cache.model import Catalog

_FROM_WORKER = re.compile(r"\s*^while executing command on \S+:\d+$", re.MULTILINE)
"""The last line of the call stack of such an error."""

_IN_SQL_FUNCTION = re.compile('SQL function "[^"]*" statement')
"""The beginning of the call stack if a function in SQL is not part of another's statement."""

_QUOTED = re.compile('["«“„]([^"«»“”„]+)["»”“]')
_SHARD = re.compile(r"_\d+$")
_ON_SHARD = "cannot execute a distributed query from a query on a shard"
_NO_PLAN = "could not create distributed plan"
_NO_SHARD = "could not find valid entry for shard"
_LIMIT = re.compile(
    "Distributed queries with outer joins and pseudoconstant quals"
    "|Executing a distributed query in a function call that"
    "|cannot execute .* because there was a parallel"
)
"""Messages of Citus, which has them in English alone. ``_NO_SHARD``: the beginning of the one about a change
whose conditions no row can fulfil. ``_LIMIT``: those about its limits that do not have the SQLSTATE for that."""


def as_of_coordinator(error: StatementError, catalog: Catalog) -> StatementError:
    """The error of a statement, with the names of tables and constraints in place of those of shards."""
    where = _FROM_WORKER.sub("", error.diagnosis.where)
    if where == error.diagnosis.where:
        return error
    names = _names(catalog)
    known = replace(
        error.diagnosis,
        message=_without_shards(error.diagnosis.message, names),
        detail=_without_shards(error.diagnosis.detail, names),
        where=where,
    )
    is_row = known.sqlstate == INSUFFICIENT_PRIVILEGE and any(_quoted(known.message, names))
    return StatementError(_located(known, catalog), error.statement_index, REFUSED_BY_POLICY if is_row else "")


def refusal(error: StatementError, *, is_relayed: bool) -> RequestError | None:
    """The error for clients if Citus does not support the statement; None for other errors. ``is_relayed``: another
    server reported it."""
    message, where = error.diagnosis.message, error.diagnosis.where
    if message == _NO_PLAN and not is_relayed and _IN_SQL_FUNCTION.match(where):
        return refused(
            "A function in SQL that this request calls needs rows of several servers, for which Citus has no plan.",
            'Write the function in PL/pgSQL: docs/sharding.md, "What to avoid".',
        )
    if message in (_ON_SHARD, _NO_PLAN):
        return refused(
            "A function that this request calls for each row reads tables that Citus distributes.",
            'Read these rows in a request of their own, or by a relationship: docs/sharding.md, "Refused".',
        )
    if message.startswith(_NO_SHARD):
        return refused(
            "The filter or the policies admit no row, which Citus does not accept in a change.",
            "Leave out conditions that contradict each other, and check the policies of the role.",
        )
    if _LIMIT.match(message):
        return refused(CANNOT_RUN)
    if error.state != FEATURE_NOT_SUPPORTED or where:
        return None
    return refused(CANNOT_RUN)


def _names(catalog: Catalog) -> frozenset[str]:
    """The names of all relations, and of their keys and unique indexes."""
    found: set[str] = set()
    for each in catalog.relations:
        found.add(each.name)
        found.update(key.name for key in each.foreign_keys)
        found.update(index.name for index in each.unique_indexes)
    return frozenset(found)


def _without_shards(text: str, names: frozenset[str]) -> str:
    """The text, with the number of the shard removed from each quoted name that has one."""

    def name(found: re.Match[str]) -> str:
        whole, own = found[0], _SHARD.sub("", found[1])
        is_shard = found[1] not in names and (own in names or _is_constraint(text, found[1], names))
        return whole.replace(found[1], own) if is_shard else whole

    return _QUOTED.sub(name, text)


def _is_constraint(text: str, name: str, names: frozenset[str]) -> bool:
    """Whether a name is that of a shard's constraint which the catalog does not have, such as of a check: the shard
    itself, with the same number, is named too."""
    number = _SHARD.search(name)
    others = (each for each in _QUOTED.findall(text) if each != name)
    return number is not None and any(each.endswith(number[0]) and _SHARD.sub("", each) in names for each in others)


def _quoted(message: str, names: Iterable[str]) -> list[str]:
    return [each for each in _QUOTED.findall(message) if each in names]


def _located(diagnosis: Diagnosis, catalog: Catalog) -> Diagnosis:
    """The diagnosis with the table, the column and the constraint that its message names, in every language."""
    quoted = _QUOTED.findall(diagnosis.message)
    tables = [each for each in quoted if any(relation.name == each for relation in catalog.relations)]
    match diagnosis.sqlstate, quoted:
        case (state, [constraint, *_]) if state == UNIQUE_VIOLATION:
            return replace(diagnosis, constraint=constraint, table=_table_of(constraint, catalog))
        case (state, [_, constraint, *_]) if state == FOREIGN_KEY_VIOLATION and tables:
            # The table with the foreign key is the last one that the message names.
            return replace(diagnosis, constraint=constraint, table=tables[-1])
        case (state, [table, constraint]) if state == CHECK_VIOLATION:
            return replace(diagnosis, constraint=constraint, table=table)
        case (state, [table]) if state == CHECK_VIOLATION:
            # No partition accepts the row.
            return replace(diagnosis, table=table)
        case (state, [column, table]) if state == NOT_NULL_VIOLATION:
            return replace(diagnosis, column=column, table=table)
    return diagnosis


def _table_of(index: str, catalog: Catalog) -> str:
    tables = (each.name for each in catalog.relations if any(own.name == index for own in each.unique_indexes))
    return next(tables, "")
