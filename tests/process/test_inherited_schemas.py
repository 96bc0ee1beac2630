"""The parent of the workers reads the database's schema, and they share it."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import requests

from app.discovery import configure
from app.pipeline.engine import build_schemas
from app.wsgi import create_app
from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, started, until

SQL = f"{ROLES}create table task (id int primary key); grant select on task to anon;"
KEYS = {"JWT_SECRET": JWT_SECRET, "ANON_KEY": ANON_KEY, "SERVICE_ROLE_KEY": SERVICE_KEY}


def collections(url: str) -> list[str]:
    """The names of the tables that anon may read, by the schema of a running service."""
    query = {"query": '{ __type(name: "Query") { fields { name } } }'}
    answer: Any = requests.post(
        f"{url}/graphql/v1", json=query, headers={"apiKey": ANON_KEY}, timeout=PATIENCE_S
    ).json()
    names = [each["name"] for each in answer["data"]["__type"]["fields"]]
    return [each.removesuffix("Collection") for each in names if each.endswith("Collection")]


def test_a_process_uses_the_schemas_that_its_parent_has_built(postgres: PostgresServer) -> None:
    url = postgres.create_database(sql=SQL)
    settings, plugins = configure({"DATABASE_URL": url, **KEYS})
    inherited = build_schemas(settings, plugins)
    for changed in (False, True):
        with closing(create_app(settings, plugins, inherited=inherited)) as application:
            found = application.services.schema("anon")
            assert (found.catalog is inherited.views.catalog) is not changed
            assert ("note" in {each.relation.name for each in found.relations}) is changed
        postgres.execute("create table if not exists note (id int primary key); grant select on note to anon", url)
    postgres.drop_database(url)


def test_the_successor_of_a_worker_reads_a_changed_schema(postgres: PostgresServer, tmp_path: Path) -> None:
    database = postgres.create_database(sql=SQL)
    program = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", "1"]
    with started(program, tmp_path, DATABASE_URL=database, **KEYS) as process:
        assert process.stdout
        url = next(match[0] for line in process.stdout if (match := re.search(r"http://[^/]+", line)))
        assert collections(url) == ["task"]
        postgres.execute("create table note (id int primary key); grant select on note to anon", database)
        parent = psutil.Process(process.pid)
        (first,) = parent.children()
        first.kill()
        until(lambda: [each.pid for each in parent.children()] not in ([], [first.pid]))
        assert collections(url) == ["note", "task"]
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    postgres.drop_database(database)
