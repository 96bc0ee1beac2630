"""Databases that were not made for this service: those of job queues from npm and PyPI, walked through.

They have what few applications have: partitions, enums, composite types, tables that only functions write to, and
names of 57 bytes. Needs the extra ``elsewhere``, and Node.js for two of them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from app.installation.install import install
from tests.elsewhere.walking import inserted_and_verified
from tests.packages import npm_packages, python_packages
from tests.postgres_server import PostgresServer

psycopg = pytest.importorskip("psycopg")

pytestmark = pytest.mark.long

OPEN = """
grant usage on schema {0} to service_role;
grant all on all tables in schema {0} to service_role;
grant all on all sequences in schema {0} to service_role;
"""


def graphile_worker() -> list[str]:
    (folder,) = npm_packages("graphile-worker@0.17.3").glob("*/package/sql")
    # The program itself makes these two before its migrations.
    first = "create schema graphile_worker; create table graphile_worker.migrations (id int primary key)"
    texts = (file.read_text() for file in sorted(folder.glob("*.sql")))
    return [first, *(text.replace(":GRAPHILE_WORKER_SCHEMA", "graphile_worker") for text in texts)]


def pg_boss() -> list[str]:
    (plans,) = npm_packages("pg-boss@10.4.2").glob("*/package/src/plans.js")
    program = "console.log(require(process.argv[1]).create('pgboss', 24))"
    made = subprocess.run(["node", "-e", program, str(plans)], capture_output=True, text=True, check=True)
    # Each queue is a partition.
    return [
        made.stdout,
        """select pgboss.create_queue(name, '{"policy": "standard"}') from (values ('a'), ('b')) v (name)""",
    ]


def procrastinate() -> list[str]:
    (file,) = python_packages("procrastinate==3.10.0").glob("lib/*/site-packages/procrastinate/sql/schema.sql")
    return [file.read_text()]


@pytest.mark.parametrize(
    ("made", "schema", "inserted"),
    [(graphile_worker, "graphile_worker", 3), (pg_boss, "pgboss", 3), (procrastinate, "public", 1)],
)
def test_everything_in_the_schema_works(
    made: Callable[[], list[str]], schema: str, inserted: int, postgres: PostgresServer
) -> None:
    statements = made()
    url = postgres.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            connection.execute(each)
    install(url)
    postgres.execute(OPEN.format(schema), url)
    assert len(inserted_and_verified(url, api_schemas=(schema,))) >= inserted
    postgres.drop_database(url)
