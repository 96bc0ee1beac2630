"""Every protocol and every rule: limits, types, policies, owner, metadata and events are the same in all protocols."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from app.hooks import hookimpl
from app.storage.upkeep.events import EventReceiver, ObjectEvent
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until
from tests.storage.receiving_folder import receiving
from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, client
from tests.storage.service import SERVICE, USER, Service, running, token, unique
from tests.storage.upload_faces import FACES, STORED, Send, Sent, UploadFace, rest_post

LARGEST = 1024 * 1024
SOMEBODY = token(sub=USER)
ANOTHER = token(sub="11111111-1111-4111-8111-111111111111")
POLICIES = """
create policy open on storage.objects to authenticated
  using (bucket_id like 'open%') with check (bucket_id like 'open%');
create policy new_ones on storage.objects for insert to authenticated with check (bucket_id like 'new-ones%');
create policy own on storage.objects to authenticated
  using (bucket_id like 'own%' and owner_id = auth.uid()::text)
  with check (bucket_id like 'own%' and owner_id = auth.uid()::text);
create policy described on storage.objects for insert to authenticated with check (
  bucket_id like 'described%' and metadata ->> 'mimetype' = 'image/png' and user_metadata ->> 'colour' = 'red');
create policy described_too on storage.objects for select to authenticated using (bucket_id like 'described%');
create policy described_again on storage.objects for update to authenticated using (bucket_id like 'described%');
create table rules (bucket_id text primary key, rule text not null);
create function obeys(o storage.objects) returns boolean language plpgsql security definer as $$
declare
  rule text := (select r.rule from public.rules r where r.bucket_id = o.bucket_id);
  obeyed boolean;
begin
  execute format('select %s from (select $1.*) o', rule) using o into obeyed;
  return obeyed;
end $$;
create policy ruled on storage.objects to authenticated
  using (bucket_id like 'ruled%') with check (bucket_id like 'ruled%' and public.obeys(objects));
