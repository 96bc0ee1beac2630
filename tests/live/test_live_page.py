"""Runs the SQL, the command and the clients of docs/live.md."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import pytest

from tests.docs.blocks import Block, blocks
from tests.graphql.api import ANON_KEY
from tests.graphql.conftest import ROLES
from tests.live.streams import serving_beside
from tests.packages import node_packages
from tests.postgres_server import PostgresServer
from tests.process.conftest import Portico
from tests.process.conftest import portico as portico

(SQL,) = blocks("docs/live.md", "sql")
(SHELL,) = blocks("docs/live.md", "sh")
CLIENTS = blocks("docs/live.md", "js")
ADDRESS = "://127.0.0.1:8000/graphql/v1"
WEBSOCKET = "import { WebSocket } from 'ws'\nglobalThis.WebSocket ??= WebSocket\n"
"""Defines the global that browsers and newer versions of Node have."""


@contextmanager
def running_client(client: Block, url: str) -> Iterator[IO[str]]:
    """Runs a client from the page against a service whose GraphQL API is at ``url``. Yields its standard output."""
    folder = node_packages()
    assert ADDRESS in client.text
    script = folder / f"live-page-{os.getpid()}.mjs"
    script.write_text(WEBSOCKET + client.text.replace(ADDRESS, url.removeprefix("http")))
    variables = {**os.environ, "ANON_KEY": ANON_KEY}
    with subprocess.Popen(["node", str(script)], cwd=folder, env=variables, stdout=subprocess.PIPE, text=True) as node:
        try:
            assert node.stdout
            yield node.stdout
        finally:
            node.kill()
            script.unlink()


@pytest.mark.parametrize("client", CLIENTS, ids=["sse", "websocket", "apollo", "urql"])
def test_the_commands_and_clients_of_the_page_work(
    portico: Portico, postgres: PostgresServer, database_url: str, tmp_path: Path, client: Block
) -> None:
    """A client also reconnects to a second service on the same port."""
    postgres.execute(ROLES + SQL.text, database_url)
    command = SHELL.text.split()[1:]
    assert portico(*command, DATABASE_URL=database_url).stdout == "Changes of message are reported.\n"
    with ExitStack() as stack:
        with serving_beside(database_url, tmp_path) as live:
            reported = stack.enter_context(running_client(client, live.url.removesuffix("/stream")))
            assert reported.readline() == "Hello\n"
            postgres.execute("insert into message (body) values ('World')", database_url)
            assert reported.readline() == "Hello, World\n"
        with serving_beside(database_url, tmp_path, PORT=str(urlsplit(live.url).port)):
            postgres.execute("insert into message (body) values ('again')", database_url)
            assert "Hello, World, again\n" in reported
