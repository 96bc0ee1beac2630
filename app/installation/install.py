"""Install, upgrade and remove Portico's objects in a database: one transaction each, one at a time per database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

from app.database.connect import connect
from app.database.failure import ConnectionLost, StatementError, outcome_unknown
from app.database.sqlstates import INSUFFICIENT_PRIVILEGE
from app.database.tls import tls_context
from app.database.url import parse_database_url
from app.database.wire import DatabaseConnection
from app.errors import PorticoError
from app.installation import scripts
from app.installation.state import InstallationState, outdated, read_server, read_state
from app.installation.version import VERSION

# "portico" as eight bytes: any number works that nobody else uses.
_LOCK = int.from_bytes(b"portico\0", "big")

# The scripts qualify every name with its schema. No setting of the role or the database may change what they do.
_BEGIN = f"""
begin isolation level read committed read write;
set local search_path = pg_catalog, pg_temp;
set local statement_timeout = 0;
set local idle_in_transaction_session_timeout = 0;
set local row_security = on;
set local standard_conforming_strings = on;
set local check_function_bodies = on;
select pg_advisory_xact_lock({_LOCK});
"""

OLDEST_SERVER = 140000
"""The first version of PostgreSQL, as ``server_version_num``, that takes the scripts: older ones have no RETURN."""
_CREATE_SCHEMA = "select has_database_privilege(current_database(), 'create')::text"
_IS_STANDBY = "select pg_catalog.pg_is_in_recovery()::text"
_WHO = "select current_user::text"
_WHERE = "select current_database()::text"
_MISSING_EXISTS = """
select (count(*) > 0)::text from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'graphql' and c.relname = 'missing'
"""
_MISSING = "select what, fix from graphql.missing"
_UNPROTECTED = """
select count(*)::text from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.rolname = 'anon'
where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p') and not c.relrowsecurity
  and has_table_privilege(r.oid, c.oid, 'insert')
"""
_WITHOUT_ROW_SECURITY = """
select coalesce(json_agg(format('%I.%I', 'public', c.relname) order by c.relname), '[]')::text
from pg_catalog.pg_class c
where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relrowsecurity
  and not exists (select from unnest(c.reloptions) o (option) where option ~* '^security_invoker=(true|on|yes|1)$')
  and pg_has_role(current_user, c.relowner, 'usage')
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_class'::regclass
                  and d.objid = c.oid and d.deptype = 'e')
  and not exists (select from pg_catalog.pg_roles r
                  where r.rolname in ('anon', 'authenticated') and has_table_privilege(r.oid, c.oid, 'select'))
"""
_PUBLIC_CLOSED = """
select string_agg(r.rolname, ', ' order by r.rolname) from pg_catalog.pg_roles r
where r.rolname in ('anon', 'authenticated', 'service_role')
  and not has_schema_privilege(r.oid, to_regnamespace('public'), 'usage')
