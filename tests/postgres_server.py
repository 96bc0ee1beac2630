"""The PostgreSQL server of the tests. It creates databases quickly, from templates."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import pg8000.native

from app.database.url.url import parse_database_url


class PostgresServer:
    """A running server. ``url`` leads to one of its databases, as a superuser. ``socket_dir`` is None over TCP.
    ``share`` is the directory of its shared files, if tests may add files to it."""

    def __init__(self, url: str, share: Path | None = None) -> None:
        self.url = url
        self.share = share
        target = parse_database_url(url)
        self.socket_dir = target.host if target.host.startswith("/") else None
        self._numbers = itertools.count(1)
        self._prefix = f"test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{os.getpid()}"
        self._templates: dict[str, str] = {}
        self._created: list[str] = []
        self._connection: pg8000.native.Connection | None = None

    def create_database(self, name: str | None = None, sql: str = "") -> str:
        """Create a database, run ``sql`` (any number of statements) in it, and return its URL.

        The first call with a given ``sql`` runs it in a template database, and later calls copy the template. So its
        statements run once, which also matters for those that create roles. Settings by ALTER DATABASE are not
        copied.
        """
        template = self._template(sql) if sql else None
        name = name or f"{self._prefix}_{next(self._numbers)}"
        self._create(name, template)
        return self.url_of(name)

    def drop_database(self, url: str) -> None:
        """Drop a database that ``create_database`` created, even if clients are connected to it."""
        name = parse_database_url(url).database
        self._execute(f"drop database if exists {_quoted(name)} with (force)")
        self._created.remove(name)

    def url_of(self, database: str) -> str:
        parts = urlsplit(self.url)
        parameters = [pair for pair in parse_qsl(parts.query) if pair[0] != "dbname"]
        query = urlencode(parameters, quote_via=quote, safe="/")
        address = f"//{parts.netloc}/{quote(database, safe='')}"
        return urlunsplit((parts.scheme, "", "", query, "")).replace(":", f":{address}", 1)

    def execute(self, sql: str, url: str | None = None) -> list[list[object]]:
        """Run SQL without parameters as the superuser. Returns the rows of the last statement."""
        connection = connect(url or self.url)
        try:
            return [list(row) for row in connection.execute_simple(sql).rows or ()]
        finally:
            connection.close()

    def has_extension(self, name: str) -> bool:
        """Whether the extension can be created."""
        return bool(self.execute(f"select from pg_available_extensions where name = '{name}'"))

    def close(self, *, drop: bool = True) -> None:
        """Drop the created databases and close the connection. Use ``drop=False`` if the whole server is deleted
        anyway."""
        for name in list(self._created) if drop else ():
            self._execute(f"drop database if exists {_quoted(name)} with (force)")
        self._created.clear()
        if self._connection is not None:
            self._connection.close()

    def _template(self, sql: str) -> str:
        if sql not in self._templates:
            name = f"{self._prefix}_template_{next(self._numbers)}"
            self._create(name, None)
            self.execute(sql, self.url_of(name))
            self._templates[sql] = name
        return self._templates[sql]

    def _create(self, name: str, template: str | None) -> None:
        template_clause = f" template {_quoted(template)}" if template else ""
        self._execute(f"create database {_quoted(name)}{template_clause}")
        self._created.append(name)

    def _execute(self, sql: str) -> None:
        if self._connection is None:
            self._connection = connect(self.url)
        self._connection.execute_simple(sql)


def connect(url: str) -> pg8000.native.Connection:
    """A plain driver connection, without TLS."""
    target = parse_database_url(url)
    return pg8000.native.Connection(
        target.user,
        host=target.host,
        port=target.port,
        unix_sock=target.socket_path,
        database=target.database,
        password=target.password,
        ssl_context=False,
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
