"""Installs, upgrades and removes Portico's objects in a database: each in one transaction, one at a time for each
database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

from app.database.url.url import parse_database_url
from app.database.wire.connect import connect
from app.database.wire.failure import ConnectionLost, StatementError, outcome_unknown
from app.database.wire.sqlstates import INSUFFICIENT_PRIVILEGE, LOCK_NOT_AVAILABLE
from app.database.wire.tls import tls_context
from app.database.wire.wire import DatabaseConnection
from app.errors import PorticoError
from app.installation import scripts
from app.installation.logins import Logins, creation_sql, two_logins, url_of
from app.installation.missing import Problem, problems_in_public, problems_of
from app.installation.public_relations import ClosedRelation, closed_relations_of, opening_sql
from app.installation.state import IS_STANDBY, QueryValue, outdated, read_server, read_state
from app.installation.version import VERSION

# "portico" as eight bytes. Any number works that no other software uses.
_LOCK = int.from_bytes(b"portico\0", "big")

# Short, because requests of the service queue behind this wait.
_LOCK_WAIT_S = 5.0
# The longest wait for another installation to end.
_TURN_WAIT_S = 60.0

# The scripts qualify every name with its schema. No setting of the role or the database may change their effect.
_BEGIN = f"""
begin isolation level read committed read write;
set local search_path = pg_catalog, pg_temp;
set local statement_timeout = 0;
set local idle_in_transaction_session_timeout = 0;
set local row_security = on;
set local standard_conforming_strings = on;
set local check_function_bodies = on;
set local jit = off;
set local lock_timeout = '{_TURN_WAIT_S}s';
select pg_advisory_xact_lock({_LOCK});
"""
_WAIT_FOR_LOCKS = f"set local lock_timeout = '{_LOCK_WAIT_S}s'"

OLDEST_SERVER = 140000
"""The oldest version of PostgreSQL, as ``server_version_num``, that accepts the scripts: older ones have no SQL
function bodies with RETURN."""
_CREATE_SCHEMA = "select has_database_privilege(current_database(), 'create')::text"
_WHO = "select current_user::text"
_WHERE = "select current_database()::text"


Grants = Literal["protected", "none"]
"""The existing relations of schema public on which anon and authenticated get rights: those with row level security, or
none."""


class InstallationError(PorticoError):
    """The installation failed; nothing was changed."""

    code = "INSTALLATION_FAILED"


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an installation, upgrade or removal.

    ``before`` and ``after`` are versions, None if nothing is installed. ``problems`` lists what the database still
    lacks for the API. ``notice`` is for the operator if another version was found and not changed.
    """

    before: str | None
    after: str | None
    by_extension: bool
    problems: tuple[Problem, ...] = ()
    notice: str | None = None


def install(
    database_url: str,
    *,
    version: str = VERSION,
    as_extension: bool | None = None,
    grants_on_public: Grants = "protected",
    opened: Sequence[str] = (),
) -> Report:
    """Install ``version``, or repair it if it is installed. Another version is reported and not changed.

    ``as_extension``: use CREATE EXTENSION; with None it is used if the server has the files and the role is a
    superuser. ``grants_on_public``: see ``Grants``; with "none" service_role gets no rights there either. Only the
    first installation makes these grants. ``opened``: names of ``closed_relations`` on which anon gets the right to
    read, and authenticated to read and write. Raises InstallationError, and Unavailable if the database cannot be
    reached or the connection is lost. Both mean that nothing was changed, except with the code OUTCOME_UNKNOWN.
    """
    with _transaction(database_url) as session:
        read = partial(_value, session)
        _check_server(read)
        state = read_state(read)
        if state.version not in (None, version):
            _open(session, opened)
            other = outdated(state) or f"version {state.version} is installed; `portico upgrade` changes the version"
            if state.owned:
                # graphql.available_extensions reports this as the newest version.
                _run(session, f"update graphql.installation set default_version = '{VERSION}'")  # noqa: S608
            return Report(state.version, state.version, state.by_extension, problems_of(read), other)
        if as_extension is None:
            as_extension = state.superuser and version in state.offered
        if grants_on_public == "none":
            session.simple("set local portico.grant_public = 'off'")
        if as_extension and not state.by_extension:
            _run(session, f"create extension portico version '{_known(version)}'")
        elif state.version is None or state.owned:
            _run(session, scripts.install_script(_known(version)))
        _open(session, opened)
        after = read_state(read)
        problems = problems_of(read)
        if opened or (state.version is None and grants_on_public != "none"):
            problems += problems_in_public(read)
        return Report(state.version, after.version, after.by_extension, problems)


def _open(session: DatabaseConnection, names: Sequence[str]) -> None:
    for name in names:
        _run(session, opening_sql(name))


def closed_relations(database_url: str) -> list[ClosedRelation]:
    """The relations of schema public that anon and authenticated may not read, and that have no row level security.
    Raises InstallationError if ``install`` would refuse the server."""
    with _transaction(database_url) as session:
        read = partial(_value, session)
        _check_server(read)
        return closed_relations_of(read)


