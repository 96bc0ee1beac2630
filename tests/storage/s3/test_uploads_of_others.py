"""An unfinished upload belongs to its caller: for all others but service_role it does not exist, in any protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from app.faces.s3.access_keys import AccessKey, AccessKeys
from tests.process.running import PATIENCE_S
from tests.storage.s3.clients import as_user, client, code_of
from tests.storage.service import ANON, SERVICE, USER, Service, token, unique
from tests.storage.test_resumable import COLLECTION, Client, signed_token, status_and_text, tus_metadata

OTHER = USER.replace("3", "4")
ALICE, BOB = token(sub=USER), token(sub=OTHER)
# To tus it is an upload that never was, to S3 as well.
NONE = (404, "The file for this url was not found\n")
NO_UPLOAD = (404, "NoSuchUpload")
MINE = "(metadata ->> 'mimetype') is not null and owner_id is not distinct from auth.jwt() ->> 'sub'"


@pytest.fixture
def path(s3_service: Service) -> str:
    """A key where all roles may insert what is theirs."""
    bucket = s3_service.bucket()
    s3_service.sql(
        f"create policy {unique('seen')} on storage.buckets for select to anon, authenticated using (id = '{bucket}')"
    )
    for role in ("anon", "authenticated"):
        s3_service.sql(
            f"create policy {unique('own')} on storage.objects to {role}"
            f" using (bucket_id = '{bucket}' and {MINE}) with check (bucket_id = '{bucket}' and {MINE})"
        )
    return f"{bucket}/k"


@pytest.fixture
def new_key(s3_service: Service) -> Callable[..., AccessKey]:
    storage = s3_service.application.services.storage
    keys = AccessKeys(storage.database, storage.contexts, "a secret that is long enough for the tests")
    return lambda **claims: keys.create("", claims)


def rows(service: Service, path: str) -> list[list[Any]]:
    bucket, _, key = path.partition("/")
    return service.sql(f"select owner_id from storage.objects where bucket_id = '{bucket}' and name = '{key}'")


@pytest.mark.parametrize(
    "stranger",
    [BOB, token(), ANON, token("authenticated", sub=USER + " "), token("anon", sub=USER)],
    ids=["another subject", "no subject", "anon", "a similar subject", "another role"],
)
def test_a_resumable_upload_is_hidden_from_others(s3_service: Service, path: str, stranger: str) -> None:
    alice, bob = Client(s3_service, ALICE), Client(s3_service, stranger)
    url = alice.begin(path, 10)
    for _ in range(2):
        assert bob.head(url).status_code == 404
        assert status_and_text(bob.patch(url, 0, b"0123456789")) == NONE
        assert status_and_text(bob.patch(url, 3, b"0123456789", **{"upload-length": "11"})) == NONE
        assert status_and_text(bob.send("DELETE", url)) == NONE
        assert status_and_text(bob.send("POST", url, **{"x-http-method-override": "DELETE"})) == NONE
        # Also when it has become an object.
        assert alice.patch(url, 0 if not rows(s3_service, path) else 10, b"").status_code == 204
        assert alice.patch(url, 0, b"of Alice..").status_code in (204, 409)
    assert rows(s3_service, path) == [[USER]]
    assert s3_service.get(f"/object/{path}").content == b"of Alice.."


def test_an_expired_upload_of_another_never_was(s3_service: Service, path: str) -> None:
    alice, bob = Client(s3_service, ALICE), Client(s3_service, BOB)
    url = alice.begin(path, 10)
    s3_service.sql(f"update storage.uploads set expires_at = now() where name = 'k' and owner_id = '{USER}'")
    assert (alice.head(url).status_code, bob.head(url).status_code) == (410, 404)


def test_a_new_token_of_the_same_user_continues(s3_service: Service, path: str) -> None:
    url = Client(s3_service, ALICE).begin(path, 10)
    renewed = Client(s3_service, token(sub=USER, session_id="another", email="a@b.example"))
    assert renewed.patch(url, 0, b"of Alice..").status_code == 204
    assert rows(s3_service, path) == [[USER]]


def test_the_service_role_finishes_and_aborts_any_upload(s3_service: Service, path: str) -> None:
    alice, service = Client(s3_service, ALICE), Client(s3_service, SERVICE)
    url = alice.begin(path, 10)
    service.patch(url, 0, b"0123456789").raise_for_status()
    assert rows(s3_service, path) == [[USER]]
    other = alice.begin(path + "2", 10)
    assert service.send("DELETE", other).status_code == 204
    assert alice.head(other).status_code == 404


def test_uploads_of_the_service_role_are_hidden_from_others(s3_service: Service, path: str) -> None:
    url = Client(s3_service, token("service_role", sub=USER)).begin(path, 10)
    assert Client(s3_service, ALICE).head(url).status_code == 404


def test_callers_without_a_subject_share_uploads_by_their_url(s3_service: Service, path: str) -> None:
    """They cannot be distinguished, so the id decides, and no list shows it."""
    url = Client(s3_service, ANON).begin(path, 4)
    assert Client(s3_service, token("anon", iss="another key")).patch(url, 0, b"anon").status_code == 204
    assert rows(s3_service, path) == [[None]]
    anon = as_user(s3_service, ANON)
    bucket = path.partition("/")[0]
    begun = anon.create_multipart_upload(Bucket=bucket, Key="anonymous")
    assert "Uploads" not in anon.list_multipart_uploads(Bucket=bucket)
    assert anon.list_parts(Bucket=bucket, Key="anonymous", UploadId=begun["UploadId"])["Key"] == "anonymous"


@pytest.mark.parametrize("owner", [f"'{USER}'", "null"])
def test_uploads_of_an_earlier_version_keep_their_owner(s3_service: Service, path: str, owner: str) -> None:
    begun = Client(s3_service, ALICE if owner != "null" else ANON)
    url = begun.begin(path, 4)
    identifier = url.rpartition("/")[2]
    s3_service.sql(f"update storage.uploads set notes = notes - 'begunBy' where id = '{identifier}'")
    for other in (BOB, ANON if owner != "null" else ALICE):
        assert Client(s3_service, other).head(url).status_code == 404
    assert begun.patch(url, 0, b"1234").status_code == 204


def test_a_multipart_upload_is_hidden_from_others(s3_service: Service, path: str) -> None:
    alice, bob = as_user(s3_service, ALICE), as_user(s3_service, BOB)
    bucket, _, key = path.partition("/")
    named = {"Bucket": bucket, "Key": key}
    bob.put_object(Bucket=bucket, Key="of bob", Body=b"bytes of Bob")
    named["UploadId"] = alice.create_multipart_upload(**named)["UploadId"]
    etag = alice.upload_part(**named, PartNumber=1, Body=b"part")["ETag"]
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    tries: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (bob.upload_part, {"PartNumber": 1, "Body": b"evil"}),
        (bob.upload_part, {"PartNumber": 2, "Body": b"evil"}),
        (bob.upload_part_copy, {"PartNumber": 1, "CopySource": {"Bucket": bucket, "Key": "of bob"}}),
        (bob.list_parts, {}),
        (bob.complete_multipart_upload, {"MultipartUpload": parts}),
        (bob.complete_multipart_upload, {"MultipartUpload": {"Parts": [{"PartNumber": 1, "ETag": "x"}]}}),
        (bob.abort_multipart_upload, {}),
    ]

    def refused(act: Callable[..., Any], **given: Any) -> tuple[int, str]:
        with pytest.raises(ClientError) as caught:
            act(**named, **given)
        return code_of(caught.value)

    assert [refused(act, **given) for act, given in tries] == [NO_UPLOAD] * len(tries)
    presigned = bob.generate_presigned_url("upload_part", Params={**named, "PartNumber": 1})
    assert requests.put(presigned, b"evil", timeout=PATIENCE_S).status_code == 404
    shown = [each.list_multipart_uploads(Bucket=bucket).get("Uploads", []) for each in (alice, bob, client(s3_service))]
    assert [len(uploads) for uploads in shown] == [1, 0, 1]
    grouped = bob.list_multipart_uploads(Bucket=bucket, Delimiter="k")
    assert "CommonPrefixes" not in grouped
    assert alice.list_parts(**named)["Parts"][0]["ETag"] == etag
    alice.complete_multipart_upload(**named, MultipartUpload=parts)
    assert rows(s3_service, path) == [[USER]]
    assert s3_service.get(f"/object/{path}").content == b"part"
    # Repeated: the first response does not prove that the upload is the caller's.
    assert refused(bob.complete_multipart_upload, MultipartUpload=parts) == NO_UPLOAD
    alice.complete_multipart_upload(**named, MultipartUpload=parts)


def test_a_list_of_many_uploads_of_others_is_empty(s3_service: Service, path: str) -> None:
    bucket = path.partition("/")[0]
    alice, bob = as_user(s3_service, ALICE), as_user(s3_service, BOB)
    for number in range(4):
        (alice if number % 2 else bob).create_multipart_upload(Bucket=bucket, Key=f"k{number}")
    pages = alice.get_paginator("list_multipart_uploads").paginate(Bucket=bucket, PaginationConfig={"PageSize": 1})
    assert [each["Key"] for page in pages for each in page["Uploads"]] == ["k1", "k3"]


def test_uploads_by_access_keys_belong_to_the_subject_or_the_key(
    s3_service: Service, path: str, new_key: Callable[..., AccessKey]
) -> None:
    bucket, _, key = path.partition("/")
    made = [new_key(role="authenticated", **claims) for claims in ({}, {}, {"sub": USER}, {"sub": USER})]
    clients = [client(s3_service, each.id, each.secret or "") for each in made]
    for mine, seen in ((0, [0]), (2, [2, 3])):
        begun = clients[mine].create_multipart_upload(Bucket=bucket, Key=f"{key}{mine}")
        for number, each in enumerate(clients):
            listed = [one["UploadId"] for one in each.list_multipart_uploads(Bucket=bucket).get("Uploads", [])]
            assert (begun["UploadId"] in listed) == (number in seen), (mine, number)
    # By another protocol it is the same subject.
    assert len(as_user(s3_service, ALICE).list_multipart_uploads(Bucket=bucket)["Uploads"]) == 1


def test_a_signed_upload_belongs_to_its_signer(s3_service: Service, path: str) -> None:
    bucket, _, key = path.partition("/")
    given = {"upload-length": "4", "upload-metadata": tus_metadata(bucketName=bucket, objectName=key)}

    def signed_by(credential: str) -> Client:
        return Client(s3_service, None, x_signature=signed_token(s3_service, path, credential))

    alice, bob, service = (signed_by(each) for each in (ALICE, BOB, SERVICE))
    created = alice.send("POST", f"{COLLECTION}/sign", **given)
    url = created.headers["location"].removeprefix(s3_service.url)
    plain = url.replace("/sign/", "/")
    for stranger in (bob, service):
        # A link that the service has signed is in anybody's hands.
        assert stranger.head(url).status_code == 404
        assert status_and_text(stranger.patch(url, 0, b"evil")) == NONE
        assert status_and_text(stranger.send("DELETE", url)) == NONE
    assert Client(s3_service, BOB).head(plain).status_code == 404
    assert Client(s3_service, ALICE).head(plain).status_code == 200
    own = Client(s3_service, ALICE).begin(path, 4)
    assert alice.head(own.replace("/resumable/", "/resumable/sign/")).status_code == 404
    assert alice.patch(url, 0, b"link").status_code == 204
    assert rows(s3_service, path) == [[USER]]


def test_parts_of_others_cannot_be_copied(s3_service: Service, path: str) -> None:
    """A caller who may not read an object cannot copy it into an upload, or complete one of the same key with it."""
    alice, bob = as_user(s3_service, ALICE), as_user(s3_service, BOB)
    bucket, _, key = path.partition("/")
    alice.put_object(Bucket=bucket, Key="secret", Body=b"of Alice")
    named = {"Bucket": bucket, "Key": key}
    named["UploadId"] = bob.create_multipart_upload(**named)["UploadId"]
    with pytest.raises(ClientError) as caught:
        bob.upload_part_copy(**named, PartNumber=1, CopySource={"Bucket": bucket, "Key": "secret"})
    assert code_of(caught.value) == (404, "NoSuchKey")
    stolen = {"Parts": [{"PartNumber": 1, "ETag": hashlib.md5(b"of Alice").hexdigest()}]}
    with pytest.raises(ClientError) as caught:
        bob.complete_multipart_upload(**named, MultipartUpload=stolen)
    assert code_of(caught.value) == (400, "InvalidPart")
