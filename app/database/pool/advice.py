"""Advice for the operator about a connection that could not be opened, for failures that a retry does not repair."""

from __future__ import annotations

import socket
import ssl

from app.database.wire.connect import ConnectionRefused, NoHost
from app.database.wire.failure import is_misconfigured
from app.database.wire.one_server import SeveralServers
from app.database.wire.session_attrs import SessionMisfit
from app.database.wire.tls import TlsRefused

_ADVICE_BY_SQLSTATE = {
    "3D000": "Create the database, or correct its name in DATABASE_URL.",
    "28P01": "Correct the user or the password in DATABASE_URL.",
    "28000": "Correct the user, sslmode or sslcert in DATABASE_URL, or allow the connection in pg_hba.conf.",
    "42501": "Grant the user CONNECT on the database, or correct the names in DATABASE_URL.",
    "53300": "Allow more connections, or lower POOL_SIZE, the number of connections of each worker.",
    "F0000": "Correct the configuration of the server.",
    # Older versions of PgBouncer send no other code.
    "08P01": "Correct user, password or database in DATABASE_URL or in the pooler's configuration.",
}
_ADVICE_BY_EXCEPTION: tuple[tuple[type[OSError], str], ...] = (
    (socket.gaierror, "Correct the host name in DATABASE_URL."),
    (TlsRefused, "Set ssl = on at the server, or correct sslmode in DATABASE_URL."),
    (
        SessionMisfit,
        "Name a server that matches target_session_attrs, or correct target_session_attrs in DATABASE_URL.",
    ),
    (
        SeveralServers,
        "Have the pooler send all statements of this database to the primary (Pgpool-II: load_balance_mode = off, or"
        " database_redirect_preference_list); DATABASE_READ_URLS names replicas.",
    ),
    (ssl.SSLError, "Correct sslmode, sslrootcert or the certificate in DATABASE_URL."),
    (ConnectionRefusedError, "Start PostgreSQL there, or correct host and port in DATABASE_URL."),
    (FileNotFoundError, "Start PostgreSQL there, or correct the directory of its socket in DATABASE_URL."),
    (PermissionError, "Allow this user to open the socket, or correct its directory in DATABASE_URL."),
    (TimeoutError, "Check the network and firewalls on the way, or correct host and port in DATABASE_URL."),
)


def advice_on(failure: BaseException | None) -> str | None:
    """How to correct the failure that made the database unavailable; None if it may be temporary."""
    if isinstance(failure, NoHost):
        distinct = dict.fromkeys(filter(None, map(advice_on, failure.failures)))
        return " ".join(distinct) or None
    if isinstance(failure, ConnectionRefused):
        state = failure.diagnosis.sqlstate
        if state in _ADVICE_BY_SQLSTATE:
            return _ADVICE_BY_SQLSTATE[state]
        return "Correct DATABASE_URL." if is_misconfigured(state) else None
    while failure is not None:
        for kind, advice in _ADVICE_BY_EXCEPTION:
            if isinstance(failure, kind):
                return advice
        failure = failure.__cause__
    return None