def make_logins(database_url: str, name: str, roles: Sequence[str]) -> Logins:
    """Create the two logins of a service: ``name``_api, which may become each of ``roles`` except service_role, and
    ``name``_service. Raises InstallationError, also if one of them exists, since its password is not known."""
    both = two_logins(name, roles)
    with _transaction(database_url) as session:
        for login in both:
            _run(session, creation_sql(partial(_value, session), login))
    return Logins(*(url_of(database_url, login) for login in both))


def upgrade(database_url: str, *, version: str = VERSION) -> Report:
    """Upgrade the installed objects to ``version``, while requests run. Raises what ``install`` raises."""
    with _transaction(database_url) as session:
        read = partial(_value, session)
        state = read_state(read)
        if state.version is None:
            raise InstallationError("Portico is not installed in this database.", hint="Run portico init.")
        if not state.owned:
            raise InstallationError(
                "Portico's objects belong to another role.", hint="Run portico upgrade as their owner."
            )
        path = scripts.upgrade_path(state.version, _known(version))
        if path is None:
            raise InstallationError(f"There is no upgrade from version {state.version} to {version}.")
        if state.by_extension and path:
            if version not in state.offered:
                raise InstallationError(
                    f"The database server does not have the files of version {version} of the extension.",
                    hint="Copy app/installation/sql/portico* of this software into the server's extension directory.",
                )
            _run(session, f"alter extension portico update to '{version}'")
        else:
            for step in path:
                _run(session, scripts.upgrade_script(step))
        # A restored dump may contain an older schema storage, and users may have dropped objects: this repairs both.
        _run(session, scripts.install_script(version))
        after = read_state(read)
        return Report(state.version, after.version, after.by_extension, problems_of(read))


def uninstall(database_url: str) -> Report:
    """Remove Portico's objects, except roles, grants, auth and storage. Raises what ``install`` raises."""
    with _transaction(database_url) as session:
        state = read_state(partial(_value, session))
        if state.by_extension:
            _run(session, "drop extension portico")
        elif state.version is not None:
            _run(session, scripts.uninstall_script())
        return Report(state.version, None, state.by_extension)


def run_script(database_url: str, sql: str) -> None:
    """Run a plugin's SQL statements in one transaction. Raises what ``install`` raises."""
    with _transaction(database_url) as session:
        _run(session, sql)


@contextmanager
def _transaction(database_url: str) -> Iterator[DatabaseConnection]:
    target = parse_database_url(database_url)
    with closing(connect(target, tls_context(target), prepared_limit=0)) as session:
        try:
            _run(session, _BEGIN)
            _run(session, _WAIT_FOR_LOCKS)
            yield session
            _commit(session)
        except ConnectionLost as ex:
            raise ex.explained() from ex


def _commit(session: DatabaseConnection) -> None:
    try:
        _run(session, "commit")
    except ConnectionLost as ex:
        if ex.unapplied:
            raise
        error = outcome_unknown()
        error.hint = "Run the command again: it continues from the current state."
        raise error from ex


def _run(session: DatabaseConnection, sql: str) -> None:
    try:
        session.simple(sql)
    except StatementError as ex:
        # The transaction has failed; the queries about the role need a new one.
        session.simple("rollback")
        if ex.diagnosis.sqlstate == INSUFFICIENT_PRIVILEGE and _value(session, _CREATE_SCHEMA) == b"false":
            who, where = (_value(session, query) or b"" for query in (_WHO, _WHERE))
            raise InstallationError(
                f"The role {who.decode()} may not create schemas in the database {where.decode()}.",
                hint=f'As the owner of the database: grant create on database "{where.decode()}" to "{who.decode()}"',
            ) from ex
        if ex.diagnosis.sqlstate == LOCK_NOT_AVAILABLE:
            raise InstallationError(
                "Other sessions hold locks on Portico's objects for too long; nothing was changed.",
                hint="Run the command again when their transactions have ended. The oldest come first: select pid,"
                " usename, xact_start, query from pg_stat_activity where xact_start is not null order by xact_start",
            ) from ex
        hint = ex.diagnosis.hint or None
        if _value(session, IS_STANDBY) == b"true":
            hint = "The database is a standby: name the primary in DATABASE_URL."
        raise InstallationError(f"The database refused the installation: {ex.diagnosis.message}.", hint=hint) from ex


def _check_server(read: QueryValue) -> None:
    number = read_server(read)
    if number < OLDEST_SERVER:
        raise InstallationError(
            f"Portico's objects need PostgreSQL {OLDEST_SERVER // 10000} or newer; this is PostgreSQL"
            f" {number // 10000}.",
            hint="Nothing was changed. The GraphQL API works without them; the storage API does not.",
        )


def _known(version: str) -> str:
    if version not in scripts.versions():
        raise InstallationError(f"There is no version {version}.", hint=f"There are {', '.join(scripts.versions())}.")
    return version


def _value(session: DatabaseConnection, query: str) -> bytes | None:
    rows = session.simple(query)[-1]
    return rows[0][0] if rows else None
