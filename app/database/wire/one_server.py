"""Checks that all statements of a flight reach one server.

A pooler may send reads to replicas and writes to the primary. It takes the statements that set the caller's claims for
writes. Then the query runs on a server without the claims, and policies are evaluated without them. Pgpool-II does this
outside explicit transactions, unless it uses the primary for the whole session ("Load Balancing" in its manual).
"""

from __future__ import annotations

from app.database.wire.failure import StatementError
from app.database.wire.prepared import Step
from app.database.wire.statement import Statement
from app.database.wire.wire import DatabaseConnection

_SESSION = "SELECT pg_catalog.concat(pg_catalog.pg_backend_pid(), ' ', pg_catalog.pg_postmaster_start_time())"
# A pooler distinguishes reads and writes by the functions that they call: random is volatile, as set_config is.
_READS: Step = (Statement(_SESSION, unnamed=True), (), "")
_MAY_WRITE: Step = (Statement(f"{_SESSION}, pg_catalog.random()", unnamed=True), (), "")
# Some poolers choose a server for each statement, so one read is not enough.
_TIMES = 16


class SeveralServers(ConnectionError):
    """The statements of a flight do not reach the same server."""

    def __init__(self) -> None:
        super().__init__("a pooler sends the statements of one transaction to several servers")


def check_one_server(connection: DatabaseConnection, also: Statement) -> tuple[bytes | None, int | None]:
    """Check ``connection``, which is in no transaction. Returns the value that ``also`` selects in the same flight, and
    the process id of the session; both None if the login lacks the right to call a function of these statements.
    Raises SeveralServers and ConnectionLost."""
    try:
        *servers, (value,) = connection.pipeline([_MAY_WRITE, *(_READS for _ in range(_TIMES)), (also, (), "")])
    except StatementError:
        return None, None
    if len({rows[0][0] for rows in servers}) > 1:
        raise SeveralServers
    process, _, _ = (servers[0][0][0] or b"").partition(b" ")
    return value[0], int(process)
