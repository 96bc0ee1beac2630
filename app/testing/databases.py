"""Databases for tests, on the PostgreSQL of TEST_DATABASE_URL or on an embedded one."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit


@contextmanager
def test_server() -> Iterator[str]:
    """The URL of a superuser's database: that in TEST_DATABASE_URL, or else one of an embedded server that runs during
    the context. Raises EmbeddedError."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    from app.embedded.cluster import EmbeddedPostgres

    # Temporary: it is removed when this process ends, even if the process is killed.
    directory = Path(tempfile.gettempdir()) / f"portico-testing-{os.getpid()}-{secrets.token_hex(4)}"
    with EmbeddedPostgres(directory, durable=False, temporary=True) as cluster:
        yield cluster.url()


@contextmanager
def installed_database(server: str, name: str) -> Iterator[str]:
    """The URL of a new database on ``server`` in which Portico is installed; it is dropped at the end."""
    from app.installation.install import install

    run_sql(server, f"create database {name}")
    try:
        url = url_of(server, name)
        install(url)
        yield url
    finally:
        run_sql(server, f"drop database if exists {name} with (force)")


def url_of(server: str, database: str) -> str:
    """The URL of another database on the server of a URL."""
    parts = urlsplit(server)
    parameters = [pair for pair in parse_qsl(parts.query) if pair[0] != "dbname"]
    query = urlencode(parameters, quote_via=quote, safe="/")
    return f"{parts.scheme}://{parts.netloc}/{database}" + (f"?{query}" if query else "")


def run_sql(url: str, sql: str) -> list[list[str | None]]:
    """Run SQL, any number of statements, and return the rows of the last one as text. Raises StatementError if the
    database refuses it, and Unavailable if it cannot be reached."""
    from app.database.url.url import parse_database_url
    from app.database.wire.connect import connect
    from app.database.wire.tls import tls_context

    target = parse_database_url(url)
    with closing(connect(target, tls_context(target), prepared_limit=0)) as connection:
        rows = connection.simple(sql)[-1]
    return [[None if value is None else value.decode() for value in row] for row in rows]