"""


Grants = Literal["protected", "all", "none"]
"""On which existing relations of schema public anon and authenticated get rights: those with row level security, all,
none."""


class InstallationError(PorticoError):
    """The installation failed; nothing was changed."""

    code = "INSTALLATION_FAILED"


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing, and who can fix it and how."""

    what: str
    fix: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an installation, upgrade or removal.

    ``before`` and ``after`` are versions, None if nothing is installed. ``lacks`` is what the database lacks now;
    ``notice`` is for the operator if another version was found and left as it is.
    """

    before: str | None
    after: str | None
    by_extension: bool
    lacks: tuple[Lack, ...] = ()
    notice: str | None = None


def install(
    database_url: str,
    *,
    version: str = VERSION,
    as_extension: bool | None = None,
    grants_on_public: Grants = "protected",
) -> Report:
    """Install ``version``, or repair it if it is installed; another version is reported and left as it is.

    ``as_extension``: use CREATE EXTENSION; None means if the server has the files and the role is a superuser.
    ``grants_on_public``: see ``Grants``; with "none" service_role gets no rights there either. The grants are made only
    by the first installation, except that "all" is always carried out. Raises InstallationError, and Unavailable when
    the database cannot be reached or the connection is lost; both mean that nothing was changed, except for the code
    OUTCOME_UNKNOWN.
    """
    with _transaction(database_url) as session:
        _check_server(session)
        state = _state(session)
        if state.version not in (None, version):
            other = outdated(state) or f"version {state.version} is installed; `portico upgrade` changes the version"
            if state.owned:
                # graphql.available_extensions reports this as the newest version.
                _run(session, f"update graphql.installation set default_version = '{VERSION}'")  # noqa: S608
            return Report(state.version, state.version, state.by_extension, _lacks(session), other)
        if as_extension is None:
            as_extension = state.superuser and version in state.offered
        if grants_on_public != "protected":
            wanted = "all" if grants_on_public == "all" else "off"
            session.simple(f"set local portico.grant_public = '{wanted}'")
        if as_extension and not state.by_extension:
            _run(session, f"create extension portico version '{_known(version)}'")
        elif state.version is None or state.owned:
            _run(session, scripts.install_script(_known(version)))
        after = _state(session)
        lacks = _lacks(session)
        if grants_on_public == "all" or (state.version is None and grants_on_public != "none"):
            lacks += _public_lacks(session)
        return Report(state.version, after.version, after.by_extension, lacks)


def unprotected(database_url: str) -> list[str]:
    """The relations of schema public that "protected" leaves closed, as identifiers; none once Portico is installed.
    Raises InstallationError where ``install`` could do nothing."""
    with _transaction(database_url) as session:
        _check_server(session)
        return [] if _state(session).version is not None else _unprotected(session)


def upgrade(database_url: str, *, version: str = VERSION) -> Report:
    """Upgrade what is installed to ``version``, while requests run. Raises what ``install`` raises."""
    with _transaction(database_url) as session:
        state = _state(session)
        if state.version is None:
            raise InstallationError("Nothing of Portico is installed in this database.", hint="Run portico init.")
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
        # A restored dump may contain an older schema storage; the script repairs it, and what else is up to date.
        if not path or state.storage_version not in (None, state.version):
            _run(session, scripts.install_script(version))
        after = _state(session)
        return Report(state.version, after.version, after.by_extension, _lacks(session))


def uninstall(database_url: str) -> Report:
    """Remove Portico's objects, except roles, grants, auth and storage. Raises what ``install`` raises."""
    with _transaction(database_url) as session:
        state = _state(session)
        if state.by_extension:
            _run(session, "drop extension portico")
        elif state.version is not None:
            _run(session, scripts.uninstall_script())
        return Report(state.version, None, state.by_extension)


@contextmanager
def _transaction(database_url: str) -> Iterator[DatabaseConnection]:
    target = parse_database_url(database_url)
    session = connect(target, tls_context(target), prepared_limit=0)
    try:
        _run(session, _BEGIN)
        yield session
        _commit(session)
    except ConnectionLost as ex:
        raise ex.explained() from ex
    finally:
        session.close()


def _commit(session: DatabaseConnection) -> None:
    try:
        _run(session, "commit")
    except ConnectionLost as ex:
        if ex.unapplied:
            raise
        error = outcome_unknown()
        error.hint = "Run the command again: it continues from what it finds."
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
        hint = ex.diagnosis.hint or None
        if _value(session, _IS_STANDBY) == b"true":
            hint = "The database is a standby: name the primary in DATABASE_URL."
        raise InstallationError(f"The database refused the installation: {ex.diagnosis.message}.", hint=hint) from ex


def _check_server(session: DatabaseConnection) -> None:
    number = read_server(partial(_value, session))
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


def _state(session: DatabaseConnection) -> InstallationState:
    return read_state(lambda query: _value(session, query))


def _value(session: DatabaseConnection, query: str) -> bytes | None:
    rows = session.simple(query)[-1]
    return rows[0][0] if rows else None


def _lacks(session: DatabaseConnection) -> tuple[Lack, ...]:
    if _value(session, _MISSING_EXISTS) != b"true":
        return ()
    rows = session.simple(_MISSING)[-1]
    return tuple(Lack((what or b"").decode(), (fix or b"").decode()) for what, fix in rows)


def _public_lacks(session: DatabaseConnection) -> tuple[Lack, ...]:
    lacks = []
    closed = _value(session, _PUBLIC_CLOSED)
    if closed:
        lacks.append(
            Lack(
                f"{closed.decode()} may not use schema public",
                f"as the owner of the schema: grant usage on schema public to {closed.decode()}",
            )
        )
    left_out = _unprotected(session)
    if left_out:
        names = ", ".join(left_out)
        lacks.append(
            Lack(
                f"anon and authenticated have no rights on these relations without row level security: {names}",
                "enable it, write policies, then: grant select, insert, update, delete"
                f" on {names} to anon, authenticated; or open all as they are: portico init --grants-on-public=all",
            )
        )
    open_tables = int(_value(session, _UNPROTECTED) or b"0")
    if open_tables:
        lacks.append(
            Lack(
                f"anon and authenticated may read and write all rows of {open_tables} table(s) in schema public"
                " that have no row level security",
                "enable row level security on them, or revoke rights: docs/database.md",
            )
        )
    return tuple(lacks)


def _unprotected(session: DatabaseConnection) -> list[str]:
    names: list[str] = json.loads(_value(session, _WITHOUT_ROW_SECURITY) or b"[]")
    return names
