"""A context that stays on its connection, so that the next request of the same caller sends its data statement alone.

Usually the context is local to a transaction, and each flight first cleans the session: that is two thirds of what
PostgreSQL spends on a request for one row. A flight that cannot change its session (``schema_cache.effects``) leaves it
as clean as it was. So its context may be set for the session, and it stays valid for this caller until

* the schema changes: then the proof that the flight changes nothing may not hold any more, even for a flight that was
  under way. Each flight compares the version before its data statement;
* the login loses the role, or the role is renamed or dropped, which the version does not count: each flight checks
  that too;
* something else uses the connection (``app.database.wire.wire.DatabaseConnection.pipeline``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.database.wire.failure import StatementError
from app.database.wire.prepared import Step, encode_parameters
from app.database.wire.statement import Statement

SettingValue = tuple[str, str]

# PostgreSQL 16 divided membership: SET ROLE needs its option SET.
_MEMBERSHIP = (
    "CASE WHEN pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog.>=) 160000"
    " THEN 'SET' ELSE 'MEMBER' END"
)
_IS_VALID = (
    "pg_catalog.sum(c.changes)::pg_catalog.int8 OPERATOR(pg_catalog.=) $1"
    " AND CURRENT_USER OPERATOR(pg_catalog.=) $2::pg_catalog.name"
    f" AND pg_catalog.pg_has_role(SESSION_USER, CURRENT_USER, {_MEMBERSHIP})"
)
# Not graphql.assert_schema_version, which costs 6 us more: entering the context again calls it. An empty table has no
# version, and the result of a division by null is no error.
_CHECK = Statement(
    f"SELECT 1 / (({_IS_VALID}) IS TRUE)::pg_catalog.int4 FROM graphql.schema_change c",  # noqa: S608
    "still_valid",
)

_NOT_FOR_SESSIONS = ("idle_session_timeout", "default_transaction_", "transaction_")
"""How the names of settings begin that affect more than the statements of a flight: idle sessions, or the next
transaction."""


_CANCELED = "57"
"""The class of the SQLSTATEs of statements that were canceled, and of sessions that were ended."""


class SessionContext(NamedTuple):
    """``enter``: the steps that set the context in a clean session. ``check``: the step that comes first in a flight
    whose session has the context already, and fails if that is not valid any more. Compared by identity."""

    enter: tuple[Step, ...]
    check: Step


def check_step(role: bytes, schema_version: int) -> Step:
    """The step that checks a session context of this role and schema version."""
    return _CHECK, encode_parameters((b"%d" % schema_version, role)), ""


def may_stay(settings: Sequence[SettingValue]) -> bool:
    """Whether these settings of a role may be set for a session."""
    return not any(name.lower().startswith(_NOT_FOR_SESSIONS) for name, _ in settings)


def is_outdated(error: StatementError) -> bool:
    """Whether the error of a flight comes from its ``check``, so that its context must be entered again. The check also
    fails if the role is dropped, or may not read the version any more."""
    return error.statement_index == 0 and not error.diagnosis.sqlstate.startswith(_CANCELED)
