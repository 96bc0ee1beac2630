"""Objects of users by the names of PostgreSQL's own are not called by the storage's SQL, nor by commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.siege.attacks.shadows import SCHEMA, shadows
from tests.postgres_server import PostgresServer
from tests.process.conftest import Portico
from tests.process.conftest import portico as portico
from tests.storage.service import SERVICE, Service, running, token

POLICIES = """
create policy everything on storage.objects to authenticated using (true) with check (true);
create policy everything on storage.buckets to authenticated using (true) with check (true);
"""
FURTHER = """
create function to_char(timestamptz, varchar) returns text language sql volatile as 'select called()::text';
create function json_array_elements_text(jsonb) returns setof text language sql volatile as 'select called()::text';
create function clock_timestamp(int) returns timestamptz language sql volatile as 'select now()';
create function "extract"(varchar, timestamptz) returns numeric language sql volatile as 'select called()::int';
create function "position"(varchar, varchar) returns int language sql volatile as 'select called()::int';
create function make_interval(int) returns interval language sql volatile as 'select called()::text::interval';
"""


@pytest.mark.parametrize("path", ["public", "public, pg_catalog"])
def test_requests_and_commands_call_no_shadowing_object(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path, path: str, portico: Portico
) -> None:
    url = storage_database()
    postgres.execute(SCHEMA + "".join(shadows()) + FURTHER + POLICIES, url)
    postgres.execute(
        f"do $$ begin execute format('alter database %I set search_path = {path}', current_database()); end $$", url
    )
    with running(postgres, url, tmp_path) as service:
        for credential in (SERVICE, token("authenticated", "317eadce-631a-4429-a0bb-f19a7a517b4a")):
            use(service, credential)
    for command in (("doctor",), ("init",), ("version",), ("storage", "sweep")):
        done = portico(*command, DATABASE_URL=url, STORAGE_URL=(tmp_path / "objects").as_uri())
        assert "shadow" not in done.stdout + done.stderr
        assert done.returncode in (0, 1), done.stderr


def use(service: Service, credential: str) -> None:
    name = service.bucket(public=True)
    service.put(f"/bucket/{name}", json={"public": True, "allowed_mime_types": ["text/plain"]}).raise_for_status()
    service.upload(f"{name}/a/b.txt", credential=credential, content_type="text/plain").raise_for_status()
    service.get(f"/object/{name}/a/b.txt", credential).raise_for_status()
    service.get(f"/object/public/{name}/a/b.txt", None).raise_for_status()
    service.get(f"/object/info/{name}/a/b.txt", credential).raise_for_status()
    listed = service.post(f"/object/list/{name}", credential, json={"prefix": "a", "search": "b"})
    assert [each["name"] for each in listed.json()] == ["b.txt"], listed.text
    signed = service.post(f"/object/sign/{name}/a/b.txt", credential, json={"expiresIn": 60})
    service.get(signed.json()["signedURL"], None).raise_for_status()
    source = {"bucketId": name, "sourceKey": "a/b.txt", "destinationKey": "c.txt"}
    service.post("/object/copy", credential, json=source).raise_for_status()
    service.post("/object/move", credential, json={**source, "destinationKey": "d.txt"}).raise_for_status()
    removed = service.delete(f"/object/{name}", credential, json={"prefixes": ["c.txt", "d.txt"]})
    assert len(removed.json()) == 2, json.dumps(removed.json())
    service.post(f"/bucket/{name}/empty").raise_for_status()
