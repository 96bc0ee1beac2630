"""The page about moving from Supabase, followed with a database in the shape of theirs and objects behind S3."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pg8000.exceptions
import pytest
import requests

from app.embedded.binaries import wheel_programs
from tests.docs.blocks import blocks
from tests.pages.reader import Reader
from tests.pages.supabase_project import ADA, API_ROLES, BEN, ROLES, SCHEMA, row
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, open_directory
from tests.storage.conftest import storage_database as storage_database
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.service import ANON, SECRET, SERVICE, Service, running, token

pytestmark = pytest.mark.long

OBJECTS = {
    ("avatars", f"{ADA}/me.png"): (ADA, "image/png", b"Ada's picture"),
    ("avatars", f"{BEN}/me.png"): (BEN, "image/png", b"Ben's picture"),
    ("documents", "will.pdf"): (ADA, "application/pdf", b"Ada's will"),
}
PROJECT = "https://REF.supabase.co"


@pytest.fixture
def project(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path
) -> Iterator[tuple[Service, str]]:
    """The old project: its storage as S3 clients see it, and its database."""
    url = postgres.create_database()
    for role in (*API_ROLES, *ROLES):
        with suppress(pg8000.exceptions.DatabaseError):
            postgres.execute(f"create role {role} nologin", url)
    postgres.execute(SCHEMA, url)
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    with running(postgres, storage_database(), tmp_path, **keys) as service:
        s3 = client(service)
        for (bucket, key), (owner, mime_type, content) in OBJECTS.items():
            with suppress(s3.exceptions.BucketAlreadyOwnedByYou):
                s3.create_bucket(Bucket=bucket)
            s3.put_object(Bucket=bucket, Key=key, Body=content, ContentType=mime_type)
            md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
            postgres.execute(row(bucket, key, owner, mime_type, len(content), md5), url)
        yield service, url
    postgres.drop_database(url)
    for role in ROLES:
        postgres.execute(f"drop role {role}")


@pytest.fixture
def reader(postgres: PostgresServer, project: tuple[Service, str]) -> Iterator[Reader]:
    url = postgres.create_database()
    with open_directory() as directory:
        opened = Reader(directory, url)
        opened.set(
            PATH=f"{wheel_programs()}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            SUPABASE_DATABASE_URL=project[1],
            AWS_ACCESS_KEY_ID=KEY,
            AWS_SECRET_ACCESS_KEY=SECRET_KEY,
        )
        (directory / ".env").write_text(f"JWT_SECRET='{SECRET}'\nANON_KEY={ANON}\nSERVICE_ROLE_KEY={SERVICE}\n")
        try:
            yield opened
        finally:
            opened.close()
    postgres.drop_database(url)


def test_a_supabase_project_is_moved(reader: Reader, project: tuple[Service, str]) -> None:
    service, _ = project
    dump, restore, bring, check, serve, export = (each.text for each in blocks("docs/moving-from-supabase.md", "sh"))
    (prepare,) = (each.text for each in blocks("docs/moving-from-supabase.md", "sql"))
    reader.shell(dump)
    for statement in prepare.splitlines():
        # Roles belong to the whole cluster of the tests, and are there.
        with (
            nullcontext()
            if statement.startswith("drop")
            else pytest.raises(pg8000.exceptions.DatabaseError, match="42710")
        ):
            reader.sql(statement)
    reader.shell(restore)
    assert PROJECT in bring
    reported = reader.shell(bring.replace(PROJECT, service.url)).splitlines()
    assert reported == [
        "2 objects, 26 bytes, copied; 0 were already there; 0 failed",
        "1 objects, 10 bytes, copied; 0 were already there; 0 failed",
    ]
    assert "missing" not in reader.shell(check)
    reader.shell(export)
    assert (reader.directory / "avatars" / ADA / "me.png").read_bytes() == b"Ada's picture"

    reader.shell(serve)
    base = f"{reader.address}/storage/v1/object/authenticated"

    def got(path: str, user: str) -> bytes | None:
        headers = {"authorization": f"Bearer {token(sub=user)}"}
        answer = requests.get(f"{base}/{path}", headers=headers, timeout=PATIENCE_S)
        return answer.content if answer.ok else None

    for (bucket, key), (owner, _, content) in OBJECTS.items():
        assert got(f"{bucket}/{key}", owner) == content
        assert got(f"{bucket}/{key}", BEN if owner == ADA else ADA) is None
    query = {"query": "{ profileCollection { edges { node { name } } } }"}
    headers = {"authorization": f"Bearer {token(sub=ADA)}", "apiKey": ANON}
    asked = requests.post(f"{reader.address}/graphql/v1", json=query, headers=headers, timeout=PATIENCE_S).json()
    assert [edge["node"]["name"] for edge in asked["data"]["profileCollection"]["edges"]] == ["Ada"]
    aged = reader.sql("select distinct created_at = '2023-05-06 07:08:09Z' from storage.objects")
    assert aged == "([True],)" or aged == "[[True]]"
