"""A transaction that takes several round trips, for work that must see a result before it continues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

from app.database.pool.pool import Lease, Pool
from app.database.run.context import Context, first_steps
from app.database.run.position import REACHED
from app.database.run.transaction_mode import BEGIN, COMMIT, ROLLBACK, roll_back
from app.database.wire.failure import ConnectionLost, StatementError, outcome_unknown, unavailable
from app.database.wire.messages import Row
from app.database.wire.prepared import Step
from app.database.wire.session import is_unclean
from app.database.wire.statement import Statement
from app.errors import PorticoError


class Transaction:
    """A transaction, used in a ``with`` block: it commits at the end, and rolls back if the block raises.

    BEGIN and the context travel with the first statement, so a transaction costs one round trip per ``run`` and one
    for its end. It takes a connection at its first statement. Not shared between threads.
    """

    def __init__(self, pool: Pool, context: Context | None, wait_s: Callable[[int], float]) -> None:
        self._pool = pool
        self._wait_s = wait_s
        self._role = "" if context is None else context.role
        self._bookmark = None if context is None else context.bookmark
        self._pending: list[Step] = [BEGIN, *first_steps(context, read_only=False)]
        self._lease: Lease | None = None
        self._failure: PorticoError | None = None

    def __enter__(self) -> Transaction:
        return self

    def run(self, statement: Statement, parameters: Sequence[bytes | None] = ()) -> list[Row]:
        """Run a statement and return its rows. Raises what ``Database.run`` raises; then nothing can be committed."""
        return self.run_all([(statement, parameters)])[0]

    def run_all(self, calls: Sequence[tuple[Statement, Sequence[bytes | None]]]) -> list[list[Row]]:
        """Run several statements in one round trip and return the rows of each."""
        steps: list[Step] = [(statement, parameters, self._role) for statement, parameters in calls]
        return self._send(steps)

    def attempt(
        self, calls: Sequence[tuple[Statement, Sequence[bytes | None]]], *, row_limit: int = 0
    ) -> list[list[Row]]:
        """A dry run in one round trip: run several statements and roll back. Returns the rows of each.

        This ends the transaction and also rolls back its earlier statements. ``row_limit``: the largest row in bytes,
        0 for any; raises RowTooLarge for a larger one.
        """
        steps: list[Step] = [(statement, parameters, self._role) for statement, parameters in calls]
        rows = self._send([*steps, ROLLBACK], row_limit)[:-1]
        self._let_go()
        return rows

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        lease, self._lease = self._lease, None
        if lease is None:
            return
        try:
            if kind is None and self._failure is None:
                self._commit(lease)
                return
            roll_back(lease.connection)
            if kind is None and self._failure is not None:
                # The block caught the error. To COMMIT the server would respond with a rollback, and no error.
                raise self._failure
        finally:
            self._pool.give_back(lease)

    def _send(self, steps: Sequence[Step], row_limit: int = 0) -> list[list[Row]]:
        first = self._lease is None
        before, self._pending = self._pending, []
        is_repeated, unclean = not first, 0
        while True:
            lease = self._lease = self._lease or self._pool.acquire()
            lease.connection.wait_at_most(self._wait_s(len(steps)))
            try:
                return lease.connection.pipeline(
                    [*before, *steps], clean=first, prelude=len(before), row_limit=row_limit
                )
            except ConnectionLost as ex:
                if is_repeated or ex.silent:
                    raise ex.explained() from ex
                self._let_go()
                is_repeated = True
            except StatementError as ex:
                if first and unclean <= self._pool.size and is_unclean(ex, len(before) - 1):
                    # Each open connection may be in this state, so as many are replaced; a new one is clean.
                    lease.connection.usable = False
                    self._let_go()
                    unclean += 1
                elif not is_repeated and self._pool.reaches_wrong_server(lease, ex):
                    self._let_go()
                    is_repeated = True
                elif ex.lost_preparation and not (is_repeated and ex.has_stale_plan):
                    lease.connection.forget_prepared()
                    if is_repeated:
                        raise unavailable(None, "The database has forgotten a prepared statement.") from ex
                    roll_back(lease.connection)
                    is_repeated = True
                else:
                    ex.statement_index = max(0, ex.statement_index - len(before) + 1)
                    self._failure = self._pool.explain(ex, (self._role or None) if first else None)
                    raise self._failure from None

    def _let_go(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            self._pool.give_back(lease)

    def _commit(self, lease: Lease) -> None:
        bookmark = self._bookmark
        try:
            if bookmark is None:
                lease.connection.pipeline([COMMIT])
            else:
                bookmark.begin_write()
                bookmark.end_write(lease.connection.pipeline([COMMIT], then=(REACHED, (), ""))[-1])
        except ConnectionLost as ex:
            if ex.unapplied:
                raise ex.explained() from ex
            raise outcome_unknown() from ex
        except StatementError as ex:
            raise self._pool.explain(ex, None) from None
