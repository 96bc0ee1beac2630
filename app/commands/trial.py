"""Serving without an existing database: an embedded PostgreSQL, a database in it, and keys that are kept."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pg8000.native

from app.embedded import EmbeddedPostgres
from app.embedded.failure import EmbeddedError
from app.embedded.postmaster import SUPERUSER
from app.identity.issuing import Keys, make_keys
from app.installation import install
from app.settings import Settings

DATABASE = "portico"
DEMO_DATABASE = "demo"
KEPT_KEYS = "keys.json"
"""The file below DATA_DIR that keeps the generated keys."""


def start_trial(settings: Settings, database: str = DATABASE) -> tuple[EmbeddedPostgres, Settings]:
    """Join the embedded PostgreSQL and prepare ``database``; gives the settings completed with its URL and keys.

    Raises EmbeddedError or InstallationError.
    """
    cluster = EmbeddedPostgres(Path(settings.data_dir) / "postgres").join()
    try:
        _ensure_database(cluster, database)
        url = cluster.url(database)
        install(url)
        return cluster, replace(with_kept_keys(settings), database_url=url)
    except BaseException:
        cluster.leave()
        raise


def with_kept_keys(settings: Settings) -> Settings:
    """The settings with all three keys; those that are not set are read from beside the data, or generated there."""
    secret = settings.jwt_secret
    keys = make_keys(secret) if secret else _kept_keys(Path(settings.data_dir) / KEPT_KEYS)
    return replace(
        settings,
        jwt_secret=keys.jwt_secret,
        anon_key=settings.anon_key or keys.anon_key,
        service_role_key=settings.service_role_key or keys.service_role_key,
    )


def has_keys(settings: Settings) -> bool:
    """Whether any key is set with which callers can be authenticated."""
    return any((settings.jwt_secret, settings.jwt_jwks, settings.anon_key, settings.service_role_key))


def _kept_keys(path: Path) -> Keys:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        if not path.exists():
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w") as file:
                json.dump(asdict(make_keys()), file, indent=2)
            # Unlike a rename, a link does not replace keys that another process wrote first.
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
        return Keys(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError) as ex:
        raise EmbeddedError(f"the keys in {path} cannot be read or made: {ex}") from None
    finally:
        draft.unlink(missing_ok=True)


def trial_banner(settings: Settings, address: str) -> str:
    """The text that is printed when the service is ready."""
    return (
        f"Portico is ready: {address}/graphql/v1\n"
        f"  anon key (header apiKey): {settings.anon_key}\n"
        f"  database:                 {settings.database_url}"
    )


def database_of(cluster: EmbeddedPostgres) -> str:
    """The database that commands use: the one of `serve`, or else the one with demonstration data."""
    connection = _connect(cluster)
    try:
        names = {row[0] for row in connection.run("select datname from pg_database") or ()}
    finally:
        connection.close()
    return DATABASE if DATABASE in names or DEMO_DATABASE not in names else DEMO_DATABASE


def _ensure_database(cluster: EmbeddedPostgres, name: str) -> None:
    connection = _connect(cluster)
    try:
        # Two services that start at once must not both create it.
        connection.run("select pg_advisory_lock(hashtextextended(:name, 0))", name=name)
        if not connection.run("select from pg_database where datname = :name", name=name):
            connection.run(f"create database {pg8000.native.identifier(name)}")
    finally:
        connection.close()


def _connect(cluster: EmbeddedPostgres) -> pg8000.native.Connection:
    return pg8000.native.Connection(SUPERUSER, unix_sock=cluster.socket_path, database="postgres", ssl_context=False)
