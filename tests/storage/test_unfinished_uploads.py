"""Uploads in pieces, as the faces use them: parts in any order, all or nothing at the end, nothing left behind."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.hooks import hookimpl
from app.identity import Caller
from app.storage.errors import (
    DatabaseRefused,
    LengthExceeded,
    NoSuchPart,
    NoSuchUpload,
    ObjectExists,
    OffsetConflict,
    RelatedMissing,
    StorageError,
    TooLarge,
    UploadExpired,
    UploadFinished,
)
from app.storage.records import ObjectName
from app.storage.request_context import RequestContext
from app.storage.unfinished.appending import Addition, append
from app.storage.unfinished.finishing import finish
from app.storage.unfinished.numbered import list_parts, put_part
from app.storage.unfinished.records import NewUpload, Upload, UploadKind, UploadPart
from app.storage.unfinished.uploads import abort, create, find
from app.storage.upkeep.events import EventReceiver, ObjectEvent, UploadedObject
from tests.process.running import until
from tests.storage.service import USER, Service


class Uploads:
    """The core of a running service, for one caller."""

    def __init__(self, service: Service, role: str = "service_role", sub: str | None = None) -> None:
        self.service = service
        self.storage = service.application.services.storage
        claims = {"role": role, **({"sub": sub} if sub else {})}
        caller = Caller.of(claims, default_role="anon")
        self.asker = RequestContext(self.storage.contexts, caller, "storage.test", "POST", "/", {}, "")

    def begin(self, path: str, form: UploadKind = "appended", length: int | None = None, **more: object) -> Upload:
        bucket, _, key = path.partition("/")
        metadata = {"mimetype": "text/plain", "cacheControl": "no-cache"}
        given = {"upsert": False, "user_metadata": None, "notes": {}, "lifetime_s": 3600.0, **more}
        return create(
            self.storage,
            self.asker,
            NewUpload(form, ObjectName(bucket, key), metadata=metadata, length=length, **given),  # type: ignore[arg-type]
        )

    def append(self, upload: Upload, offset: int, data: bytes, length: int | None = None) -> Upload:
        addition = Addition(offset, BytesIO(data), len(data), length, 3600.0, "test")
        return append(self.storage, self.asker, upload, addition)

    def put(self, upload: Upload, number: int, data: bytes) -> UploadPart:
        return put_part(self.storage, self.asker, upload, number, BytesIO(data), size=len(data))

    def find(self, upload: Upload) -> Upload:
        return find(self.storage, self.asker, upload.kind, upload.id)

    def finish(self, upload: Upload, parts: list[UploadPart]) -> str:
        return finish(self.storage, self.asker, upload, parts, upload_type="test").entity_tag


@pytest.fixture
def path(service: Service) -> str:
    return f"{service.bucket()}/a key"


def clean_up(service: Service) -> None:
    service.sql("update storage.work set due_at = now() - interval '1 hour'")
    service.application.services.storage.background.work_now()


def blobs_of(service: Service) -> set[str]:
    """The blobs that a row of an object or a part names."""
    rows = service.sql("select version from storage.objects union select version from storage.upload_parts")
    return {str(version) for (version,) in rows}


def test_bytes_are_appended_until_the_length_is_reached(service: Service, path: str) -> None:
    uploads = Uploads(service, sub=USER)
    upload = uploads.begin(path, length=9, user_metadata={"a": 1})
    assert (upload.received, upload.length, upload.finished) == (0, 9, None)
    upload = uploads.append(upload, 0, b"abc")
    upload = uploads.append(uploads.find(upload), 3, b"def")
    assert (uploads.find(upload).received, upload.parts) == (6, 2)
    done = uploads.append(upload, 6, b"ghi")
    assert done.finished is not None
    assert uploads.find(upload).finished == done.finished
    assert service.get(f"/object/{path}").content == b"abcdefghi"
    md5s = b"".join(hashlib.md5(each).digest() for each in (b"abc", b"def", b"ghi"))
    assert done.finished.entity_tag == f'"{hashlib.md5(md5s).hexdigest()}-3"'
    row = service.sql(
        f"select metadata ->> 'size', metadata ->> 'mimetype', owner_id, user_metadata, version"
        f" from storage.objects where bucket_id = '{path.partition('/')[0]}'"
    )
    assert row == [["9", "text/plain", USER, {"a": 1}, done.finished.version]]
    assert service.sql(f"select count(*) from storage.upload_parts where upload_id = '{upload.id}'") == [[0]]


def test_an_offset_counts_once(service: Service, path: str) -> None:
    uploads = Uploads(service)
    upload = uploads.begin(path)
    for offset in (-1, 1):
        with pytest.raises(OffsetConflict):
            uploads.append(upload, offset, b"x")
    together = threading.Barrier(4, timeout=30)

    def attempt(data: bytes) -> bool:
        together.wait()
        try:
            uploads.append(upload, 0, data)
        except OffsetConflict:
            return False
        return True

    before = service.blobs()
    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(attempt, (b"one", b"two", b"six", b"ten")))
    assert won.count(True) == 1
    assert uploads.find(upload).received == 3
    assert len(service.blobs() - before) == 1
    uploads.append(uploads.find(upload), 3, b"", length=3)
    assert service.get(f"/object/{path}").content == (b"one", b"two", b"six", b"ten")[won.index(True)]


def test_an_empty_upload_is_an_empty_object(service: Service, path: str) -> None:
    uploads = Uploads(service)
    done = uploads.append(uploads.begin(path, length=0), 0, b"")
    assert done.finished is not None
    assert (service.get(f"/object/{path}").content, done.finished.size) == (b"", 0)
    assert uploads.append(done, 0, b"") == done
    with pytest.raises(LengthExceeded):
        uploads.append(done, 0, b"x")
    with pytest.raises(OffsetConflict):
        uploads.append(done, 1, b"")


def test_limits_of_uploads_are_enforced(service: Service) -> None:
    bucket = service.bucket(file_size_limit=10)
    uploads = Uploads(service)
    with pytest.raises(TooLarge):
        uploads.begin(f"{bucket}/declared", length=11)
    upload = uploads.append(uploads.begin(f"{bucket}/undeclared"), 0, b"12345678")
    with pytest.raises(TooLarge):
        uploads.append(upload, 8, b"901")
    with pytest.raises(TooLarge):
        uploads.append(upload, 8, b"", length=11)
    with pytest.raises(LengthExceeded):
        uploads.append(upload, 8, b"9", length=8)
    unknown = Addition(8, BytesIO(b"901"), None, None, 60.0, "test")
    with pytest.raises(TooLarge):
        append(uploads.storage, uploads.asker, upload, unknown)
    assert uploads.find(upload).received == 8
    numbered = uploads.begin(f"{bucket}/numbered", "numbered")
    uploads.put(numbered, 1, b"123456")
    uploads.put(numbered, 2, b"7890")
    with pytest.raises(TooLarge):
        uploads.put(numbered, 3, b"1")
    uploads.put(numbered, 2, b"789")
    assert [part.size for part in list_parts(uploads.storage, uploads.asker, numbered)] == [6, 3]


def test_numbered_parts_may_come_in_any_order(service: Service, path: str) -> None:
    uploads = Uploads(service)
    upload = uploads.begin(path, "numbered", upsert=True)
    third, first = uploads.put(upload, 3, b"three"), uploads.put(upload, 1, b"one")
    replaced = uploads.put(upload, 2, b"wrong")
    second = uploads.put(upload, 2, b"two")
    listed = list_parts(uploads.storage, uploads.asker, upload)
    assert [(part.number, part.md5) for part in listed] == [(1, first.md5), (2, second.md5), (3, third.md5)]
    assert list_parts(uploads.storage, uploads.asker, upload, after=1, limit=1) == [second]
    clean_up(service)
    until(lambda: replaced.version not in service.blobs())
    with pytest.raises(NoSuchPart):
        uploads.finish(upload, [first, replaced])
    tag = uploads.finish(upload, [first, third])
    assert tag.endswith('-2"')
    assert service.get(f"/object/{path}").content == b"onethree"
    with pytest.raises(NoSuchUpload):
        uploads.put(upload, 4, b"late")
    with pytest.raises(UploadFinished):
        abort(uploads.storage, uploads.asker, upload)
    clean_up(service)
    until(lambda: not {first.version, second.version, third.version} & service.blobs())


def test_a_failure_at_the_end_leaves_everything_usable(own_service: Callable[..., Service]) -> None:
    class Refusing:
        def __init__(self) -> None:
            self.refuses = True
            self.events: list[ObjectEvent] = []

        @hookimpl
        def object_checks(self, settings: object) -> list[Callable[[UploadedObject], None]]:
            def check(uploaded: UploadedObject) -> None:
                if self.refuses:
                    raise StorageError("not now")

            return [check]

        @hookimpl
        def object_event_receivers(self, settings: object) -> list[EventReceiver]:
            return [EventReceiver("test", self.events.append)]

    plugin = Refusing()
    service = own_service(plugins={"refusing": plugin})
    path = f"{service.bucket()}/k"
    uploads = Uploads(service)
    upload = uploads.append(uploads.begin(path, length=6, upsert=True), 0, b"abc")
    blobs = service.blobs()
    with pytest.raises(StorageError, match="not now"):
        uploads.append(upload, 3, b"def")
    assert (uploads.find(upload).received, service.blobs()) == (3, blobs)
    plugin.refuses = False
    service.sql("create function fail() returns trigger language plpgsql as $$begin raise 'no'; end$$")
    service.sql("create trigger fail before update on storage.uploads for each row execute function fail()")
    with pytest.raises(DatabaseRefused):
        uploads.append(upload, 3, b"def")
    assert service.get(f"/object/{path}").status_code == 400
    assert service.blobs() == blobs
    service.sql("drop trigger fail on storage.uploads")
    assert uploads.append(upload, 3, b"def").finished is not None
    assert service.get(f"/object/{path}").content == b"abcdef"
    again = uploads.begin(path, length=1, upsert=True)
    uploads.append(again, 0, b"x")
    until(lambda: len(plugin.events) == 2)
    answered = {(event.type, event.upload_type) for event in plugin.events}
    assert answered == {("ObjectCreated:Post", "test"), ("ObjectCreated:Put", "test")}


def test_the_first_to_complete_wins(service: Service, path: str) -> None:
    uploads = Uploads(service)
    first, second = uploads.begin(path, length=3), uploads.begin(path, length=3)
    uploads.append(first, 0, b"one")
    with pytest.raises(ObjectExists):
        uploads.append(second, 0, b"two")
    with pytest.raises(ObjectExists):
        uploads.begin(path)
    assert uploads.find(second).received == 0
    assert service.get(f"/object/{path}").content == b"one"


def test_aborted_and_expired_uploads_leave_nothing(own_service: Callable[..., Service]) -> None:
    service = own_service(replaced_bytes_grace_s=0.0)
    bucket = service.bucket()
    uploads = Uploads(service)
    given_up = uploads.append(uploads.begin(f"{bucket}/a"), 0, b"bytes")
    expired = uploads.append(uploads.begin(f"{bucket}/b"), 0, b"bytes")
    kept = uploads.append(uploads.begin(f"{bucket}/c"), 0, b"bytes")
    abort(uploads.storage, uploads.asker, given_up)
    service.sql(f"update storage.uploads set expires_at = now() where id = '{expired.id}'")
    for upload, reason in ((given_up, NoSuchUpload), (expired, UploadExpired)):
        with pytest.raises(reason):
            uploads.find(upload)
        with pytest.raises(reason):
            uploads.append(upload, 5, b"x")
    uploads.storage.background.work_now()
    until(lambda: len(service.blobs()) == 1)
    assert service.blobs() == blobs_of(service)
    with pytest.raises(UploadExpired):
        uploads.find(expired)
    service.sql(f"update storage.uploads set expires_at = now() - interval '25 hours' where id = '{expired.id}'")
    uploads.storage.background.work_now()
    assert [row[0] for row in service.sql("select id from storage.uploads")] == [kept.id]
    service.delete(f"/bucket/{bucket}").raise_for_status()
    uploads.storage.background.work_now()
    until(lambda: service.blobs() == set())
    with pytest.raises(RelatedMissing):
        uploads.append(kept, 5, b"x")
    with pytest.raises(NoSuchUpload):
        uploads.find(kept)
    assert service.sql("select count(*) from storage.upload_parts") == [[0]]


def test_many_parts_of_an_old_upload_are_deleted_in_batches(own_service: Callable[..., Service]) -> None:
    """As after a day without the service: all at once would take longer than a statement may, again and again."""
    service = own_service()
    uploads = Uploads(service)
    upload = uploads.begin(f"{service.bucket()}/k", "numbered")
    service.sql(f"""
        insert into storage.upload_parts (upload_id, number, version, size, md5)
        select '{upload.id}', n, gen_random_uuid(), 1, '' from generate_series(1, 2500) as n;
        create table gone (transaction xid8);
        create function note() returns trigger language plpgsql security definer as
          $$begin insert into public.gone values (pg_current_xact_id()); return null; end$$;
        create trigger note after delete on storage.upload_parts for each row execute function note();
        update storage.uploads set expires_at = now() - interval '25 hours'
    """)
    uploads.storage.background.work_now()
    until(lambda: service.sql("select count(*) from storage.uploads") == [[0]])
    most = "select sum(n), max(n) <= 1000 from (select count(*) as n from gone group by transaction::text) as each"
    assert service.sql(most) == [[2500, True]]
    assert service.sql("select count(*) from storage.work where kind = 'delete_blob'") == [[2500]]


def test_only_its_caller_finds_an_upload(own_service: Callable[..., Service]) -> None:
    service = own_service()
    bucket = service.bucket()
    service.sql("create policy mine on storage.objects for insert to authenticated with check (owner = auth.uid())")
    creator, other = Uploads(service, "authenticated", USER), Uploads(service, "authenticated", USER.replace("3", "4"))
    upload = creator.begin(f"{bucket}/mine")
    with pytest.raises(NoSuchUpload):
        other.find(upload)
    service.sql("drop policy mine on storage.objects")
    assert creator.find(upload) == upload
    assert Uploads(service).find(upload) == upload


def test_the_sweep_keeps_the_bytes_of_parts(
    own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    service = own_service()
    monkeypatch.setenv("DATABASE_URL", service.database_url)
    monkeypatch.setenv("STORAGE_URL", service.folder.as_uri())
    upload = Uploads(service).append(Uploads(service).begin(f"{service.bucket()}/k"), 0, b"bytes")
    for statement in (None, "drop table storage.uploads, storage.upload_parts"):
        if statement:
            service.sql(statement)
        done = CliRunner().invoke(cli, ["storage", "sweep", "--older-than", "0"], catch_exceptions=False)
        assert f"{0 if statement is None else 1} without an object" in done.output
    assert upload.received == 5
