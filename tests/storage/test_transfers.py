"""``portico storage import`` and ``export``: folders, buckets of every cloud, and another Portico, in and out."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import cli
from app.commands.failure import explained
from app.storage.bytes.blobs import blob_key
from app.storage.outside.place import ObjectDescription, PlaceOptions
from plugins.storage.place_file import storage_place
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.s3.conftest import s3_service as s3_service
from tests.storage.service import USER, Service, error, running
from tests.storage_backends.conftest import places as places
from tests.storage_backends.places import Places

THEN = datetime(2024, 3, 2, 1, 2, 3, 456000, UTC)
LARGE = bytes(range(256)) * 40_000
# Runs the command with a limit on the size of files, which would truncate Python's cached bytecode too.
LIMITED = """
import resource, runpy, sys
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
runpy.run_module("app", run_name="__main__")
"""


@pytest.fixture(scope="module")
def target(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    with running(postgres, storage_database(), tmp_path_factory.mktemp("target")) as service:
        yield service


Run = Callable[..., Result]


@pytest.fixture
def run(target: Service, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("DATABASE_URL", target.database_url)
    monkeypatch.setenv("STORAGE_URL", target.folder.as_uri())

    def ran(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["storage", *arguments], standalone_mode=False)

    return ran


def summary(result: Result) -> tuple[object, str]:
    """The exit code and the last line."""
    assert result.exception is None, result.exception
    return result.return_value, result.stdout.splitlines()[-1]


def file(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (THEN.timestamp(), THEN.timestamp()))
    return path


def metadata(service: Service, bucket: str, key: str) -> dict[str, object]:
    ((found,),) = service.sql(f"select metadata from storage.objects where bucket_id = '{bucket}' and name = '{key}'")
    return dict(found)


def test_a_folder_is_imported(target: Service, run: Run, tmp_path: Path) -> None:
    bucket = target.bucket()
    file(tmp_path, "a/b/picture.png", b"png")
    changed = file(tmp_path, "notes.txt", b"old")
    file(tmp_path, "backup.tar.gz", b"gz")
    (tmp_path / "link.txt").symlink_to("/etc/hostname")

    dry = run("import", str(tmp_path), bucket, "--dry-run")
    assert summary(dry) == (0, "3 objects, 8 bytes, would be copied; 0 were already there; 0 failed")
    assert "would be copied: a/b/picture.png (3 bytes)" in dry.stdout
    assert target.sql(f"select count(*) from storage.objects where bucket_id = '{bucket}'") == [[0]]

    done = run("import", tmp_path.as_uri(), f"{bucket}/below", "--owner", USER)
    assert summary(done)[1].startswith("3 objects, 8 bytes, copied")
    assert target.get(f"/object/{bucket}/below/a/b/picture.png").content == b"png"
    answered = metadata(target, bucket, "below/a/b/picture.png")
    assert (answered["mimetype"], answered["lastModified"]) == ("image/png", "2024-03-02T01:02:03.456Z")
    assert metadata(target, bucket, "below/backup.tar.gz")["mimetype"] == "application/gzip"
    rows = target.sql(
        f"""select distinct owner_id, owner::text, created_at = '{THEN}'
            from storage.objects where bucket_id = '{bucket}'"""
    )
    assert rows == [[USER, USER, True]]

    changed.write_bytes(b"new")
    os.utime(tmp_path / "backup.tar.gz")
    again = run("import", str(tmp_path), f"{bucket}/below/", "--owner", "somebody else")
    assert summary(again)[1].startswith("1 objects, 3 bytes, copied")
    assert "; 2 were already there; 0 failed" in again.stdout
    assert target.get(f"/object/{bucket}/below/notes.txt").content == b"new"
    rows = target.sql(
        f"select distinct owner_id, created_at = '{THEN}' from storage.objects where bucket_id = '{bucket}'"
    )
    assert rows == [[USER, True]]


@pytest.mark.parametrize("command", ["import", "export"])
def test_an_empty_url_is_not_the_current_directory(
    target: Service, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    bucket = target.bucket()
    target.upload(f"{bucket}/stored", b"1").raise_for_status()
    file(tmp_path, "keys.json", b"{}")
    monkeypatch.chdir(tmp_path)
    for url in ("", " "):
        ran = run(command, *((url, bucket) if command == "import" else (bucket, url)))
        assert isinstance(ran.exception, Exception)
        assert explained(ran.exception) == ("The URL of the place outside is empty. Write . for the current directory.")
    assert target.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == [["stored"]]
    assert [each.name for each in tmp_path.iterdir()] == ["keys.json"]


def test_the_rules_of_the_bucket_apply(target: Service, run: Run, tmp_path: Path) -> None:
    bucket = target.bucket(file_size_limit=5, allowed_mime_types=["image/*"])
    file(tmp_path, "small.png", b"12345")
    file(tmp_path, "large.png", b"123456")
    file(tmp_path, "other.txt", b"1")
    file(tmp_path, "grüße.png", b"1")
    for more in (["--dry-run"], []):
        done = run("import", str(tmp_path), bucket, *more)
        assert summary(done)[0] == 1
        assert "failed: large.png: it is larger than UPLOAD_SIZE_LIMIT or the bucket's file_size_limit" in done.stderr
        assert "failed: other.txt: the bucket does not allow the type text/plain" in done.stderr
        assert "failed: grüße.png: no object can have this key" in done.stderr
    assert target.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == [["small.png"]]


def test_events_are_recorded(target: Service, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = target.bucket()
    monkeypatch.setenv("WEBHOOK_URL", "http://127.0.0.1:1/")
    file(tmp_path, "k", b"1")
    assert summary(run("import", str(tmp_path), bucket))[0] == 0
    # The service under test has no webhook, so the event waits.
    events = target.sql(
        f"select event ->> 'type', event ->> 'uploadType' from storage.work where bucket_id = '{bucket}'"
    )
    assert events == [["ObjectCreated:Post", "import"]]


def test_a_bucket_is_exported_to_a_folder(target: Service, run: Run, tmp_path: Path) -> None:
    bucket, out = target.bucket(), tmp_path / "out"
    target.upload(f"{bucket}/a/large", LARGE).raise_for_status()
    target.upload(f"{bucket}/a/empty", b"").raise_for_status()
    for key in ("b", "a//c", "a/large/under", ".portico-unfinished/d"):
        target.upload(f"{bucket}/{key}", b"1").raise_for_status()
    assert summary(run("export", bucket, str(out), "--dry-run"))[0] == 0
    assert not out.exists()

    assert summary(run("export", f"{bucket}/a/", f"{out}/part", "--jobs", "1"))[0] == 1
    assert (out / "part" / "large").read_bytes() == LARGE
    assert (out / "part" / "empty").read_bytes() == b""

    done = run("export", bucket, str(out), "--jobs", "1")
    assert summary(done)[0] == 1
    assert "failed: a//c: a folder cannot have a file of this name" in done.stderr
    assert "failed: a/large/under: the file cannot be used: File exists" in done.stderr
    assert {path.name for path in out.iterdir()} == {"a", "b", "part"}
    answered = metadata(target, bucket, "a/large")["lastModified"]
    modified = datetime.fromtimestamp((out / "a" / "large").stat().st_mtime, UTC)
    assert modified.isoformat(timespec="milliseconds").replace("+00:00", "Z") == answered
    assert "0 objects, 0 bytes, copied; 3 were already there; 3 failed" in run("export", bucket, str(out)).stdout


class Slow:
    """Returns its bytes on request."""

    def __init__(self, content: bytes) -> None:
        self._rest = content
        self.reached, self.go_on = threading.Event(), threading.Event()

    def read(self, size: int = -1, /) -> bytes:
        self.reached.set()
        assert self.go_on.wait(PATIENCE_S)
        given, self._rest = self._rest, b""
        return given


def test_an_export_to_a_full_disk_leaves_no_part_of_an_object(target: Service, tmp_path: Path) -> None:
    """The limit stands for the disk: of a write that crosses it, the system takes what fits."""
    bucket = target.bucket()
    target.upload(f"{bucket}/a", LARGE[:150_000]).raise_for_status()
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "storage", "export", bucket, str(tmp_path)],
        env=os.environ | {"DATABASE_URL": target.database_url, "STORAGE_URL": target.folder.as_uri()},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout) == (1, "0 objects, 0 bytes, copied; 0 were already there; 1 failed\n")
    assert "failed: a: the file cannot be used: File too large" in done.stderr
    assert not (tmp_path / "a").exists()


def test_an_empty_object_that_keeps_a_folder_becomes_one(target: Service, run: Run, tmp_path: Path) -> None:
    bucket, out = target.bucket(), tmp_path / "out"
    target.upload(f"{bucket}/a/empty/", b"").raise_for_status()
    target.upload(f"{bucket}/a/file", b"1").raise_for_status()
    for _ in range(2):
        assert summary(run("export", bucket, str(out)))[0] == 0
    assert [path.name for path in (out / "a").iterdir() if path.is_dir()] == ["empty"]
    assert (out / "a" / "file").read_bytes() == b"1"


def test_leftovers_of_a_killed_export_are_removed_by_the_next(target: Service, run: Run, tmp_path: Path) -> None:
    """But not what another export writes at that moment."""
    bucket, out = target.bucket(), tmp_path / "out"
    target.upload(f"{bucket}/a", b"1").raise_for_status()
    left = out / ".portico-unfinished" / "0123"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half of it")
    place = storage_place(str(out), PlaceOptions(may_be_new=True))
    assert place is not None
    slow = Slow(b"other")
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(place.put, "other", slow, 5, ObjectDescription(), THEN)
        try:
            assert slow.reached.wait(PATIENCE_S)
            assert summary(run("export", bucket, str(out)))[0] == 0
            assert left.exists()
        finally:
            slow.go_on.set()
        writing.result()
    assert (out / "other").read_bytes() == b"other"
    assert summary(run("export", bucket, str(out)))[0] == 0
    assert {path.name for path in out.iterdir()} == {"a", "other"}


@pytest.mark.parametrize("kind", ["s3", "gcs", "azure"])
def test_a_bucket_is_exported_to_a_cloud_and_imported_again(
    kind: str, places: Places, target: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = places.get(kind)
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    url = f"{place.url.partition('/below')[0]}/transfers"
    source, other = target.bucket(), target.bucket()
    kept = {"content_type": "text/css", "cache_control": "max-age=7"}
    target.upload(f"{source}/a/b c.css", b"a{}", x_metadata="eyJjb2xvdXIiOiJyZWQifQ==", **kept).raise_for_status()
    target.upload(f"{source}/large", LARGE).raise_for_status()

    assert "copied; 0 were already there; 0 failed" in summary(run("export", source, url))[1]
    assert "0 bytes, copied; 2 were already there; 0 failed" in summary(run("export", source, url))[1]
    assert summary(run("import", url, other))[0] == 0
    assert "0 bytes, copied; 2 were already there; 0 failed" in summary(run("import", url, other))[1]
    for key, content in (("a/b c.css", b"a{}"), ("large", LARGE)):
        assert target.get(f"/object/{other}/{key}").content == content
    found = metadata(target, other, "a/b c.css")
    assert (found["mimetype"], found["cacheControl"]) == ("text/css", "max-age=7")
    answered = target.sql(
        f"select user_metadata ->> 'colour' from storage.objects where bucket_id = '{other}' order by name"
    )
    assert answered == [["red"], [None]]


@pytest.fixture
def from_portico(s3_service: Service, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The option for another Portico as the source; the credentials are in the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    return ["--endpoint-url", f"{s3_service.url}/storage/v1/s3"]


def test_a_bucket_is_imported_from_another_portico(
    s3_service: Service, target: Service, run: Run, from_portico: list[str]
) -> None:
    source, bucket = s3_service.bucket(), target.bucket()
    s3 = client(s3_service)
    s3.put_object(Bucket=source, Key="folder/", Body=b"")
    s3.put_object(Bucket=source, Key="page", Body=b"<p>", ContentType="text/html", Metadata={"colour": "red"})
    upload = {"Bucket": source, "Key": "parts"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    tags = [
        {"PartNumber": number, "ETag": s3.upload_part(**upload, PartNumber=number, Body=body)["ETag"]}
        for number, body in ((1, LARGE[: 5 * 1024**2]), (2, LARGE[5 * 1024**2 :]))
    ]
    tag = s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": tags})["ETag"]

    done = run("import", f"s3://{source}", bucket, *from_portico)
    assert (
        "(1 of them verified only by their size: their MD5 is unknown); 0 were already there; 0 failed"
        in summary(done)[1]
    )
    assert target.get(f"/object/{bucket}/parts").content == LARGE
    assert metadata(target, bucket, "parts")["eTag"] == tag
    assert metadata(target, bucket, "page")["mimetype"] == "text/html"
    assert metadata(target, bucket, "folder/")["size"] == 0
    again = run("import", f"s3://{source}", bucket, *from_portico)
    assert summary(again)[1] == "0 objects, 0 bytes, copied; 3 were already there; 0 failed"


def test_a_misleading_type_is_refused(s3_service: Service, target: Service, run: Run, from_portico: list[str]) -> None:
    source, bucket = s3_service.bucket(), target.bucket()
    for key in ("page", "picture"):
        client(s3_service).put_object(Bucket=source, Key=key, Body=b"<p>", ContentType="image/png")
    s3_service.sql(
        """update storage.objects set metadata = metadata || '{"mimetype": "image/png, text/html"}' """
        f"where bucket_id = '{source}' and name = 'page'"
    )
    for more in (["--dry-run"], []):
        done = run("import", f"s3://{source}", bucket, *from_portico, *more)
        assert summary(done)[0] == 1
        answered = "failed: page: its type 'image/png, text/html' is not a MIME type; change it at the source"
        assert answered in done.stderr
    assert target.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == [["picture"]]


def test_rows_from_a_dump_get_their_bytes(
    s3_service: Service, target: Service, run: Run, from_portico: list[str]
) -> None:
    source, bucket = s3_service.bucket(), target.bucket()
    tag = client(s3_service).put_object(Bucket=source, Key="me.png", Body=b"png", ContentType="image/png")["ETag"]
    target.sql(
        f"""insert into storage.objects (bucket_id, name, owner, owner_id, version, created_at, metadata, user_metadata)
            values ('{bucket}', 'me.png', '{USER}', '{USER}', gen_random_uuid(), '2023-01-01Z',
                    jsonb_build_object('eTag', '{tag}', 'size', 3), '{{"colour": "red"}}')"""
    )
    assert error(target.get(f"/object/{bucket}/me.png"))[2] == "NoSuchKey"
    assert summary(run("import", f"s3://{source}", bucket, *from_portico, "--owner", "somebody else"))[0] == 0
    assert target.get(f"/object/{bucket}/me.png").content == b"png"
    ((owner, created, colour),) = target.sql(
        f"""select owner_id, created_at = '2023-01-01Z', user_metadata ->> 'colour'
            from storage.objects where bucket_id = '{bucket}'"""
    )
    assert (owner, created, colour) == (USER, True, "red")


def test_types_and_caching_missing_in_a_folder_come_from_the_rows(target: Service, run: Run, tmp_path: Path) -> None:
    bucket = target.bucket()
    file(tmp_path, "portrait", b"png")
    target.sql(
        f"""insert into storage.objects (bucket_id, name, version, metadata)
            values ('{bucket}', 'portrait', gen_random_uuid(),
                    '{{"mimetype": "image/png", "cacheControl": "max-age=60", "size": 3}}')"""
    )
    assert summary(run("import", str(tmp_path), bucket))[0] == 0
    answer = target.get(f"/object/{bucket}/portrait")
    assert (answer.content, answer.headers["content-type"], answer.headers["cache-control"]) == (
        b"png", "image/png", "max-age=60",
    )  # fmt: skip


def test_bytes_that_changed_on_their_way_are_not_stored(
    s3_service: Service, target: Service, run: Run, from_portico: list[str]
) -> None:
    source, bucket = s3_service.bucket(), target.bucket()
    for key in ("broken", "whole"):
        client(s3_service).put_object(Bucket=source, Key=key, Body=b"12345")
    ((version,),) = s3_service.sql(
        f"select version from storage.objects where bucket_id = '{source}' and name = 'broken'"
    )
    (s3_service.folder / blob_key(version)).write_bytes(b"1x345")
    before = target.blobs()
    done = run("import", f"s3://{source}", bucket, *from_portico)
    assert summary(done)[1].endswith("0 were already there; 1 failed")
    assert "failed: broken: The MD5 of the bytes that arrived differs from the object's MD5" in done.stderr
    assert target.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == [["whole"]]
    assert len(target.blobs() - before) == 1


def test_a_transfer_that_cannot_begin_is_reported_in_one_line(
    target: Service, run: Run, tmp_path: Path, from_portico: list[str]
) -> None:
    bucket = target.bucket()

    def answered(*arguments: str) -> str:
        ex = run(*arguments).exception
        assert isinstance(ex, Exception)
        return str(explained(ex))

    assert answered("import", str(tmp_path), "absent") == "there is no bucket absent; create it first"
    absent = answered("import", str(tmp_path / "absent"), bucket)
    assert "cannot be read: No such file or directory" in absent
    assert "DATABASE_URL" not in absent
    assert answered("import", "ftp://host/path", bucket).startswith("There is no plugin for the scheme 'ftp'. ")
    long = str(tmp_path / ("x" * 300))
    assert "cannot be read: File name too long" in answered("export", bucket, long)
    assert "which a path cannot contain" in answered("export", bucket, "file:///a%00b")
    assert "Bucket not found" in answered("import", "s3://absent", bucket, *from_portico)
    assert "S3 cannot be reached" in answered("import", "s3://b", bucket, "--endpoint-url", "http://127.0.0.1:1")
    assert "config profile (nobody)" in answered("import", "s3://b", bucket, "--profile", "nobody")
