"""The embedded PostgreSQL can see the extension's files."""

from __future__ import annotations

import os

import pytest

from app.installation import VERSION
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="about the embedded PostgreSQL")


def test_create_extension_and_what_the_server_reports_about_it(postgres: PostgresServer, database_url: str) -> None:
    ask = "select name, default_version, installed_version, comment from pg_available_extensions where name = 'portico'"
    before = postgres.execute(ask, database_url)[0]
    assert before[:3] == ["portico", VERSION, None]
    assert before[3]
    postgres.execute("create extension portico", database_url)
    assert postgres.execute(ask, database_url)[0] == ["portico", VERSION, VERSION, before[3]]
