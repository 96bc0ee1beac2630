"""Unfinished uploads of another user, where both may insert: by every protocol, one after the other and in races."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from bench.siege.client import ANON, SERVICE, Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds
from bench.siege.signing import ask_s3

_ALICE, _BOB = token("authenticated", sub="alice"), token("authenticated", sub="bob")
_STRANGERS = (_BOB, token("authenticated"), token("anon", sub="alice"), ANON)
_POLICIES = """
create policy siege_own on storage.objects to anon, authenticated
  using (owner_id is not distinct from auth.jwt() ->> 'sub')
  with check (bucket_id = '{bucket}' and owner_id is not distinct from auth.jwt() ->> 'sub');
create policy siege_seen on storage.buckets for select to anon, authenticated using (id = '{bucket}');
"""
_DROP = "drop policy siege_own on storage.objects; drop policy siege_seen on storage.buckets"
_TUS, _BYTES = {"Tus_Resumable": "1.0.0"}, "application/offset+octet-stream"
_ID = re.compile(rb"<UploadId>([^<]*)")
_EVIL = b"evil bytes"


def _resumable(service: Besieged, bucket: str, key: str, credential: str | None, **signed: str) -> str:
    """The path of a new upload of ten bytes; with ``X_Signature`` that of a signed one."""
    pairs = (("bucketName", bucket), ("objectName", key))
    metadata = ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in pairs)
    headers = {**_TUS, "Upload_Length": "10", "Upload_Metadata": metadata, **signed}
    where = "/upload/resumable/sign" if signed else "/upload/resumable"
    answer = service.ask("POST", where, b"", credential, **headers)
    return "/" + answer.headers.get("location", "").partition("://")[2].partition("/")[2]


def _patch(service: Besieged, path: str, body: bytes, credential: str | None, **more: str) -> Answer:
    headers = {**_TUS, "Upload_Offset": "0", "Content_Type": _BYTES, **more}
    return service.ask("PATCH", path, body, credential, **headers)


def _by_tus(service: Besieged, path: str, credential: str | None, **signed: str) -> Iterator[tuple[object, Answer]]:
    """Requests of another caller to the URL of a resumable upload."""
    yield "head", service.ask("HEAD", path, None, credential, **_TUS, **signed)
    for more in ({}, {"X_Upsert": "true"}, {"Upload_Length": "10"}):
        yield ("patch", more), _patch(service, path, _EVIL, credential, **more, **signed)
    yield "slice", _patch(service, path, b"evil", credential, **signed)
    override = {"X_HTTP_Method_Override": "DELETE"}
    yield "delete by post", service.ask("POST", path, None, credential, **_TUS, **override, **signed)
    yield "delete", service.ask("DELETE", path, None, credential, **_TUS, **signed)


def _by_s3(service: Besieged, bucket: str, key: str, upload: str, user: str) -> Iterator[tuple[object, Answer]]:
    """Requests of another caller about a multipart upload."""
    at, named = f"/{bucket}/{key}", f"uploadId={upload}"
    parts = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>x</ETag></Part>" for n in (1, 2))
    complete = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
    copy = {"x-amz-copy-source": f"{bucket}/of-the-stranger"}
    for method, query, body, headers in (
        ("PUT", f"partNumber=1&{named}", _EVIL, {}), ("PUT", f"partNumber=2&{named}", _EVIL, {}),
        ("PUT", f"partNumber=1&{named}", None, copy), ("GET", named, None, {}), ("POST", named, complete, {}),
        ("DELETE", named, None, {}),
    ):  # fmt: skip
        yield (method, query), ask_s3(service, method, f"{at}?{query}", body, user, headers)
    for query in ("uploads", "uploads&prefix=k", "uploads&delimiter=k", "uploads&max-uploads=1"):
        answer = ask_s3(service, "GET", f"/{bucket}?{query}", None, user)
        is_shown = upload.encode() in answer.body or b"<Key>k" in answer.body or b"<CommonPrefixes>" in answer.body
        yield ("listed", query), answer if is_shown else replace(answer, status=404)


def _another_users(grounds: Grounds, _: float) -> Finding:
    """Each request that an upload takes, by each stranger who may insert there; then its user ends it."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    service.sql(_POLICIES.format(bucket=bucket))
    try:
        for number, stranger in enumerate(_STRANGERS):
            key = f"k{number}"
            own = service.ask("POST", f"/object/{bucket}/of-the-stranger", b"x", stranger, X_Upsert="true")
            tally.add(own.status == 200 or stranger != _BOB, ("the stranger may insert", own.status, own.body))
            path = _resumable(service, bucket, key, _ALICE)
            for what, answer in _by_tus(service, path, stranger):
                tally.add(answer.status == 404, ("tus", number, what, answer.status, answer.body))
            tally.add(_patch(service, path, b"of Alice..", _ALICE).status == 204, "Alice's own bytes")
            _signed_ones(service, tally, bucket, f"s{number}", stranger)
            begun = ask_s3(service, "POST", f"/{bucket}/{key}-s3?uploads", None, _ALICE).body
            upload = _ID.findall(begun)[0].decode()
            part = f"/{bucket}/{key}-s3?partNumber=1&uploadId={upload}"
            etag = ask_s3(service, "PUT", part, b"of Alice..", _ALICE).headers["etag"]
            for what, answer in _by_s3(service, bucket, f"{key}-s3", upload, stranger):
                tally.add(answer.status == 404, ("s3", number, what, answer.status, answer.body))
            listed = f"<Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part>"
            body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()
            done = ask_s3(service, "POST", f"/{bucket}/{key}-s3?uploadId={upload}", body, _ALICE)
            tally.add(done.status == 200, ("Alice's own upload", done.body))
            for each in (key, f"{key}-s3"):
                tally.add(service.ask("GET", f"/object/{bucket}/{each}").body == b"of Alice..", ("bytes", each))
        tally.add(_owners(service, bucket) == [["alice"]], ("owners", _owners(service, bucket)))
    finally:
        service.sql(_DROP)
    return tally.finding()