"""
# On what is known before the bytes, while they are read, and at the end. Before, what is not known is null.
RULES = (
    "owner_id = auth.uid()::text", "owner is null", "user_metadata is null", "user_metadata = '{}'",
    "metadata ->> 'mimetype' = 'image/png'", "coalesce((metadata ->> 'size')::bigint <= 6, true)",
    "coalesce((metadata ->> 'contentLength')::bigint <= 6, true)", "metadata ->> 'cacheControl' is null",
    "metadata ->> 'eTag' is null",
)  # fmt: skip
_numbers = itertools.count(1)
_events: list[ObjectEvent] = []


class Receivers:
    @hookimpl
    def object_event_receivers(self) -> Any:
        return [EventReceiver("faces", _events.append)]


@pytest.fixture(scope="module")
def service(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    settings = {
        "s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY, "upload_size_limit": LARGEST,
        "replaced_bytes_grace_s": 0.0, "remote_uploads": "direct",
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("faces")
    with receiving(folder) as (_, place):
        settings["plugins"] = {"receivers": Receivers, "receiving": place}
        with running(postgres, storage_database(), folder, **settings) as service:
            service.sql(POLICIES)
            yield service


def bucket(service: Service, kind: str, **settings: Any) -> str:
    """A bucket to which the policies of this kind apply."""
    name = f"{kind}-{next(_numbers)}"
    service.post("/bucket", json={"name": name, **settings}).raise_for_status()
    return name


@pytest.fixture(params=FACES, ids=lambda face: face.name)
def face(request: pytest.FixtureRequest) -> UploadFace:
    return request.param


def rows(service: Service, bucket: str) -> list[list[Any]]:
    return service.sql(
        f"""select owner_id, owner::text, metadata ->> 'mimetype', metadata ->> 'cacheControl', metadata ->> 'size',
                   metadata ->> 'contentLength', coalesce(user_metadata, '{{}}')
            from storage.objects where bucket_id = '{bucket}'"""
    )


def test_every_protocol_keeps_and_returns_the_same(service: Service, face: UploadFace) -> None:
    into = bucket(service, "open")
    sent = Sent(into, "a/b c", b"twelve bytes", user_metadata={"colour": "red"})
    assert face.send(service, SOMEBODY, sent) == STORED
    assert rows(service, into) == [[USER, USER, "image/png", "max-age=60", "12", "12", {"colour": "red"}]]
    read = service.get(f"/object/authenticated/{into}/a/b%20c", ANOTHER)
    answered = (read.content, read.headers["content-type"], read.headers["cache-control"])
    assert answered == (b"twelve bytes", "image/png", "max-age=60")
    found = client(service).get_object(Bucket=into, Key="a/b c")
    assert (found["Body"].read(), found["ETag"], found["Metadata"]) == (
        b"twelve bytes", read.headers["etag"], {"colour": "red"}
    )  # fmt: skip

    assert face.send(service, ANOTHER, Sent(into, "a/b c", b"more", "text/plain", 7)) == STORED
    assert rows(service, into)[0][2:] == ["text/plain", "max-age=7", "4", "4", {}]
    until(lambda: len(events := [each for each in _events if each.bucket_id == into]) == 2 and bool(events))
    events = sorted((each for each in _events if each.bucket_id == into), key=lambda each: each.applied_at)
    assert [each.type for each in events] == [f"ObjectCreated:{kind}" for kind in face.events]
    assert {each.upload_type for each in events} == {face.upload_type}
    assert [each.metadata["size"] for each in events] == [12, 4]


@pytest.mark.parametrize(
    ("settings", "size", "content_type", "expected"),
    [
        ({"file_size_limit": 10}, 10, "image/png", STORED),
        ({"file_size_limit": 10}, 11, "image/png", "too large"),
        ({}, LARGEST, "image/png", STORED),
        ({}, LARGEST + 1, "image/png", "too large"),
        ({"allowed_mime_types": ["image/*"]}, 4, "image/jpeg", STORED),
        ({"allowed_mime_types": ["image/*"]}, 4, "text/html", "type"),
        ({"allowed_mime_types": ["image/png"]}, 4, "image/jpeg", "type"),
        ({"allowed_mime_types": ["video/webm"]}, 4, "video/webm;codecs=vp8,opus", STORED),
        ({"allowed_mime_types": ["video/webm;codecs=vp8,opus"]}, 4, "video/webm;codecs=vp8,opus", STORED),
        ({"allowed_mime_types": ["video/webm;codecs=vp8,opus"]}, 4, "video/webm;codecs=vp9,opus", "type"),
        ({}, 4, "video/webm;codecs=vp8, text/html", "type"),
    ],
)
def test_every_protocol_enforces_the_rules_of_buckets(
    service: Service, face: UploadFace, settings: dict[str, Any], size: int, content_type: str, expected: str
) -> None:
    into, before = bucket(service, "open", **settings), service.blobs()
    assert face.send(service, SOMEBODY, Sent(into, "k", b"x" * size, content_type)) == expected
    assert bool(rows(service, into)) == (expected == STORED)
    if expected != STORED and face.name not in ("s3 multipart", "resumable"):
        # Parts are kept until the upload is aborted or expires.
        assert service.blobs() - before == set()


@pytest.mark.parametrize("content_type", ["video/webm;codecs=vp8,opus", 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'])
def test_a_type_with_a_list_of_codecs_is_kept(service: Service, face: UploadFace, content_type: str) -> None:
    """Browsers name what they record so."""
    into = bucket(service, "open")
    assert face.send(service, SOMEBODY, Sent(into, "k", b"abcd", content_type)) == STORED
    assert service.get(f"/object/authenticated/{into}/k", SOMEBODY).headers["content-type"] == content_type
    assert client(service).get_object(Bucket=into, Key="k")["ContentType"] == content_type


def test_every_protocol_follows_policies(service: Service, face: UploadFace) -> None:
    closed, new_ones, own = (bucket(service, kind) for kind in ("closed", "new-ones", "own"))
    for into in (closed, "closed-not-there"):
        # A caller who may not write there does not learn whether the bucket is there.
        assert face.send(service, SOMEBODY, Sent(into, "k", b"abcd", "text/plain")) == "denied"
    expected = "denied" if face.always_replaces else STORED
    assert face.send(service, SOMEBODY, Sent(new_ones, "k", b"abcd", replaces=False)) == expected
    assert face.send(service, SOMEBODY, Sent(new_ones, "other", b"abcd")) == "denied"
    assert [face.send(service, user, Sent(own, "k", b"abcd")) for user in (SOMEBODY, SOMEBODY, ANOTHER)] == [
        STORED, STORED, "denied"
    ]  # fmt: skip
    assert [row[0] for row in rows(service, own)] == [USER]
    assert rows(service, closed) == []


def test_policies_see_type_size_and_metadata(service: Service, face: UploadFace) -> None:
    into = bucket(service, "described")
    for content_type, colour, expected in (
        ("image/png", "blue", "denied"), ("text/plain", "red", "denied"), ("image/png", "red", STORED)
    ):  # fmt: skip
        sent = Sent(into, "k", b"abcd", content_type, user_metadata={"colour": colour}, replaces=face.always_replaces)
        assert face.send(service, SOMEBODY, sent) == expected, (content_type, colour)


def copied(service: Service, user: str, sent: Sent) -> str:
    return _from_elsewhere(service, user, sent, "copy")


def moved(service: Service, user: str, sent: Sent) -> str:
    return _from_elsewhere(service, user, sent, "move")


def _from_elsewhere(service: Service, user: str, sent: Sent, how: str) -> str:
    source, key = bucket(service, "open"), unique()
    assert rest_post(service, user, replace(sent, bucket=source, key=key)) == STORED
    names = {"bucketId": source, "sourceKey": key, "destinationBucket": sent.bucket, "destinationKey": sent.key}
    answer = service.post(f"/object/{how}", user, json=names)
    return STORED if answer.ok else {"AccessDenied": "denied"}[answer.json()["code"]]


def s3_copied(service: Service, user: str, sent: Sent) -> str:
    source, key = bucket(service, "open"), unique()
    assert rest_post(service, user, replace(sent, bucket=source, key=key)) == STORED
    try:
        as_user(service, user).copy_object(
            Bucket=sent.bucket, Key=sent.key, CopySource={"Bucket": source, "Key": key}, MetadataDirective="REPLACE",
            ContentType=sent.content_type, Metadata=dict(sent.user_metadata),
        )  # fmt: skip
    except ClientError as ex:
        return {"AccessDenied": "denied"}[ex.response["Error"]["Code"]]
    return STORED


def of_unknown_length(service: Service, user: str, sent: Sent) -> str:
    headers = {"authorization": f"Bearer {user}", **sent.headers}
    url = f"{service.url}/object/{sent.bucket}/{sent.key}"
    answer = requests.post(url, data=iter([sent.content]), headers=headers, timeout=PATIENCE_S)
    return STORED if answer.ok else {"AccessDenied": "denied"}[answer.json()["code"]]


@pytest.mark.parametrize(
    "send",
    [*(each.send for each in FACES), copied, moved, s3_copied, of_unknown_length],
    ids=lambda send: send.__name__,
)
def test_policies_check_exactly_the_written_row(service: Service, send: Send) -> None:
    for content, user_metadata in ((b"abcd", {}), (b"twelve bytes", {"colour": "red"})):
        free = bucket(service, "open")
        assert send(service, SOMEBODY, Sent(free, "k", content, user_metadata=user_metadata)) == STORED
        for rule in RULES:
            into = bucket(service, "ruled")
            literal = rule.replace("'", "''")
            service.sql(f"insert into rules values ('{into}', '{literal}')")
            asked = f"set_config('request.jwt.claims', '{json.dumps({'sub': USER})}', true)"
            ((obeyed,),) = service.sql(
                f"select coalesce({rule}, false) from storage.objects, {asked} where bucket_id = '{free}'"
            )
            expected = STORED if obeyed else "denied"
            sent = Sent(into, "k", content, user_metadata=user_metadata)
            assert send(service, SOMEBODY, sent) == expected, (rule, content)
            assert bool(rows(service, into)) == obeyed, (rule, content)


def test_missing_buckets_and_existing_objects_are_reported(service: Service, face: UploadFace) -> None:
    assert face.send(service, SERVICE, Sent("not-there", "k", b"abcd")) == "no bucket"
    if face.creates:
        into = bucket(service, "open")
        for expected in (STORED, "exists"):
            assert face.send(service, SOMEBODY, Sent(into, "k", b"abcd", replaces=False)) == expected


class Readers:
    """Read one object by every way that leads to it, and keep which bytes had which entity tag."""

    def __init__(self, service: Service, bucket: str, key: str, contents: Collection[bytes]) -> None:
        self._service, self._name, self._contents = service, {"Bucket": bucket, "Key": key}, contents
        self._s3 = client(service)
        self._seen: dict[str, bytes] = {}
        self.stop = threading.Event()

    @property
    def ways(self) -> tuple[Callable[[], tuple[str, bytes] | None], ...]:
        return (lambda: self._by_rest("authenticated"), lambda: self._by_rest("public"), self._by_s3)

    def _by_rest(self, way: str) -> tuple[str, bytes] | None:
        url = f"{self._service.url}/object/{way}/{self._name['Bucket']}/{self._name['Key']}"
        answer = requests.get(url, headers={"authorization": f"Bearer {SOMEBODY}"}, timeout=PATIENCE_S)
        assert answer.status_code == 200 or answer.json()["code"] == "NoSuchKey", answer.text
        return (answer.headers["etag"], answer.content) if answer.ok else None

    def _by_s3(self) -> tuple[str, bytes] | None:
        try:
            found = self._s3.get_object(**self._name)
        except self._s3.exceptions.NoSuchKey:
            return None
        return found["ETag"], found["Body"].read()

    def read(self, way: Callable[[], tuple[str, bytes] | None]) -> int:
        """The number of reads that found the object, until ``stop`` is set."""
        count = 0
        while not (count and self.stop.is_set()):
            found = way()
            if found is not None:
                assert found[1] in self._contents
                assert self._seen.setdefault(found[0], found[1]) == found[1]
                count += 1
        return count


def test_all_protocols_can_write_one_object_at_once(service: Service) -> None:
    """One object is written by one protocol after the other, moved and deleted by others, while three clients read
    it."""
    into, key = bucket(service, "open", public=True), unique()
    contents = {bytes([65 + number]) * (50_000 + number): face for number, face in enumerate(FACES)}

    def moved() -> None:
        for source, target in ((key, "elsewhere"), ("elsewhere", key)):
            names = {"bucketId": into, "sourceKey": source, "destinationKey": target}
            service.post("/object/move", SOMEBODY, json=names).raise_for_status()

    changes = itertools.cycle([
        moved,
        lambda: service.delete(f"/object/{into}/{key}", SOMEBODY).raise_for_status(),
        lambda: None,
        lambda: client(service).delete_object(Bucket=into, Key=key),
        lambda: None,
    ])  # fmt: skip
    readers = Readers(service, into, key, contents)
    with ThreadPoolExecutor(3) as pool:
        reading = [pool.submit(readers.read, way) for way in readers.ways]
        try:
            for content, face in (*contents.items(), *contents.items()):
                assert face.send(service, SOMEBODY, Sent(into, key, content)) == STORED
                service.application.services.storage.background.work_now()
                next(changes)()
            assert face.send(service, SOMEBODY, Sent(into, key, content)) == STORED
        finally:
            readers.stop.set()
        assert all(each.result() for each in reading)
