"""The service as ``portico serve`` runs it, for clients that need an address."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, started


@contextmanager
def serving(postgres: PostgresServer, directory: Path, schema: str, workers: int, **settings: str) -> Iterator[str]:
    """The URL of the GraphQL API on a new database, until the service has stopped as asked."""
    database = postgres.create_database(sql=ROLES + schema)
    program = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", str(workers)]
    variables = {
        "DATABASE_URL": database, "JWT_SECRET": JWT_SECRET, "ANON_KEY": ANON_KEY, "SERVICE_ROLE_KEY": SERVICE_KEY,
        "STORAGE_URL": (directory / "objects").as_uri(), **settings,
    }  # fmt: skip
    with started(program, directory, **variables) as process:
        assert process.stdout
        said = ""
        while not (address := re.search(r"http://\S+/graphql/v1", said)):
            line = process.stdout.readline()
            assert line, said
            said += line
        yield address[0]
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    postgres.drop_database(database)
