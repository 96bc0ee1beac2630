"""Separate databases for measurements."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.embedded.cluster import EmbeddedPostgres
from app.installation.install import install


@contextmanager
def filled_database(place: Path, statements: str) -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL in the folder ``place`` with Portico's objects, which grant nothing in the schema public. It has run
    ``statements``, each of which ends a line with its semicolon. It is not durable."""
    from tests.postgres_server import connect

    with EmbeddedPostgres(place / "postgres", durable=False, temporary=True) as cluster:
        os.chmod(place, 0o755)
        install(cluster.url(), grants_on_public="none")
        connection = connect(cluster.url())
        for statement in statements.strip().split(";\n"):
            connection.execute_simple(statement)
        connection.close()
        yield cluster
