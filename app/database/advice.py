"""What the operator can do about a connection that could not be opened. Trying again helps in none of these cases."""

from __future__ import annotations

import socket
import ssl

from app.database.connect import ConnectionRefused
from app.database.failure import is_misconfigured

_OF_STATES = {
    "3D000": "Create the database, or correct its name in DATABASE_URL.",
    "28P01": "Correct the user or the password in DATABASE_URL.",
    "28000": "Correct the user in DATABASE_URL, or allow it in pg_hba.conf.",
}
_OF_CAUSES: tuple[tuple[type[OSError], str], ...] = (
    (socket.gaierror, "Correct the host name in DATABASE_URL."),
    (ssl.SSLError, "Correct sslmode, sslrootcert or the certificate in DATABASE_URL."),
    (ConnectionRefusedError, "Start PostgreSQL there, or correct host and port in DATABASE_URL."),
    (FileNotFoundError, "Start PostgreSQL there, or correct the directory of its socket in DATABASE_URL."),
    (PermissionError, "Allow this user to open the socket, or correct its directory in DATABASE_URL."),
    (TimeoutError, "Check the network and firewalls on the way, or correct host and port in DATABASE_URL."),
)


def advice_on(failure: BaseException | None) -> str | None:
    """What to do about the failure that made the database unavailable; None if it may be temporary."""
    if isinstance(failure, ConnectionRefused):
        state = failure.diagnosis.sqlstate
        if state in _OF_STATES:
            return _OF_STATES[state]
        return "Correct DATABASE_URL." if is_misconfigured(state) else None
    while failure is not None:
        for kind, advice in _OF_CAUSES:
            if isinstance(failure, kind):
                return advice
        failure = failure.__cause__
    return None
