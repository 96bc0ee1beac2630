"""Whether a session matches ``target_session_attrs``, as in libpq.

The meaning of its values: PostgreSQL documentation, "Parameter Key Words".
"""

from __future__ import annotations

from app.database.wire.wire import DatabaseConnection


class SessionMisfit(ConnectionError):
    """The sessions of a host do not match ``target_session_attrs``."""


SESSION_ATTRS = ("any", "read-write", "read-only", "primary", "standby", "prefer-standby")

_STATE = (
    "SELECT pg_catalog.pg_is_in_recovery()::text, (pg_catalog.current_setting('transaction_read_only') = 'on')::text"
)


def rounds(wanted: str) -> tuple[str, ...]:
    """The values that the hosts must match: all hosts are tried with the first value, then with the next one."""
    return ("standby", "any") if wanted == "prefer-standby" else (wanted,)


def misfit(connection: DatabaseConnection, wanted: str) -> str | None:
    """How the session on ``connection`` differs from ``wanted``; None if it matches. ``connection`` is in no
    transaction. ``wanted`` is one of SESSION_ATTRS except ``any`` and ``prefer-standby``. Raises ConnectionLost and
    StatementError."""
    is_standby, is_read_only = (value == b"true" for value in connection.simple(_STATE)[0][0])
    differences = {
        "primary": is_standby and "it is a standby",
        "standby": not is_standby and "it is not a standby",
        "read-write": is_read_only and "its sessions are read-only",
        "read-only": not is_read_only and "its sessions are read-write",
    }
    return differences[wanted] or None
