"""Concurrent requests: nothing acknowledged is lost, and no reader gets half an object."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pg8000.native
import pytest
import requests

from app.hooks import hookimpl
from app.storage.bytes.backend import Readable
from plugins.storage.file import FolderBackend
from tests.postgres_server import connect
from tests.process.running import PATIENCE_S, until
from tests.storage.gated import Gate, alone, waits_for_a_lock
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.service import SERVICE, Service, error, token


def at_once(*calls: Callable[[], requests.Response]) -> list[requests.Response]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_one_of_two_create_only_uploads_succeeds(gated: tuple[Service, Gate]) -> None:
    service, gate = gated
    bucket = service.bucket()
    gate.barrier = threading.Barrier(2)
    path = f"/object/{bucket}/k"
    answers = at_once(*(alone(service, "POST", path, data=content) for content in (b"one", b"two")))
    gate.barrier = None
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    winner, loser = sorted(answers, key=lambda answer: answer.status_code)
    assert error(loser) == (400, "409", "KeyAlreadyExists", "The resource already exists")
    content = service.get(path).content
    assert content == (b"one" if winner is answers[0] else b"two")
    assert len(service.blobs()) == 1


def test_one_of_two_create_only_copies_succeeds(gated: tuple[Service, Gate]) -> None:
    service, gate = gated
    bucket = service.bucket()
    for key in ("a", "b"):
        service.upload(f"{bucket}/{key}", key.encode()).raise_for_status()
    gate.barrier = threading.Barrier(2)
    body = {"bucketId": bucket, "destinationKey": "k"}
    answers = at_once(*(alone(service, "POST", "/object/copy", json={**body, "sourceKey": key}) for key in ("a", "b")))
    gate.barrier = None
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert service.get(f"/object/{bucket}/k").content == (b"a" if answers[0].status_code == 200 else b"b")
    assert len(service.blobs()) == 3


def test_two_replacing_uploads_both_succeed(gated: tuple[Service, Gate]) -> None:
    service, gate = gated
    path = f"/object/{service.bucket()}/k"
    gate.barrier = threading.Barrier(2)
    answers = at_once(*(alone(service, "PUT", path, data=content) for content in (b"one", b"two")))
    gate.barrier = None
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["Id"] == answers[1].json()["Id"]
    assert service.get(path).content in (b"one", b"two")


def test_a_conditional_upload_loses_to_another(gated: tuple[Service, Gate]) -> None:
    service, gate = gated
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=b"old").raise_for_status()
    etag = service.get(path).headers["etag"]
    gate.barrier = threading.Barrier(2)
    answers = at_once(
        *(alone(service, "PUT", path, data=content, headers={"if-match": etag}) for content in (b"one", b"two"))
    )
    gate.barrier = None
    assert sorted(answer.status_code for answer in answers) == [200, 412]


@pytest.mark.parametrize(
    ("credential", "answered"),
    [
        # Its bucket was there when it was permitted.
        (token(), (400, "404", "InvalidRequest", "The related resource does not exist")),
        # Its bucket is looked up when the row is written.
        (SERVICE, (400, "404", "NoSuchBucket", "Bucket not found")),
    ],
)
def test_an_upload_into_a_deleted_bucket_is_refused(
    gated: tuple[Service, Gate], credential: str, answered: tuple[int, str, str, str]
) -> None:
    service, gate = gated
    service.sql("create policy a on storage.objects for insert to authenticated with check (true)")
    bucket = service.bucket()
    with ThreadPoolExecutor(1) as pool, gate.hold():
        uploading = pool.submit(alone(service, "POST", f"/object/{bucket}/k", credential, data=b"x"))
        assert gate.reached.wait(PATIENCE_S)
        assert service.delete(f"/bucket/{bucket}").status_code == 200
        gate.open.set()
        answer = uploading.result()
    assert error(answer) == answered
    assert service.blobs() == set()


@pytest.mark.parametrize("is_move", [False, True], ids=["deletion", "move"])
def test_a_change_applies_to_a_replaced_object(own_service: Callable[..., Service], is_move: bool) -> None:
    """The request waits for a deletion that another object of the same name follows in the same transaction."""
    service = own_service()
    bucket = service.bucket()
    path = f"/object/{bucket}/k"
    service.upload(f"{bucket}/k", b"old").raise_for_status()
    body = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "l"}
    change = alone(service, "POST", "/object/move", json=body) if is_move else alone(service, "DELETE", path)
    with ThreadPoolExecutor(1) as pool, contextlib.closing(connect(service.database_url)) as other:
        other.run("begin")
        other.run("set local storage.allow_delete_query = 'true'")
        other.run("delete from storage.objects")
        other.run("insert into storage.objects (bucket_id, name) values (:bucket, 'k')", bucket=bucket)
        changing = pool.submit(change)
        until(lambda: waits_for_a_lock(service) == 1)
        other.run("commit")
        answer = changing.result()
    assert answer.status_code == 200, answer.text
    assert [name for (name,) in service.sql("select name from storage.objects")] == (["l"] if is_move else [])


# A request that looks up an object waits while another session holds the lock 1.
HELD_LOOKS = """
    create function public.looked() returns boolean language plpgsql as
        'begin perform pg_advisory_lock_shared(1); perform pg_advisory_unlock_shared(1); return true; end';
    create policy a on storage.objects to authenticated using (public.looked()) with check (true)
