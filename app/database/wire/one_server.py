"""Whether one server gets all of a flight.

A pooler that sends reading statements to replicas takes those that set the caller's claims for writes: the query would
run on another server, which knows no claims, so that policies judge it without them. Pgpool-II does so for what is no
explicit transaction ("Load Balancing" in its manual), where it does not choose the primary for all of the session.
"""

from __future__ import annotations

from app.database.wire.failure import StatementError
from app.database.wire.prepared import Step
from app.database.wire.statement import Statement
from app.database.wire.wire import DatabaseConnection

_SESSION = "SELECT pg_catalog.concat(pg_catalog.pg_backend_pid(), ' ', pg_catalog.pg_postmaster_start_time())"
# A pooler tells them apart by the functions that they call: random is volatile, as set_config is.
_READS: Step = (Statement(_SESSION, unnamed=True), (), "")
_MAY_WRITE: Step = (Statement(f"{_SESSION}, pg_catalog.random()", unnamed=True), (), "")
# Some poolers choose for each statement anew.
_TIMES = 16


class Scattered(ConnectionError):
    """The statements of a flight do not reach the same server."""

    def __init__(self) -> None:
        super().__init__("a pooler sends the statements of one transaction to several servers")


def check_one_server(connection: DatabaseConnection, also: Statement) -> bytes | None:
    """The value that ``also`` asks for in the same flight; None if the login may not call the functions of either.
    Raises Scattered, and ConnectionLost. ``connection`` is in no transaction."""
    try:
        *told, (asked,) = connection.pipeline([_MAY_WRITE, *(_READS for _ in range(_TIMES)), (also, (), "")])
    except StatementError:
        return None
    if len({rows[0][0] for rows in told}) > 1:
        raise Scattered
    return asked[0]
