"""What a session must be like, as libpq's ``target_session_attrs``.

Meaning of the words: PostgreSQL documentation, "Parameter Key Words".
"""

from __future__ import annotations

from app.database.wire.wire import DatabaseConnection


class SessionMisfit(ConnectionError):
    """The sessions of a host are not as ``target_session_attrs`` asks."""


SESSION_ATTRS = ("any", "read-write", "read-only", "primary", "standby", "prefer-standby")

_STATE = (
    "SELECT pg_catalog.pg_is_in_recovery()::text, (pg_catalog.current_setting('transaction_read_only') = 'on')::text"
)


def rounds(wanted: str) -> tuple[str, ...]:
    """What to ask of the hosts, one round over all of them after the other."""
    return ("standby", "any") if wanted == "prefer-standby" else (wanted,)


def misfit(connection: DatabaseConnection, wanted: str) -> str | None:
    """How the session on ``connection``, which is in no transaction, differs from ``wanted``, which is one of the words
    except ``any`` and ``prefer-standby``; None if it does not.
    Raises ConnectionLost and StatementError."""
    is_standby, is_read_only = (value == b"true" for value in connection.simple(_STATE)[0][0])
    unlike = {
        "primary": is_standby and "it is a standby",
        "standby": not is_standby and "it is no standby",
        "read-write": is_read_only and "its sessions are read-only",
        "read-only": not is_read_only and "its sessions are read-write",
    }
    return unlike[wanted] or None
