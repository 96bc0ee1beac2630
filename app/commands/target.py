"""The database that a command works on: the one in DATABASE_URL, or else the embedded one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.commands.failure import CommandError
from app.embedded import EmbeddedPostgres
from app.plugin_guard import Plugins
from app.settings import Settings, load


@contextmanager
def service_with_database() -> Iterator[tuple[Settings, Plugins]]:
    """The settings with the URL that the service connects with, and the plugins with their settings. If the database is
    the embedded PostgreSQL, it runs during the context."""
    from app.discovery import configure

    settings, plugins = configure()
    with _with_database(settings, as_owner=False) as complete:
        yield complete, plugins


@contextmanager
def settings_with_database() -> Iterator[Settings]:
    """The settings alone; with an embedded PostgreSQL their URL is the owner's, who may install and remove."""
    with _with_database(load(), as_owner=True) as complete:
        yield complete


@contextmanager
def _with_database(settings: Settings, *, as_owner: bool) -> Iterator[Settings]:
    if settings.database_url is not None:
        yield settings
        return
    directory = _embedded(settings)
    if not (directory / "data").exists():
        raise CommandError("set DATABASE_URL, or run `portico serve` once, which creates an embedded PostgreSQL here")
    from app.commands.trial import find_database, with_kept_keys

    with EmbeddedPostgres(directory) as cluster:
        yield replace(with_kept_keys(settings), database_url=find_database(cluster, as_owner=as_owner))


def has_database() -> bool:
    """Whether ``settings_with_database`` would find one."""
    settings = load()
    return settings.database_url is not None or (_embedded(settings) / "data").exists()


def _embedded(settings: Settings) -> Path:
    return Path(settings.data_dir) / "postgres"
