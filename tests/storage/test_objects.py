"""Deleting, copying and moving objects over HTTP."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from tests.storage.service import USER, Service, error, token, unique

NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")
RECORD = [
    "name", "bucket_id", "owner", "owner_id", "version", "id", "updated_at", "created_at", "last_accessed_at",
    "metadata", "user_metadata",
]  # fmt: skip


@pytest.fixture
def bucket(service: Service) -> str:
    return service.bucket()


def test_an_object_is_deleted(service: Service, bucket: str) -> None:
    service.upload(f"{bucket}/k").raise_for_status()
    assert error(service.delete(f"/object/{bucket}/k", headers={"content-type": "application/json"}))[3].startswith(
        "Body cannot be empty"
    )
    assert service.delete(f"/object/{bucket}/k", json={}).json() == {"message": "Successfully deleted"}
    assert error(service.delete(f"/object/{bucket}/k")) == NO_OBJECT
    assert error(service.delete(f"/object/{unique()}/k")) == NO_OBJECT


def test_many_objects_are_deleted(service: Service, bucket: str) -> None:
    for key in ("a", "b/c", "d"):
        service.upload(f"{bucket}/{key}").raise_for_status()
    answer = service.delete(f"/object/{bucket}", json={"prefixes": ["a", "b/c", "b", "no", "d\0", "a"]}).json()
    assert sorted(each["name"] for each in answer) == ["a", "b/c"]
    assert list(answer[0]) == RECORD
    assert (answer[0]["owner"], answer[0]["owner_id"]) == ("", "")
    assert service.delete(f"/object/{bucket}", json={"prefixes": ["a"]}).json() == []
    assert service.delete(f"/object/{unique()}", json={"prefixes": ["a"]}).json() == []
    assert service.delete(f"/object/{bucket}", token(), json={"prefixes": ["d"]}).json() == []
    assert service.get(f"/object/{bucket}/d").status_code == 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body must have required property 'prefixes'"),
        ({"prefixes": []}, "body/prefixes must NOT have fewer than 1 items"),
        ({"prefixes": ["k"] * 1001}, "body/prefixes must NOT have more than 1000 items"),
        ({"prefixes": [{}]}, "body/prefixes/0 must be string"),
    ],
)
def test_invalid_deletions_of_many_are_refused(service: Service, bucket: str, body: object, message: str) -> None:
    assert error(service.delete(f"/object/{bucket}", json=body)) == (400, "400", "InvalidRequest", message)


def test_a_thousand_objects_are_deleted(service: Service, bucket: str) -> None:
    service.sql(
        f"insert into storage.objects (bucket_id, name, version) select '{bucket}', i::text, gen_random_uuid() "
        "from generate_series(1, 1000) i"
    )
    answer = service.delete(f"/object/{bucket}", json={"prefixes": [str(i) for i in range(1, 1001)]})
    assert len(answer.json()) == 1000


def put(service: Service, path: str, content: bytes, **metadata: object) -> dict[str, object]:
    encoded = base64.b64encode(json.dumps(metadata).encode()).decode()
    headers = {"content-type": "text/a", "cache-control": "max-age=1", "x-metadata": encoded}
    service.put(f"/object/{path}", data=content, headers=headers).raise_for_status()
    return info(service, path)


def info(service: Service, path: str) -> dict[str, object]:
    found: dict[str, object] = service.get(f"/object/info/{path}").json()
    return found


def test_an_object_is_copied(service: Service, bucket: str) -> None:
    source = put(service, f"{bucket}/a", b"content", who="me")
    other = service.bucket()
    for body, target in (
        ({"destinationKey": "b/c"}, f"{bucket}/b/c"),
        ({"destinationKey": "a", "destinationBucket": other}, f"{other}/a"),
    ):
        answer = service.post(
            "/object/copy", token("service_role", sub=USER), json={"bucketId": bucket, "sourceKey": "a", **body}
        )
        assert list(answer.json()) == ["Key", "Id", *RECORD]
        assert answer.json()["Key"] == target
        assert answer.json()["Id"] == answer.json()["id"] != source["id"]
        assert (answer.json()["owner"], answer.json()["owner_id"]) == (USER, USER)
        copy = info(service, target)
        for same in ("size", "content_type", "cache_control", "etag", "metadata"):
            assert copy[same] == source[same]
        assert copy["version"] != source["version"]
        assert service.get(f"/object/{target}").content == b"content"


@pytest.mark.parametrize("operation", ["copy", "move"])
def test_rules_of_the_other_bucket_apply(service: Service, bucket: str, operation: str) -> None:
    put(service, f"{bucket}/a", b"content")
    body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b"}
    small, images = service.bucket(file_size_limit=6), service.bucket(allowed_mime_types=["image/*"])
    texts = service.bucket(allowed_mime_types=["text/*"], file_size_limit=7)
    for target, code in ((small, "EntityTooLarge"), (images, "InvalidMimeType")):
        assert error(service.post(f"/object/{operation}", json={**body, "destinationBucket": target}))[2] == code
    assert service.get(f"/object/{bucket}/a").content == b"content"
    assert service.post(f"/object/{operation}", json={**body, "destinationBucket": texts}).status_code == 200


@pytest.mark.parametrize("operation", ["copy", "move"])
def test_a_placeholder_has_no_bytes(service: Service, bucket: str, operation: str) -> None:
    put(service, f"{bucket}/a", b"content")
    put(service, f"{bucket}/empty", b"")
    body = {"bucketId": bucket, "destinationKey": "f/.emptyFolderPlaceholder"}
    answer = service.post(f"/object/{operation}", json={**body, "sourceKey": "a"})
    assert error(answer)[2] == "EntityTooLarge"
    assert service.get(f"/object/{bucket}/a").content == b"content"
    assert service.post(f"/object/{operation}", json={**body, "sourceKey": "empty"}).status_code == 200


def test_a_copy_with_another_type_is_checked(service: Service) -> None:
    bucket = service.bucket(allowed_mime_types=["text/*"])
    put(service, f"{bucket}/a", b"content")
    body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b", "copyMetadata": False}

    def copied(**metadata: str | None) -> tuple[int, str, str, str]:
        return error(service.post("/object/copy", json={**body, "metadata": metadata}))

    assert copied(mimetype="image/png") == (400, "415", "InvalidMimeType", "mime type image/png is not supported")
    assert copied(mimetype="text/a\r\nb: c") == (400, "415", "InvalidMimeType", "Invalid Content-Type header")
    assert copied(cacheControl="a\nb")[2] == "InvalidRequest"
    answer = service.post("/object/copy", json={**body, "metadata": {"mimetype": None, "cacheControl": ""}})
    assert answer.status_code == 200
    assert (info(service, f"{bucket}/b")["content_type"], info(service, f"{bucket}/b")["cache_control"]) == (
        "text/a",
        "max-age=1",
    )


def test_a_copy_may_have_other_metadata(service: Service, bucket: str) -> None:
    put(service, f"{bucket}/a", b"content", who="me")
    body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b", "metadata": {"cacheControl": "max-age=2"}}
    service.post("/object/copy", json=body).raise_for_status()
    assert info(service, f"{bucket}/b")["cache_control"] == "max-age=1"
    answer = service.post("/object/copy", json={**body, "copyMetadata": False}, headers={"x-upsert": "true"})
    assert answer.status_code == 200
    copy = info(service, f"{bucket}/b")
    assert (copy["cache_control"], copy["content_type"], copy["metadata"]) == ("max-age=2", "text/a", {})


def test_a_copy_may_have_another_encoding(service: Service, bucket: str) -> None:
    compressed = gzip.compress(b"content")
    service.upload(f"{bucket}/a", compressed, content_encoding="gzip").raise_for_status()

    def copied(encoding: str, **more: object) -> dict[str, object]:
        body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b", "copyMetadata": False,
                "metadata": {"contentEncoding": encoding}}  # fmt: skip
        answer = service.post("/object/copy", json={**body, **more}, headers={"x-upsert": "true"})
        answer.raise_for_status()
        assert info(service, f"{bucket}/b")["content_encoding"] == answer.json()["metadata"].get("contentEncoding")
        return {name: answer.json()["metadata"].get(name) for name in ("contentEncoding", "mimetype")}

    kind = info(service, f"{bucket}/a")["content_type"]
    assert copied("br") == {"contentEncoding": "br", "mimetype": kind}
    assert copied("") == copied("identity") == {"contentEncoding": None, "mimetype": kind}
    assert service.get(f"/object/{bucket}/b").content == compressed
    assert copied("br", copyMetadata=True) == {"contentEncoding": "gzip", "mimetype": kind}
    body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "c", "copyMetadata": False}
    refused = service.post("/object/copy", json={**body, "metadata": {"contentEncoding": "a b"}})
    assert error(refused)[2:] == ("InvalidRequest", "body/metadata/contentEncoding must be a list of content codings")


def test_a_copy_onto_itself_changes_metadata(service: Service, bucket: str) -> None:
    before = put(service, f"{bucket}/a", b"content")
    body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "a", "copyMetadata": False,
            "metadata": {"mimetype": "text/b"}}  # fmt: skip
    assert error(service.post("/object/copy", json=body))[1:3] == ("409", "KeyAlreadyExists")
    service.post("/object/copy", json=body, headers={"x-upsert": "true"}).raise_for_status()
    after = info(service, f"{bucket}/a")
    assert (after["id"], after["content_type"], after["etag"]) == (before["id"], "text/b", before["etag"])
    assert service.get(f"/object/{bucket}/a").content == b"content"


def test_copies_are_independent(service: Service, bucket: str) -> None:
    put(service, f"{bucket}/a", b"content")
    service.post("/object/copy", json={"bucketId": bucket, "sourceKey": "a", "destinationKey": "b"}).raise_for_status()
    service.delete(f"/object/{bucket}/a").raise_for_status()
    service.sql("update storage.work set due_at = due_at - interval '1 day' where kind = 'delete_blob'")
    service.application.services.storage.background.work_now()
    assert service.get(f"/object/{bucket}/b").content == b"content"


def test_invalid_copies_are_refused(service: Service, bucket: str) -> None:
    put(service, f"{bucket}/a", b"content")
    put(service, f"{bucket}/b", b"other")

    def copy(**body: object) -> tuple[int, str, str, str]:
        return error(service.post("/object/copy", json={"bucketId": bucket, **body}))

    assert copy(sourceKey="no", destinationKey="x") == NO_OBJECT
    assert copy(sourceKey="a", destinationKey="b")[1:3] == ("409", "KeyAlreadyExists")
    assert copy(sourceKey="a", destinationKey="x", destinationBucket=unique())[1:] == (
        "404", "InvalidRequest", "The related resource does not exist"
    )  # fmt: skip
    assert copy(sourceKey="a", destinationKey="..")[2] == "InvalidKey"
    assert copy(sourceKey="a", destinationKey="x", destinationBucket="a/b")[2] == "InvalidBucketName"
    assert copy(sourceKey="a")[3] == "body must have required property 'destinationKey'"
    small = service.bucket(file_size_limit=1)
    assert copy(sourceKey="a", destinationKey="x", destinationBucket=small)[2] == "EntityTooLarge"
    with service.keeping_blobs():
        assert copy(sourceKey="a", destinationKey="b")[1] == "409"


def test_an_object_is_moved(service: Service, bucket: str) -> None:
    before = put(service, f"{bucket}/a", b"content", who="me")
    other = service.bucket()
    answer = service.post(
        "/object/move",
        token("service_role", sub=USER),
        json={"bucketId": bucket, "sourceKey": "a", "destinationKey": "x/y", "destinationBucket": other},
    )
    assert answer.json() == {"message": "Successfully moved"}
    after = info(service, f"{other}/x/y")
    assert (after["id"], after["metadata"], after["etag"]) == (before["id"], {"who": "me"}, before["etag"])
    assert service.get(f"/object/{other}/x/y").content == b"content"
    assert error(service.get(f"/object/{bucket}/a")) == NO_OBJECT
    assert service.sql(f"select owner_id from storage.objects where bucket_id = '{other}'") == [[USER]]


def test_invalid_moves_are_refused(service: Service, bucket: str) -> None:
    put(service, f"{bucket}/a", b"content")
    put(service, f"{bucket}/b", b"other")

    def move(**body: object) -> tuple[int, str, str, str]:
        return error(service.post("/object/move", json={"bucketId": bucket, **body}))

    assert move(sourceKey="no", destinationKey="x") == NO_OBJECT
    assert move(sourceKey="no", destinationKey="no") == NO_OBJECT
    assert move(sourceKey="a", destinationKey="b")[1:] == (
        "409", "ResourceAlreadyExists", "The resource already exists"
    )  # fmt: skip
    assert move(sourceKey="a", destinationKey="x", destinationBucket=unique())[1:3] == ("404", "InvalidRequest")
    same = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "a"}
    assert service.post("/object/move", json=same).json() == {"message": "Successfully moved"}
    assert service.get(f"/object/{bucket}/b").content == b"other"
