"""Serves without an existing database: prepares an embedded PostgreSQL, a database in it, and keys that are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import pg8000.native

from app.embedded.cluster import EmbeddedPostgres
from app.embedded.failure import EmbeddedError
from app.embedded.postmaster import SUPERUSER
from app.identity.issuing import Keys, make_keys
from app.installation.install import install
from app.settings import Settings

DATABASE = "portico"
DEMO_DATABASE = "demo"
LOGIN = "portico_login"
"""The role as which the service connects; its only right is to become the roles of the API."""
KEPT_KEYS = "keys.json"
"""The file in DATA_DIR that keeps the generated keys."""
_NOT_GRANTED = """
select rolname from pg_roles
where rolname = any(cast(:roles as text[])) and not rolsuper and not pg_has_role(:login, oid, 'member')
"""


def start_trial(settings: Settings, database: str = DATABASE) -> tuple[EmbeddedPostgres, Settings]:
    """Join the embedded PostgreSQL and prepare ``database``. Returns the settings, completed with its URL and keys.

    Raises EmbeddedError or InstallationError.
    """
    if settings.service_database_url:
        raise EmbeddedError("SERVICE_DATABASE_URL needs DATABASE_URL")
    cluster = EmbeddedPostgres(Path(settings.data_dir) / "postgres").join()
    try:
        _ensure_database(cluster, database)
        install(cluster.url(database))
        _ensure_login(cluster, database, settings.api_roles)
        return cluster, replace(with_kept_keys(settings), database_url=cluster.url(database, LOGIN))
    except BaseException:
        cluster.leave()
        raise


def with_kept_keys(settings: Settings) -> Settings:
    """The settings with all three keys. Those that are not set are read from KEPT_KEYS, or generated and kept there."""
    secret = settings.jwt_secret
    keys = make_keys(secret) if secret else _kept_keys(Path(settings.data_dir) / KEPT_KEYS)
    return replace(
        settings,
        jwt_secret=keys.jwt_secret,
        anon_key=settings.anon_key or keys.anon_key,
        service_role_key=settings.service_role_key or keys.service_role_key,
    )


def _kept_keys(path: Path) -> Keys:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        if not path.exists():
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w") as file:
                json.dump(asdict(make_keys()), file, indent=2)
            # Unlike a rename, a link does not replace keys that another process wrote first.
            with suppress(FileExistsError):
                os.link(draft, path)
        return Keys(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError) as ex:
        raise EmbeddedError(f"the keys in {path} cannot be read or written: {ex}") from None
    finally:
        draft.unlink(missing_ok=True)


def trial_banner(cluster: EmbeddedPostgres, settings: Settings, address: str) -> str:
    """The text to print when the service is ready; its database URL is that of the owner."""
    return (
        f"Portico is ready: {address}/graphql/v1\n"
        f"  anon key (header apiKey): {settings.anon_key}\n"
        f"  database:                 {cluster.url(DATABASE)}"
    )


def find_database(cluster: EmbeddedPostgres, *, as_owner: bool) -> str:
    """The URL of the database that commands use: that of `serve`, or else that with demonstration data. Its login is
    the owner's with ``as_owner``, otherwise the service's."""
    with closing(_connect(cluster)) as connection:
        names = {row[0] for row in connection.run("select datname from pg_database") or ()}
        # A cluster of an older version has no such role until `serve` runs again.
        has_login = bool(connection.run("select from pg_roles where rolname = :name", name=LOGIN))
    database = DATABASE if DATABASE in names or DEMO_DATABASE not in names else DEMO_DATABASE
    return cluster.url(database, LOGIN if has_login and not as_owner else SUPERUSER)


def _ensure_database(cluster: EmbeddedPostgres, name: str) -> None:
    with _alone(cluster) as connection:
        if not connection.run("select from pg_database where datname = :name", name=name):
            connection.run(f"create database {pg8000.native.identifier(name)}")


def _ensure_login(cluster: EmbeddedPostgres, database: str, roles: Sequence[str]) -> None:
    """Create the role as which the service connects, and let it become each of the existing ``roles``. Also keep
    callers' functions from listing the prepared statements, since callers share connections."""
    with _alone(cluster) as connection, closing(_connect(cluster, database)) as inside:
        inside.run("revoke execute on function pg_catalog.pg_prepared_statement() from public")
        if not connection.run("select from pg_roles where rolname = :name", name=LOGIN):
            connection.run(f"create role {LOGIN} login noinherit")
        for (role,) in connection.run(_NOT_GRANTED, roles=list(roles), login=LOGIN) or ():
            connection.run(f"grant {pg8000.native.identifier(role)} to {LOGIN}")


@contextmanager
def _alone(cluster: EmbeddedPostgres) -> Iterator[pg8000.native.Connection]:
    """A connection of the owner with an exclusive lock, so that services that start together do not both create
    objects."""
    with closing(_connect(cluster)) as connection:
        connection.run("select pg_advisory_lock(hashtextextended('portico trial', 0))")
        yield connection


def _connect(cluster: EmbeddedPostgres, database: str = "postgres") -> pg8000.native.Connection:
    return pg8000.native.Connection(SUPERUSER, unix_sock=cluster.socket_path, database=database, ssl_context=False)