"""


@pytest.mark.parametrize("kind", ["deletion", "deletion of many", "move"])
def test_a_change_ends_after_repeated_replacements(own_service: Callable[..., Service], kind: str) -> None:
    """As before, and while the request looks what is there, the other object goes the same way."""
    service = own_service()
    service.sql(HELD_LOOKS)
    bucket = service.bucket()
    service.upload(f"{bucket}/k", b"old").raise_for_status()
    body = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "l"}
    change = {
        "deletion": alone(service, "DELETE", f"/object/{bucket}/k", token()),
        "deletion of many": alone(service, "DELETE", f"/object/{bucket}", token(), json={"prefixes": ["k", "m"]}),
        "move": alone(service, "POST", "/object/move", token(), json=body),
    }[kind]

    def replace(other: pg8000.native.Connection) -> None:
        other.run("begin")
        other.run("set local storage.allow_delete_query = 'true'")
        other.run("delete from storage.objects")
        other.run("insert into storage.objects (bucket_id, name) values (:bucket, 'k')", bucket=bucket)

    with (
        ThreadPoolExecutor(1) as pool,
        contextlib.closing(connect(service.database_url)) as other,
        contextlib.closing(connect(service.database_url)) as gate,
    ):
        replace(other)
        changing = pool.submit(change)

        def waits() -> bool:
            return changing.done() or waits_for_a_lock(service) == 1

        for _ in range(3):
            until(waits)
            gate.run("select pg_advisory_lock(1)")
            other.run("commit")
            # Now it looks what is there.
            until(waits)
            replace(other)
            gate.run("select pg_advisory_unlock(1)")
        until(waits)
        other.run("commit")
        answer = changing.result()
    assert answer.status_code == 200, answer.text
    assert [name for (name,) in service.sql("select name from storage.objects")] == (["l"] if kind == "move" else [])
    if kind == "deletion of many":
        assert [each["name"] for each in answer.json()] == ["k"]


def test_an_overwrite_during_a_move_is_not_lost(gated: tuple[Service, Gate]) -> None:
    """The overwrite begins before the move and ends after it: both succeed, and both contents exist."""
    service, gate = gated
    bucket = service.bucket()
    service.upload(f"{bucket}/a", b"old").raise_for_status()
    with ThreadPoolExecutor(1) as pool, gate.hold():
        uploading = pool.submit(alone(service, "PUT", f"/object/{bucket}/a", data=b"new"))
        assert gate.reached.wait(PATIENCE_S)
        move = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b"}
        assert service.post("/object/move", json=move).status_code == 200
        gate.open.set()
        assert uploading.result().status_code == 200
    assert service.get(f"/object/{bucket}/a").content == b"new"
    assert service.get(f"/object/{bucket}/b").content == b"old"


def test_moves_and_overwrites_lose_nothing(own_service: Callable[..., Service]) -> None:
    """The last acknowledged overwrite exists under one of the two names."""
    service = own_service()
    bucket = service.bucket()
    service.upload(f"{bucket}/a", b"0").raise_for_status()
    acknowledged = ["0"]
    stop = threading.Event()

    def overwrite() -> None:
        try:
            for number in range(1, 60):
                answer = alone(service, "PUT", f"/object/{bucket}/a", data=str(number).encode())()
                assert answer.status_code == 200
                acknowledged.append(str(number))
        finally:
            stop.set()

    def move() -> None:
        while not (found and stop.is_set()):
            body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b"}
            if alone(service, "POST", "/object/move", json=body)().status_code == 200:
                moved = service.get(f"/object/{bucket}/b").content.decode()
                # The last write may have been read before its response arrived.
                assert int(moved) <= int(acknowledged[-1]) + 1
                service.delete(f"/object/{bucket}/b").raise_for_status()
                found.append(moved)

    found: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(overwrite), pool.submit(move)]:
            future.result()
    left = service.get(f"/object/{bucket}/a")
    assert (left.content.decode() if left.status_code == 200 else found[-1]) == "59"


def test_readers_see_the_old_or_the_new_object(own_service: Callable[..., Service]) -> None:
    """Downloads give one whole version while the object is replaced and the replaced bytes are deleted at once."""
    service = own_service(replaced_bytes_grace_s=0.0)
    path = f"/object/{service.bucket()}/k"
    contents = [bytes([65 + number]) * 300_000 for number in range(20)]
    service.put(path, data=contents[0]).raise_for_status()
    stop = threading.Event()
    background = service.application.services.storage.background

    def read() -> int:
        count = 0
        with requests.Session() as session:
            while not (count and stop.is_set()):
                answer = session.get(service.url + path, headers=session_headers, timeout=PATIENCE_S)
                assert answer.status_code == 200, answer.text
                assert answer.content in contents
                count += 1
        return count

    session_headers = {"authorization": f"Bearer {SERVICE}"}
    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for content in contents:
                service.put(path, data=content).raise_for_status()
                background.work_now()
        finally:
            stop.set()
        assert all(reader.result() for reader in readers)


class Overtaken(FolderBackend):
    """Before the bytes of an object are opened, the object is replaced and they are deleted, as often as requested."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.replace: list[Callable[[], None]] = []

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        if self.replace:
            self.replace.pop()()
        return super().open_read(key, start, end)


