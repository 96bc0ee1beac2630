"""Guards a flight whose statements call functions of the database's users against changes of the session's settings.

A function may change settings of its session, such as the client encoding, the formats of values, or the role. Then
PostgreSQL would read the statements after it, and print the rest of the response, with these settings. So the context
statement saves the settings, and a statement after each call fails if they have changed, which rolls back the flight.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.database.wire.failure import StatementError
from app.database.wire.messages import Row
from app.database.wire.sqlstates import INVALID_TEXT_REPRESENTATION
from app.database.wire.statement import Statement

CallToGuard = tuple[Statement, Sequence[bytes | None]]

_WATCHED = (
    "client_encoding", "datestyle", "intervalstyle", "timezone", "extra_float_digits", "bytea_output", "array_nulls",
    "standard_conforming_strings", "xmloption", "lc_monetary", "default_text_search_config", "transform_null_equals",
    "search_path", "role", "row_security", "session_replication_role",
)  # fmt: skip
_CLAIMS = "request.jwt.claims"
_KEPT = "portico.session"
_MARK = "portico session: "
_BETWEEN, _THEN = "\x1f", "\x1e"

_VALUES = ", ".join(f"pg_catalog.current_setting('{name}')" for name in _WATCHED)
# The claims are compared by their hash, so that no error message contains them.
_NOW = (
    f"pg_catalog.concat_ws(pg_catalog.chr({ord(_BETWEEN)}), {_VALUES},"
    f" pg_catalog.hashtext(pg_catalog.current_setting('{_CLAIMS}', true)))"
)
_BEFORE = f"pg_catalog.current_setting('{_KEPT}')"

KEPT = f"pg_catalog.octet_length(pg_catalog.set_config('{_KEPT}', {_NOW}, true))"
"""The column of the context statement that saves the settings. It comes last."""

_REPORT = f"pg_catalog.concat('{_MARK}', {_BEFORE}, pg_catalog.chr({ord(_THEN)}), now)"
_COMPARED = f"CASE WHEN {_BEFORE} OPERATOR(pg_catalog.=) now THEN 0 ELSE CAST({_REPORT} AS pg_catalog.int4) END"
UNCHANGED = Statement(f"SELECT {_COMPARED} FROM (SELECT {_NOW} AS now) settings", "unchanged")  # noqa: S608


def guarded(calls: Sequence[CallToGuard]) -> list[CallToGuard]:
    """The calls, each followed by its guard statement, for a context that is guarded."""
    return [step for call in calls for step in (call, (UNCHANGED, ()))]


def rows_of_calls(rows: Sequence[list[Row]]) -> list[list[Row]]:
    """The rows of the calls, without those of the guard statements."""
    return list(rows[::2])


def settings_changed(error: StatementError) -> tuple[str, ...]:
    """The names of the settings that a call changed and that made a guarded flight fail; () if it failed otherwise.
    This also sets the error's ``statement_index`` to the index that it would have without the guard."""
    place = error.statement_index
    is_guard = place > 0 and place % 2 == 0
    error.statement_index = (place + 1) // 2
    if not is_guard or error.diagnosis.sqlstate != INVALID_TEXT_REPRESENTATION:
        return ()
    values = error.diagnosis.message.partition(_MARK)[2]
    before, _, now = (part.split(_BETWEEN) for part in values.rpartition('"')[0].partition(_THEN))
    return tuple(name for name, old, new in zip((*_WATCHED, _CLAIMS), before, now, strict=False) if old != new)
