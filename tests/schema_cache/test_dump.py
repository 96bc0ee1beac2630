from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from schema_cache.catalog_query import catalog_query
from schema_cache.dump import read_dump, write_dump
from schema_cache.freshness import SchemaCache
from schema_cache.loader import fetch_catalog
from tests.postgres_server import PostgresServer
from tests.schema_cache.asker import Asker
from tests.schema_cache.session import Session

Ask = Callable[..., Asker]

OBJECTS = """
create table "Ünï" (id int primary key, b text);
comment on table "Ünï" is 'words — and more';
create view v as select 1 as one;
"""

SMALLEST = json.dumps(
    {
        **dict.fromkeys(re.findall("^  '([a-z_]+)', ", catalog_query(counted=False), re.MULTILINE)),
        "server_version": 180000,
        "database": ["name", 10],
    }
)
"""The payload of a database without anything."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "below" / "schema.dump"


def test_a_process_starts_from_the_previous_dump(owner: Session, ask: Ask, path: Path) -> None:
    owner.rows(OBJECTS)
    first = SchemaCache(ask(), ("public",), path).current()
    asker = ask()
    second = SchemaCache(asker, ("public",), path).current()
    assert second.contents_fingerprint == first.contents_fingerprint
    assert second.relations == first.relations
    # Roles belong to the server: if another test has created one since, the dump is rightly not used.
    assert asker.loads == (0 if second.shared_fingerprint == first.shared_fingerprint else 1)
    stored = read_dump(path)
    assert stored is not None
    assert all(getattr(stored, part.name) == getattr(second, part.name) for part in fields(second))


def test_a_dump_that_shows_another_state_is_not_used(owner: Session, ask: Ask, path: Path) -> None:
    SchemaCache(ask(), ("public",), path).current()
    owner.rows(OBJECTS)
    asker = ask()
    catalog = SchemaCache(asker, ("public",), path).current()
    assert asker.loads == 1
    assert [relation.name for relation in catalog.relations] == ["Ünï", "v"]
    stored = read_dump(path)
    assert stored is not None
    assert stored.version == catalog.version


def test_a_dump_of_another_database_is_not_used(postgres: PostgresServer, ask: Ask, path: Path) -> None:
    here = SchemaCache(ask(), ("public",), path).current()
    elsewhere = postgres.create_database()
    asker = ask(elsewhere)
    there = SchemaCache(asker, ("public",), path).current()
    assert there.contents_fingerprint == here.contents_fingerprint
    assert asker.loads == 1
    asker.close()
    postgres.drop_database(elsewhere)


def test_a_dump_of_another_server_is_not_used(owner: Session, ask: Ask, path: Path) -> None:
    """Two servers set up by the same script have the same oids and transaction ids."""
    payload = json.loads(fetch_catalog(owner.value))
    payload["identity"] += "1"
    write_dump(path, json.dumps(payload))
    assert read_dump(path) is not None
    asker = ask()
    SchemaCache(asker, ("public",), path).current()
    assert asker.loads == 1


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    line, packed = data.split(b"\n", 1)
    path.write_bytes(
        {
            "empty": b"",
            "cut": data[: len(data) // 2],
            "header only": line + b"\n",
            "no header": packed,
            "one bit": data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
            "other format": data.replace(b'"portico_schema_dump": 1', b'"portico_schema_dump": 0'),
            "other query": data.replace(b'"query": "', b'"query": "0'),
            "other length": line.replace(b'"length": ', b'"length": 1') + b"\n" + packed,
            "list": b"[]\n" + packed,
            "words": b"hello\nworld\n",
        }[how]
    )


@pytest.mark.parametrize(
    "how",
    [
        "empty",
        "cut",
        "header only",
        "no header",
        "one bit",
        "other format",
        "other query",
        "other length",
        "list",
        "words",
    ],
)
def test_a_damaged_dump_is_ignored(path: Path, how: str) -> None:
    write_dump(path, SMALLEST)
    assert read_dump(path) is not None
    damage(path, how)
    assert read_dump(path) is None


def test_a_damaged_dump_is_replaced(asker: Asker, path: Path) -> None:
    write_dump(path, SMALLEST)
    damage(path, "one bit")
    catalog = SchemaCache(asker, ("public",), path).current()
    assert asker.loads == 1
    stored = read_dump(path)
    assert stored is not None
    assert stored.version == catalog.version


@pytest.mark.parametrize("payload", ["", "[]", "{}", "null", '{"acls": 5}', "[" * 100_000])
def test_a_whole_dump_of_something_else_is_ignored(path: Path, payload: str) -> None:
    write_dump(path, payload)
    assert read_dump(path) is None


def test_a_missing_dump_is_not_an_error(path: Path) -> None:
    assert read_dump(path) is None
    path.mkdir(parents=True)
    assert read_dump(path) is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners of files")
def test_a_dump_is_readable_by_its_owner_only(owner: Session, path: Path) -> None:
    write_dump(path, fetch_catalog(owner.value))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_dump(path) is not None
    path.chmod(0o620)
    assert read_dump(path) is None
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        assert read_dump(path) is None


def test_a_dump_that_cannot_be_written_does_not_matter(
    asker: Asker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    SchemaCache(asker, ("public",), tmp_path / "file" / "schema.dump").current()
    assert "dump could not be written" in caplog.text


def test_a_failed_write_leaves_the_previous_dump(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dump(path, "{}")
    before = path.read_bytes()

    def fail(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    # Stands for a full disk at the last step.
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_dump(path, "[]")
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
