"""The database that a command uses: the one in DATABASE_URL, or else the embedded one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.commands.failure import CommandError
from app.embedded.cluster import EmbeddedPostgres
from app.plugin_guard import Plugins
from app.settings import Settings, load

_CLUSTER = "postgres/data"


@contextmanager
def service_with_database(overrides: Mapping[str, Any] | None = None) -> Iterator[tuple[Settings, Plugins]]:
    """The settings, with the URL with which the service connects, and the plugins. ``overrides`` are values of settings
    by name. If the database is the embedded PostgreSQL, it runs during the context."""
    from app.discovery import configure

    settings, plugins = configure(overrides=overrides)
    with _with_database(settings, as_owner=False) as complete:
        yield complete, plugins


@contextmanager
def settings_with_database() -> Iterator[Settings]:
    """The settings without plugins. With an embedded PostgreSQL the URL is that of the owner, who may install and
    remove objects."""
    with _with_database(load(), as_owner=True) as complete:
        yield complete


@contextmanager
def _with_database(settings: Settings, *, as_owner: bool) -> Iterator[Settings]:
    if settings.database_url is not None:
        yield settings
        return
    if settings.service_database_url is not None:
        raise CommandError("SERVICE_DATABASE_URL needs DATABASE_URL")
    if not is_in_data_dir(settings, _CLUSTER):
        raise CommandError("set DATABASE_URL, or run `portico serve` once, which creates an embedded PostgreSQL here")
    from app.commands.embedded_service import find_database, with_kept_keys

    with EmbeddedPostgres(Path(settings.data_dir) / "postgres") as cluster:
        yield replace(with_kept_keys(settings), database_url=find_database(cluster, as_owner=as_owner))


def has_database() -> bool:
    """Whether ``settings_with_database`` would find a database."""
    settings = load()
    return settings.database_url is not None or is_in_data_dir(settings, _CLUSTER)


def is_in_data_dir(settings: Settings, name: str) -> bool:
    """Whether DATA_DIR has this file. Raises CommandError if DATA_DIR cannot be read, for example another user's."""
    try:
        return (Path(settings.data_dir) / name).exists()
    except OSError as ex:
        raise CommandError(f"DATA_DIR: {settings.data_dir} cannot be read: {ex.strerror}") from None