class OvertakenPlugin:
    def __init__(self, root: Path) -> None:
        self.backend = Overtaken(root)

    @hookimpl
    def storage_backend(self, url: str) -> FolderBackend | None:
        return self.backend if url.startswith("overtaken:") else None


@pytest.mark.parametrize("reads", ["a download", "a part that is copied"])
def test_a_reader_of_an_often_replaced_object_succeeds(
    own_service: Callable[..., Service], tmp_path: Path, reads: str
) -> None:
    plugin = OvertakenPlugin(tmp_path / "overtaken")
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(plugins={"it": plugin}, storage_url="overtaken:", replaced_bytes_grace_s=0.0, **keys)
    bucket = service.bucket()
    path = f"/object/{bucket}/k"
    service.put(path, data=b"first").raise_for_status()
    s3, target = client(service), {"Bucket": bucket, "Key": "copy"}
    target["UploadId"] = s3.create_multipart_upload(**target)["UploadId"]

    def replace() -> None:
        alone(service, "PUT", path, data=b"later")().raise_for_status()
        until(lambda: service.application.services.storage.background.work_now() or len(service.blobs()) == 1)

    service.folder = tmp_path / "overtaken"
    plugin.backend.replace = [replace] * 4
    if reads == "a download":
        answer = service.get(path)
        assert (answer.status_code, answer.content) == (200, b"later")
    else:
        part = s3.upload_part_copy(**target, PartNumber=1, CopySource={"Bucket": bucket, "Key": "k"})
        assert part["CopyPartResult"]["ETag"] == service.get(path).headers["etag"]
    assert plugin.backend.replace == []