def _signed_ones(service: Besieged, tally: Tally, bucket: str, key: str, stranger: str) -> None:
    """An upload by a link of Alice's, tried with links for the same object that others have signed."""

    def link(credential: str) -> dict[str, str]:
        answer = service.ask("POST", f"/object/upload/sign/{bucket}/{key}", None, credential)
        return {"X_Signature": answer.json["token"]} if answer.status == 200 else {"X_Signature": "none"}

    mine = link(_ALICE)
    path = _resumable(service, bucket, key, None, **mine)
    for credential in (stranger, SERVICE):
        for what, answer in _by_tus(service, path, None, **link(credential)):
            tally.add(400 <= answer.status < 500, ("signed", what, answer.status, answer.body))
    for what, answer in _by_tus(service, path.replace("/sign/", "/"), stranger):
        tally.add(answer.status == 404, ("signed, without its link", what, answer.status, answer.body))
    tally.add(_patch(service, path, b"of Alice..", None, **mine).status == 204, "the bytes of her link")


def _raced(grounds: Grounds, seconds: float) -> Finding:
    """The last bytes of an upload by its user and by another, at once: only its user's become the object."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    service.sql(_POLICIES.format(bucket=bucket))
    try:
        for number in range(max(5, int(seconds) * 2)):
            path = _resumable(service, bucket, f"k{number}", _ALICE)
            senders = [(_EVIL, _BOB), (b"of Alice..", _ALICE), (_EVIL, _BOB)]
            with ThreadPoolExecutor(len(senders)) as pool:
                answers = list(pool.map(lambda sent, at=path: _patch(service, at, *sent).status, senders))
            tally.add(answers == [404, 204, 404], (number, answers))
            found = service.ask("GET", f"/object/{bucket}/k{number}").body
            tally.add(found == b"of Alice..", (number, found))
        tally.add(_owners(service, bucket) == [["alice"]], ("owners", _owners(service, bucket)))
    finally:
        service.sql(_DROP)
    return tally.finding()


def _owners(service: Besieged, bucket: str) -> list[list[object]]:
    kept = f"select distinct owner_id from storage.objects where bucket_id = '{bucket}' and name <> 'of-the-stranger'"
    return service.sql(kept)


ATTACKS = (
    Attack(
        "another user's uploads", "an unfinished upload exists for its user alone, by every protocol", _another_users
    ),
    Attack("another user's last bytes", "only its user's bytes end an upload", _raced),
)
