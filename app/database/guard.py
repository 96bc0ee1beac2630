"""A flight whose statements run code of the database's users, guarded against what that does to the session.

A function may change settings of its session: the encoding of what we send, the forms of values, whose rights count.
What was sent after it would be read in another way, and the rest of the same answer printed in another way. So one
statement keeps the settings before the first call, and one after each call fails if they are others: nothing of the
flight stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.database.database import BoundStatement
from app.database.failure import StatementError
from app.database.messages import Row
from app.database.sqlstates import INVALID_TEXT_REPRESENTATION
from app.database.statement import Statement

_WATCHED = (
    "client_encoding", "datestyle", "intervalstyle", "timezone", "extra_float_digits", "bytea_output", "array_nulls",
    "standard_conforming_strings", "xmloption", "xmlbinary", "lc_monetary", "lc_numeric", "lc_time",
    "default_text_search_config", "transform_null_equals", "quote_all_identifiers", "gin_fuzzy_search_limit",
    "search_path", "role", "session_authorization", "row_security", "session_replication_role",
    "default_transaction_read_only", "transaction_read_only", "request.jwt.claims",
)  # fmt: skip
_SECRET = "request.jwt.claims"  # noqa: S105 - it is compared without being told
_KEPT = "portico.session"
_MARK = "portico session: "
_BETWEEN, _THEN = "\x1f", "\x1e"


def _value(name: str) -> str:
    value = f"coalesce(pg_catalog.current_setting('{name}', true), '')"
    return f"pg_catalog.md5({value})" if name == _SECRET else value


_NOW = f"pg_catalog.concat_ws(pg_catalog.chr({ord(_BETWEEN)}), {', '.join(map(_value, _WATCHED))})"
_BEFORE = f"pg_catalog.current_setting('{_KEPT}')"

KEEP = Statement(f"SELECT pg_catalog.octet_length(pg_catalog.set_config('{_KEPT}', {_NOW}, true))", "keep")
_TOLD = f"pg_catalog.concat('{_MARK}', {_BEFORE}, pg_catalog.chr({ord(_THEN)}), now)"
_COMPARED = f"CASE WHEN {_BEFORE} OPERATOR(pg_catalog.=) now THEN 0 ELSE CAST({_TOLD} AS pg_catalog.int4) END"
UNCHANGED = Statement(f"SELECT {_COMPARED} FROM (SELECT {_NOW} AS now) settings", "unchanged")  # noqa: S608


def guarded(calls: Sequence[BoundStatement]) -> list[BoundStatement]:
    """The calls with the statements that guard them."""
    steps: list[BoundStatement] = [(KEEP, ())]
    for call in calls:
        steps += (call, (UNCHANGED, ()))
    return steps


def rows_of_calls(rows: Sequence[list[Row]]) -> list[list[Row]]:
    """The rows of the calls among those of the guarded ones."""
    return list(rows[1::2])


def settings_changed(error: StatementError) -> tuple[str, ...]:
    """The names of the settings that a call changed, for which a guarded flight failed; none if it failed otherwise.
    From then on the error has the index that it would have without the guard."""
    place = error.statement_index - 1
    is_guard = place > 0 and place % 2 == 0
    if place >= 0:
        error.statement_index = max(1, (place + 1) // 2)
    if not is_guard or error.diagnosis.sqlstate != INVALID_TEXT_REPRESENTATION:
        return ()
    told = error.diagnosis.message.partition(_MARK)[2]
    before, _, now = (part.split(_BETWEEN) for part in told.rpartition('"')[0].partition(_THEN))
    return tuple(name for name, *values in zip(_WATCHED, before, now, strict=False) if values[0] != values[1])
