"""``portico storage sweep`` and ``portico storage lifecycle``: what they find, delete and leave alone."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import cli
from app.database import ContextBuilder, Database
from app.settings import load
from app.storage.bytes.blobs import blob_key, derived_key
from app.storage.upkeep.sweep import Sweep
from app.storage.upkeep.work import WorkList, installed_features
from plugins.storage.file import FolderBackend
from tests.process.running import until
from tests.storage.service import Service


@pytest.fixture
def sweep(
    own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> tuple[Service, Callable[..., Result]]:
    service = own_service(replaced_bytes_grace_s=3600.0)
    monkeypatch.setenv("DATABASE_URL", service.database_url)
    monkeypatch.setenv("STORAGE_URL", service.folder.as_uri())

    def run(*arguments: str, command: str = "sweep") -> Result:
        given = ["storage", command, *arguments]
        return CliRunner().invoke(cli, given, catch_exceptions=False, standalone_mode=False)

    return service, run


def leave_orphan(folder: Path) -> Path:
    """The bytes of a write that was killed before its commit."""
    path = folder / blob_key(str(uuid.uuid4()))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"12345")
    return path


def test_images_of_deleted_bytes_are_swept(sweep: tuple[Service, Callable[..., Result]]) -> None:
    service, run = sweep
    service.upload(f"{service.bucket()}/k").raise_for_status()
    ((version,),) = service.sql("select version from storage.objects")
    gone = str(uuid.uuid4())
    kept, orphan, another = (service.folder / derived_key(*each) for each in ((version, "a"), (gone, "a"), (gone, "b")))
    foreign = service.folder / "derived" / "notes.txt"
    for path in (kept, orphan, another, foreign):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"123")
    assert "0 without an object" in run("--delete").output
    found = run("--older-than", "0", "--delete").output
    assert "2 without an object, 6 bytes: deleted" in found
    assert "1 blobs that Portico did not write" in found
    assert [path.exists() for path in (kept, orphan, another, foreign)] == [True, False, False, True]


def test_a_sweep_lists_or_deletes_orphans(sweep: tuple[Service, Callable[..., Result]]) -> None:
    service, run = sweep
    path = f"{service.bucket()}/k"
    service.upload(path, b"old").raise_for_status()
    service.upload(path, b"new", x_upsert="true").raise_for_status()
    orphan = leave_orphan(service.folder)
    foreign = service.folder / "blobs" / "notes.txt"
    foreign.write_bytes(b"mine")
    unfinished = service.folder / ".unfinished" / "abc"
    unfinished.write_bytes(b"half")

    dry = run("--older-than", "0")
    assert dry.return_value == 0
    assert "1 without an object, 5 bytes: would be deleted" in dry.output
    assert "1 unfinished writes: would be deleted" in dry.output
    assert "1 replaced versions are still in their grace period" in dry.output
    assert orphan.exists()
    assert unfinished.exists()

    young = run("--delete")
    assert "0 without an object" in young.output
    assert orphan.exists()

    done = run("--delete", "--older-than", "0")
    assert "1 without an object, 5 bytes: deleted" in done.output
    assert "did not write: kept" in done.output
    assert not orphan.exists()
    assert not unfinished.exists()
    assert foreign.exists()
    # The replaced version is in its grace period, so it is not an orphan.
    assert len(service.blobs()) == 3
    # The service itself would delete it as soon as it is due.
    service.application.services.storage.background.close()
    service.sql("update storage.work set due_at = due_at - interval '2 hours'")
    assert "1 replaced versions deleted" in run("--delete").output
    assert len(service.blobs()) == 2
    assert service.get(f"/object/{path}").content == b"new"


@pytest.mark.parametrize("wrong", ["nan", "inf", "1e300", "-1", "soon"])
def test_an_invalid_age_is_refused(wrong: str) -> None:
    assert CliRunner().invoke(cli, ["storage", "sweep", "--older-than", wrong]).exit_code == 2


def test_rows_without_bytes_are_listed(sweep: tuple[Service, Callable[..., Result]]) -> None:
    service, run = sweep
    bucket = service.bucket()
    for key in ("whole", "hollow"):
        service.upload(f"{bucket}/{key}").raise_for_status()
    assert run("--rows").return_value == 0
    version = service.get(f"/object/info/{bucket}/hollow").json()["version"]
    (service.folder / blob_key(version)).unlink()
    answered = run("--rows")
    assert answered.return_value == 1
    assert f"missing bytes: {bucket}/hollow (version {version})" in answered.output
    assert "whole" not in answered.output


def test_rows_that_change_during_a_sweep_are_not_listed(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=0.0)
    bucket = service.bucket()
    for key in ("replaced", "deleted", "hollow"):
        service.upload(f"{bucket}/{key}").raise_for_status()
    (hollow,) = service.sql("select version from storage.objects where name = 'hollow'")[0]
    (service.folder / blob_key(hollow)).unlink()

    class Changing(FolderBackend):
        is_changed = False

        def stat(self, key: str) -> int | None:
            if not self.is_changed:
                self.is_changed = True
                service.put(f"/object/{bucket}/replaced", data=b"new").raise_for_status()
                service.delete(f"/object/{bucket}/deleted").raise_for_status()
                until(lambda: len(service.blobs()) == 1)
            return super().stat(key)

    with closing(Database(load({"DATABASE_URL": service.database_url}, {}))) as database:
        contexts, backend = ContextBuilder(), Changing(service.folder)
        work = WorkList(database, contexts, lambda: backend, (), installed_features(database, contexts), grace_s=0.0)
        sweeping = Sweep(database, contexts, backend, work, older_than_s=0)
        assert [(each.name, each.version) for each in sweeping.rows_without_bytes()] == [("hollow", hollow)]


def test_what_rules_name_is_listed_and_deleted(sweep: tuple[Service, Callable[..., Result]]) -> None:
    service, run = sweep
    service.application.services.storage.background.close()
    bucket = service.bucket()
    for name in ("tmp/a", "tmp/b", "kept"):
        service.upload(f"{bucket}/{name}", b"12345").raise_for_status()
    service.sql(
        """update storage.buckets set lifecycle = '[{"ID": "tmp", "Status": "Enabled", "Filter": {"Prefix": "tmp/"},
             "Expiration": {"Days": 1}}]'""",
    )
    service.sql("update storage.objects set updated_at = now() - interval '2 days'")
    listed = f"{bucket}, rule tmp: 2 objects, 10 bytes: would be deleted\n"
    assert run("--dry-run", command="lifecycle").output == listed
    service.sql("update storage.lifecycle_clock set seen_at = clock_timestamp(), believed_at = 'infinity'")
    assert run(command="lifecycle").output == ""
    service.sql("update storage.lifecycle_clock set seen_at = clock_timestamp(), believed_at = 'epoch'")
    assert run(command="lifecycle").output == f"{bucket}, rule tmp: 2 objects: deleted\n"
    assert service.sql("select name from storage.objects") == [["kept"]]
