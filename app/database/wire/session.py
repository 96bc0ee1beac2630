"""Cleans a session before each transaction: removes what an earlier request left on the connection.

The service's own statements leave nothing, but a database function may: ``SET`` and ``set_config(..., false)``, SET
ROLE, temporary tables, cursors that outlive their transaction, ``lastval()``, session-level advisory locks. The next
caller on the connection must not see any of it.
"""

from __future__ import annotations

from typing import NamedTuple

from app.database.wire.failure import StatementError
from app.database.wire.pinned import pins_of
from app.database.wire.sqlstates import DIVISION_BY_ZERO
from app.database.wire.statement import Statement

SQL = (
    # Also ends a SET ROLE, so that what follows runs with the service's own rights.
    "SET SESSION AUTHORIZATION DEFAULT",
    "RESET ALL",
    "DISCARD TEMP",
    "CLOSE ALL",
)
"""The commands that clean a session. Looking for cursors in ``CHECKS`` instead of CLOSE ALL would cost 2 us more."""


class Cleaning(NamedTuple):
    """The commands with which each transaction begins: the bytes to send, and the number of commands."""

    message: bytes
    commands: int


def _cleaning(*texts: str) -> Cleaning:
    return Cleaning(b"".join(Statement(sql, unnamed=True).alone for sql in texts), len(texts))


CLEANING = _cleaning(*SQL)
"""The commands as messages of the protocol. DISCARD ALL would do more, but cannot run in a transaction and would drop
the prepared statements.

The statements are unnamed. Under a name they could be replaced: a function may DEALLOCATE any prepared statement of its
session and PREPARE another one with the same name, which would then run with the rights of the service."""


def cleaning_of(state: bytes | None) -> Cleaning:
    """The cleaning for a session in this ``SESSION_STATE``: it also sets the pinned settings that the session lacks."""
    pins = pins_of(state)
    return CLEANING if pins is None else _cleaning(*SQL, pins)


_SAME_AS_DEFAULT = (
    "pg_catalog.current_setting('transaction_{0}') = pg_catalog.current_setting('default_transaction_{0}')"
)
_NOTHING_STAYS = f"""
{_SAME_AS_DEFAULT.format("isolation")} and {_SAME_AS_DEFAULT.format("deferrable")}
and ({_SAME_AS_DEFAULT.format("read_only")} or pg_catalog.pg_is_in_recovery())
"""

CHECKS = f"pg_catalog.pg_advisory_unlock_all(), 1 / ({_NOTHING_STAYS})::int"
"""Columns of the statement after ``CLEANING``. They release advisory locks, and fail if only a new connection helps.

A transaction reads the defaults of its characteristics when it begins, before ``CLEANING`` resets them: a caller who
changed them could make the next caller's transaction read-only. Resetting them in a separate transaction would cost
20 us; this check costs 3 us."""

_OWN_LIMITS = """pg_catalog.num_nulls(
    pg_catalog.set_config('statement_timeout', '5min', true), pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true),
    CASE WHEN pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
      THEN pg_catalog.set_config('transaction_timeout', '0', true) END)"""

CHECK = Statement(f"SELECT {CHECKS}, {_OWN_LIMITS}", "session")
"""The checks as a statement, for the service's own queries. It also lifts the time limits of the database or the login,
which are meant for requests and would keep the service from reading a large catalog."""

DISCARD_SEQUENCES = Statement("DISCARD SEQUENCES", unnamed=True)
"""Runs before a write, so that ``lastval()`` is not the previous caller's. Skipped before reads: it takes 9 us."""


def is_unclean(error: StatementError, check_index: int) -> bool:
    """Whether the error comes from ``CHECKS``, in the step with this index."""
    return error.statement_index == check_index and error.diagnosis.sqlstate == DIVISION_BY_ZERO
