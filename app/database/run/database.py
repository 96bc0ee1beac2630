"""The database for the rest of the service: statements for a caller, in one flight or in a longer transaction."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from app.database.pool.pool import Pool, PoolState
from app.database.pool.probe import Probe
from app.database.run.context import Context, first_steps
from app.database.run.flight import Flight, fly
from app.database.run.position import REACHED, Bookmark
from app.database.run.replicas import Replicas
from app.database.run.transaction import Transaction
from app.database.run.transaction_mode import IMPLICIT
from app.database.run.watch import PrimaryWatch
from app.database.url.url import parse_database_url
from app.database.wire.connect import connect, is_at_limit
from app.database.wire.failure import StatementError
from app.database.wire.messages import Row
from app.database.wire.statement import Statement
from app.database.wire.target import DatabaseUrlError, Target
from app.database.wire.tls import tls_context
from app.errors import Unavailable
from app.identity import SERVICE_ROLE
from app.settings import Settings
from schema_cache.fingerprint import BETWEEN_STATEMENTS

BoundStatement = tuple[Statement, Sequence[bytes | None]]
"""A statement and its parameters: text in UTF-8, or None for NULL."""

_CHECK_CONSTRAINTS = Statement("SET CONSTRAINTS ALL IMMEDIATE", "constraints")
"""The first thing that a commit does."""


class Database:
    """One per process, made after forking; shared by its threads. Connects on first use.

    ``replicas`` answer reads whose context has a bookmark. With SERVICE_DATABASE_URL, service_role has its own
    connections with another login, and replicas do not answer it. Everything else uses the login of DATABASE_URL.
    """

    def __init__(self, settings: Settings) -> None:
        if not settings.database_url:
            raise ValueError("no database URL is configured")
        self.target = parse_database_url(settings.database_url)
        limit = settings.prepared_statement_limit if settings.prepared_statements else 0
        tls = tls_context(self.target)
        self._margin_s = settings.database_margin_s
        self._timeout_s = settings.statement_timeout_ms / 1000

        def pool(target: Target, tls: ssl.SSLContext | None) -> Pool:
            return Pool(
                partial(connect, target, tls, prepared_limit=limit),
                size=settings.pool_size,
                timeout_s=settings.pool_timeout_s,
                wanted=target.session_attrs,
            )

        self._pool = self._service_pool = pool(self.target, tls)
        if settings.service_database_url:
            with _named("SERVICE_DATABASE_URL"):
                target = parse_database_url(settings.service_database_url)
                self._service_pool = pool(target, tls_context(target))
        self._probe = Probe(self.target, tls, self._pool.explain)
        watch = PrimaryWatch(self.target, tls, settings.read_max_lag_s)
        with _named("DATABASE_READ_URLS"):
            self.replicas = Replicas(watch, list(map(parse_database_url, settings.database_read_urls)), pool)

    def run(
        self,
        context: Context | None,
        calls: Sequence[BoundStatement],
        *,
        read_only: bool,
        row_limit: int = 0,
        as_service: bool = False,
    ) -> list[list[Row]]:
        """Run ``calls`` for a caller in one round trip and one transaction, all or nothing. Returns the rows of each
        call.

        Values are bytes in PostgreSQL's text format, or None. Without a context they run as the service's login role;
        with ``as_service`` as the login of SERVICE_DATABASE_URL, if there is one.
        ``read_only``: nothing is written, so the calls can be repeated after a lost connection. ``row_limit``: the
        largest row in bytes, 0 for any.

        Raises StatementError (with ``statement_index``: 0 the context, 1 the first call ...) and its subclasses
        StatementTimeout and SchemaOutdated, RoleRefused, Unavailable, RowTooLarge.
        """
        role, mode = ("", IMPLICIT) if context is None else (context.role, context.mode)
        pool = self._service_pool if as_service else self._pool_of(role)
        prelude = (*mode.begin, *first_steps(context, read_only))
        steps = [*[(statement, parameters, role) for statement, parameters in calls], *mode.end]
        bookmark, session = (None, None) if context is None else (context.bookmark, context.session)
        wait_s = self._wait_s(context, len(calls))
        flight = Flight(prelude, steps, read_only, wait_s, row_limit, session=session if read_only else None)
        try:
            rows = fly(pool, flight) if bookmark is None else self._fly_with(bookmark, flight, pool)
            return rows[: len(calls)]
        except StatementError as ex:
            ex.statement_index = max(0, ex.statement_index - len(prelude) + 1)
            raise pool.explain(ex, role or None) from None

    def attempt(
        self, context: Context | None, calls: Sequence[BoundStatement], *, row_limit: int = 0
    ) -> list[list[Row]]:
        """A dry run in one round trip: run ``calls`` as ``run`` does, check deferred constraints, and roll back.
        Returns and raises as ``run`` does."""
        with self.transaction(context) as transaction:
            return transaction.attempt([*calls, (_CHECK_CONSTRAINTS, ())], row_limit=row_limit)[:-1]

    def read(self, sql: str, *, as_service: bool = False) -> bytes | None:
        """The single value that ``sql`` selects, as the service's login role, in one round trip. ``as_service``: as the
        login of SERVICE_DATABASE_URL, if there is one.

        BETWEEN_STATEMENTS separates statements; the last one selects the value. Raises as ``run`` does.
        """
        calls = [(Statement(each, unnamed=True), ()) for each in sql.split(BETWEEN_STATEMENTS)]
        rows = self.run(None, calls, read_only=True, as_service=as_service)[-1]
        return rows[0][0] if rows else None

    def transaction(self, context: Context | None) -> Transaction:
        """A transaction of several round trips, as a context manager that commits at the end, or rolls back."""
        pool = self._pool_of("" if context is None else context.role)
        return Transaction(pool, context, partial(self._wait_s, context))

    def start(self) -> None:
        """Begin to watch the replicas, if there are any; until then the primary answers everything."""
        self.replicas.start()

    def probe(self) -> None:
        """Check that the database answers, on a separate connection. Raises Unavailable within a few seconds."""
        try:
            self._probe.check()
        except Unavailable as ex:
            # At the limit of connections, requests still use the open ones.
            if not is_at_limit(ex.__cause__) or not self._pool.state().open:
                raise

    def share(self, surplus: Callable[[int, int, bool], int]) -> None:
        """Close the number of connections that ``surplus`` returns, for processes to which a server allows none.

        ``surplus`` takes the number of the pool (0 is the primary's, then those of the replicas in the order of their
        URLs, then that of SERVICE_DATABASE_URL), and then the arguments of ``Share``.
        """
        pools = [self._pool, *self.replicas.pools]
        if self.separates_service:
            pools.append(self._service_pool)
        for number, pool in enumerate(pools):
            pool.share(partial(surplus, number))

    @property
    def separates_service(self) -> bool:
        """Whether service_role has its own connections. If so, no transaction can switch between it and another
        role."""
        return self._service_pool is not self._pool

    def pool_state(self) -> PoolState:
        """The state of the primary's pool. If service_role has its own pool, the sum of both."""
        state = self._pool.state()
        return state.plus(self._service_pool.state()) if self.separates_service else state

    def close(self) -> None:
        self.replicas.close()
        self._service_pool.close()
        if self.separates_service:
            self._pool.close()
        self._probe.close()

    def _wait_s(self, context: Context | None, statements: int) -> float:
        """How long the database may send nothing, in seconds; 0 if statements have no timeout. It may send its response
        only after the last statement, and each statement may take its whole timeout."""
        timeout_s = self._timeout_s if context is None else context.statement_timeout_s
        return timeout_s * max(1, statements) + self._margin_s if timeout_s else 0.0

    def _pool_of(self, role: str) -> Pool:
        return self._service_pool if role == SERVICE_ROLE else self._pool

    def _fly_with(self, bookmark: Bookmark, flight: Flight, pool: Pool) -> list[list[Row]]:
        if flight.read_only:
            # The replicas' connections use the login of DATABASE_URL's pool, not that of service_role.
            rows = self.replicas.answer(flight, bookmark, pool) if pool is self._pool else None
            return fly(pool, flight) if rows is None else rows
        bookmark.begin_write()
        rows = fly(pool, flight._replace(then=(REACHED, (), "")))
        bookmark.end_write(rows.pop())
        return rows


@contextmanager
def _named(setting: str) -> Iterator[None]:
    """Make a DatabaseUrlError name the setting."""
    try:
        yield
    except DatabaseUrlError as ex:
        ex.setting = setting
        raise
