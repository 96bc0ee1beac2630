"""Runs the SQL of a developer: any text, as the login or as a role that it may become."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from app.database.identifiers import quoted
from app.database.url.url import parse_database_url
from app.database.wire.connect import connect
from app.database.wire.described import SqlOutcome, run_described
from app.database.wire.failure import ConnectionLost, RoleRefused, StatementError
from app.database.wire.statement import Statement
from app.database.wire.tls import tls_context
from app.database.wire.wire import DatabaseConnection

_MARGIN_S = 5.0
# PostgreSQL would write statements and values into its log. Only a superuser may turn that off.
_QUIET = Statement(
    "select pg_catalog.set_config(s.name, s.value, false)"
    " from (values ('log_statement', 'none'), ('log_duration', 'off'),"
    " ('log_min_duration_statement', '-1'), ('log_min_error_statement', 'panic'), ('log_min_messages', 'panic'))"
    " s (name, value) where (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user)",
    unnamed=True,
)
_LIMITS = Statement(
    "select pg_catalog.set_config('statement_timeout', $1, false),"
    " pg_catalog.set_config('request.jwt.claims', $2, false)",
    unnamed=True,
)
_ROLES = (
    "select current_user union all (select rolname from pg_catalog.pg_roles where rolname <> current_user"
    " and pg_catalog.pg_has_role(current_user, oid, 'member') and not starts_with(rolname, 'pg_') order by rolname)"
)
_MOST_ROLES = 1000


class SqlConsole:
    """Each text runs in a session of its own, and one transaction unless it begins others.

    The limits: ``timeout_ms``, for each statement, 0 for none; ``row_limit`` rows of each result, and ``byte_limit``
    bytes of all rows. If the login is a superuser, the server logs neither the text nor its errors."""

    def __init__(self, database_url: str, *, timeout_ms: int, row_limit: int, byte_limit: int) -> None:
        self._target = parse_database_url(database_url)
        self._timeout_ms, self._row_limit, self._byte_limit = timeout_ms, row_limit, byte_limit

    def run(self, sql: str, *, role: str | None = None, claims: str = "") -> SqlOutcome:
        """Run ``sql`` as ``role``, or else as the login. ``claims``: a JSON object, for functions such as auth.uid().

        Raises RoleRefused if the login may not become the role, and Unavailable if the database cannot be reached or
        does not answer in time."""
        with self._session() as session:
            session.pipeline([(_QUIET, (), "")])
            session.pipeline([(_LIMITS, (str(self._timeout_ms).encode(), claims.encode()), "")])
            if role is not None:
                _become(session, role)
            return run_described(session, sql, row_limit=self._row_limit, byte_limit=self._byte_limit)

    def roles(self) -> list[str]:
        """The login, and then the roles that it may become."""
        with self._session() as session:
            return [(row[0] or b"").decode() for row in session.simple(_ROLES)[-1][:_MOST_ROLES]]

    @contextmanager
    def _session(self) -> Iterator[DatabaseConnection]:
        with closing(connect(self._target, tls_context(self._target), prepared_limit=0)) as session:
            if self._timeout_ms:
                session.wait_at_most(self._timeout_ms / 1000 + _MARGIN_S)
            try:
                yield session
            except ConnectionLost as ex:
                with suppress(OSError):
                    session.cancel()
                raise ex.explained() from ex


def _become(session: DatabaseConnection, role: str) -> None:
    try:
        session.simple(f"set role {quoted(role)}")
    except StatementError as ex:
        raise RoleRefused(role, ex.diagnosis) from None
