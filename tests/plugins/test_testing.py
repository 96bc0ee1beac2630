"""The pytest fixtures for plugin authors, in a separate project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.postgres_server import PostgresServer
from tests.process.running import environment

PLUGIN = """
from graphql import GraphQLField, GraphQLString
from sqlalchemy import func
from portico import Fields, hookimpl

class Shouting:
    @hookimpl
    def node_fields(self, api, relation):
        if "name" in relation.by_name:
            return Fields(100, {"shoutedName": GraphQLField(
                GraphQLString, resolve=lambda field, rows: func.upper(rows.column("name")))})

def test_a_name_is_shouted(portico_service):
    service = portico_service("create table thing (id int primary key, name text); grant all on thing to anon;"
                              "insert into thing values (1, 'quiet')", plugins={"shouting": Shouting})
    data = service.graphql("{ thingCollection { edges { node { shoutedName } } } }")
    assert data["thingCollection"]["edges"] == [{"node": {"shoutedName": "QUIET"}}]

def test_a_service_runs_sql_and_requests(portico_service):
    service = portico_service()
    assert service.sql("select 1 + 1") == [["2"]]
    assert service.request("GET", "/health").json["database"] == "ok"
    service.sql("insert into storage.buckets (id, name, public) values ('b', 'b', true)")
    upload = service.request("POST", "/object/b/a.txt", role="service_role", body=b"hello",
                             headers={"Content-Type": "text/plain"})
    assert upload.status_code == 200
    assert service.request("GET", "/object/public/b/a.txt").text == "hello"
    assert service.request("POST", "/graphql/v1", headers={"apikey": None}, body="{}").status_code in (400, 401)
"""


def test_a_plugin_is_tested_in_three_lines(tmp_path: Path, postgres: PostgresServer) -> None:
    (tmp_path / "test_shouting.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shouting.py"]
    found = environment(TEST_DATABASE_URL=postgres.url)
    done = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
