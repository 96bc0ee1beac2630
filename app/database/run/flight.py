"""One flight to one server: when it is sent again, and what happens to a connection that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.database.pool.pool import Pool
from app.database.run.position import is_badly_isolated
from app.database.run.session_context import SessionContext, is_outdated
from app.database.run.transaction_mode import roll_back
from app.database.wire.failure import ConnectionLost, StatementError, outcome_unknown
from app.database.wire.messages import Row
from app.database.wire.prepared import Step
from app.database.wire.session import is_unclean
from app.database.wire.wire import DatabaseConnection


class Flight(NamedTuple):
    """``prelude``: the first steps, whose rows are not returned; the last of them has the session's ``CHECKS``.
    ``calls``: the other steps of the transaction. ``read_only``: the flight can be repeated after a lost connection.
    ``wait_s``: how long the server may send nothing; 0 for no limit. ``row_limit``: the largest row in bytes; 0 for
    any. ``then``: a step after the commit, in the same send, whose rows come last. ``guarded``: the first step is
    ``HAS_REPLAYED``. ``session``: the context to use in place of the prelude if the connection can keep it, since the
    calls cannot change their session."""

    prelude: Sequence[Step]
    calls: Sequence[Step]
    read_only: bool
    wait_s: float
    row_limit: int = 0
    then: Step | None = None
    guarded: bool = False
    session: SessionContext | None = None


def fly(pool: Pool, flight: Flight, *, waits: bool = True) -> list[list[Row]]:
    """Run the flight and return the rows of each call. ``waits``: as for ``Pool.acquire``.

    Raises StatementError, whose index is that of the step, those of the prelude included, Unavailable and RowTooLarge.
    """
    is_repeated, unclean = False, 0
    while True:
        lease = pool.acquire(waits=waits, session=flight.session)
        lease.connection.wait_at_most(flight.wait_s)
        try:
            return _converse(lease.connection, flight)
        except ConnectionLost as ex:
            may_be_repeated = ex.unapplied or (flight.read_only and not ex.answered)
            if not is_repeated and not ex.silent and may_be_repeated:
                is_repeated = True
                continue
            if flight.read_only or ex.unapplied:
                raise ex.explained() from ex
            raise outcome_unknown() from ex
        except StatementError as ex:
            roll_back(lease.connection)
            if not is_repeated and pool.reaches_wrong_server(lease, ex):
                is_repeated = True
                continue
            if is_unclean(ex, len(flight.prelude) - 1) or (flight.guarded and is_badly_isolated(ex)):
                # Each open connection may be in this state, so as many are replaced; a new one is clean.
                lease.connection.usable = False
                unclean += 1
                if unclean <= pool.size:
                    continue
            raise
        finally:
            pool.give_back(lease)


def _converse(connection: DatabaseConnection, flight: Flight) -> list[list[Row]]:
    """The rows of the flight on this connection."""
    session = flight.session
    if session is None or not connection.keeps_contexts:
        return _send(connection, flight, flight.prelude, clean=True)
    if connection.session is session:
        try:
            rows = _send(connection, flight, (session.check,), clean=False)
            connection.session, connection.is_session_reused = session, True
            return rows
        except StatementError as ex:
            if not is_outdated(ex):
                ex.statement_index += len(flight.prelude) - 1
                raise
    rows = _send(connection, flight, session.enter, clean=True)
    connection.session, connection.is_session_reused = session, False
    return rows


def _send(connection: DatabaseConnection, flight: Flight, prelude: Sequence[Step], *, clean: bool) -> list[list[Row]]:
    """The rows of the flight with this prelude. ``clean``: clean the session first. If prepared statements are lost, as
    behind a pooler, all are prepared again: another connection may have lost its own."""
    steps = (*prelude, *flight.calls)

    def send() -> list[list[Row]]:
        return connection.pipeline(
            steps, clean=clean, prelude=len(prelude), row_limit=flight.row_limit, then=flight.then
        )

    try:
        return send()
    except StatementError as ex:
        if not ex.lost_preparation:
            raise
        # Everything is rolled back, so it can be repeated even if it writes.
        roll_back(connection)
        connection.forget_prepared()
        return send()