def test_a_deadlock_is_retried(own_service: Callable[..., Service]) -> None:
    """PostgreSQL aborts the request to end a deadlock with another session; it is repeated without an error."""
    service = own_service()
    bucket = service.bucket()
    for key in ("k1", "k2", "k3"):
        service.upload(f"{bucket}/{key}").raise_for_status()
    lock = "select from storage.objects where name = '{}' for update"
    with (
        ThreadPoolExecutor(2) as pool,
        contextlib.closing(connect(service.database_url)) as gate,
        contextlib.closing(connect(service.database_url)) as other,
    ):
        gate.run("begin")
        gate.run(lock.format("k2"))
        other.run("begin")
        # So that never the other session is aborted.
        other.run("set local deadlock_timeout = '1d'")
        other.run(lock.format("k3"))
        body = {"prefixes": ["k1", "k2", "k3"]}
        deleting = pool.submit(alone(service, "DELETE", f"/object/{bucket}", json=body))
        until(lambda: waits_for_a_lock(service) == 1)
        locking = pool.submit(other.run, lock.format("k1"))
        until(lambda: waits_for_a_lock(service) == 2)
        # Now the other one waits for the service, which goes on until it waits for the other one.
        gate.run("rollback")
        locking.result()
        other.run("rollback")
        answer = deleting.result()
    assert sorted(each["name"] for each in answer.json()) == ["k1", "k2", "k3"]


def test_a_move_into_a_bucket_that_is_being_emptied_works(own_service: Callable[..., Service]) -> None:
    service = own_service()
    bucket, elsewhere = service.bucket(), service.bucket()
    for path in (f"{bucket}/gone", f"{elsewhere}/k"):
        service.upload(path).raise_for_status()
    with ThreadPoolExecutor(1) as pool, contextlib.closing(connect(service.database_url)) as other:
        other.run("begin")
        other.run("select from storage.objects where name = 'gone' for update")
        emptying = pool.submit(alone(service, "POST", f"/bucket/{bucket}/empty"))
        until(lambda: waits_for_a_lock(service) == 1)
        body = {"bucketId": elsewhere, "sourceKey": "k", "destinationBucket": bucket, "destinationKey": "k"}
        service.post("/object/move", json=body).raise_for_status()
        other.run("commit")
        assert emptying.result().status_code == 200
    assert service.sql("select bucket_id, name from storage.objects") == [[bucket, "k"]]


@pytest.mark.parametrize("version", ["list", "list-v2"])
@pytest.mark.parametrize(
    ("change", "listed"),
    [
        ("update storage.objects set bucket_id = '{other}' where name = 'm'", {"a", "k", "z"}),
        ("update storage.objects set name = 'zz' where name = 'm'", {"a", "k", "z"}),
        (
            "set local storage.allow_delete_query = 'true'; delete from storage.objects where name = 'm';"
            "insert into storage.objects (bucket_id, name) values ('{bucket}', 'm')",
            {"a", "k", "m", "z"},
        ),
    ],
    ids=["moved to another bucket", "moved to another name", "replaced by another"],
)
def test_an_object_deleted_during_a_listing_is_left_out(
    own_service: Callable[..., Service], version: str, change: str, listed: set[str]
) -> None:
    """When the service has found the keys, and before it asks what of them the caller sees."""
    service = own_service()
    service.sql("create policy a on storage.objects for select to authenticated using (true)")
    bucket, other_bucket = service.bucket(), service.bucket()
    for key in "akmz":
        service.upload(f"{bucket}/{key}").raise_for_status()

    def keys() -> set[str]:
        if version == "list":
            answer = alone(service, "POST", f"/object/list/{bucket}", token(), json={"prefix": ""})()
            return {each["name"] for each in answer.json()}
        found, body = set(), {"limit": 3}
        while True:
            page = alone(service, "POST", f"/object/list-v2/{bucket}", token(), json=body)().json()
            found.update(each["name"] for each in page["objects"])
            if not page["hasNext"]:
                return found
            body["cursor"] = page["nextCursor"]

    changing = f"begin; lock table storage.objects; {change.format(bucket=bucket, other=other_bucket)}; commit"
    with (
        ThreadPoolExecutor(2) as pool,
        contextlib.closing(connect(service.database_url)) as gate,
        contextlib.closing(connect(service.database_url)) as other,
    ):
        gate.run("begin")
        gate.run("lock table storage.objects")
        listing = pool.submit(keys)
        # A listing that waits gets more time once; after that the change gets the lock.
        until(lambda: service.application.services.storage.long_reads.taken("authenticated"))
        until(lambda: waits_for_a_lock(service) == 1)
        changed = pool.submit(other.execute_simple, changing)
        until(lambda: waits_for_a_lock(service) == 2)
        gate.run("commit")
        changed.result()
        # A key that the object got meanwhile may be listed or not.
        assert listing.result() - {"zz"} == listed
