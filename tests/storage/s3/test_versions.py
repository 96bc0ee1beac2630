"""Versions of objects: kept, listed, read, deleted and made current again, in the S3 protocol."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, client, code_of
from tests.storage.service import USER, Service, token, unique

LARGE = 2 * 1024**2


@pytest.fixture
def bucket(s3: Any, s3_service: Service) -> str:
    name = s3_service.bucket()
    enable(s3, name)
    return name


def enable(s3: Any, bucket: str, status: str = "Enabled") -> None:
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": status})


def refusal(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def put(s3: Any, bucket: str, body: bytes, key: str = "k", **more: Any) -> str:
    return s3.put_object(Bucket=bucket, Key=key, Body=body, **more).get("VersionId", "null")


def read(s3: Any, bucket: str, version: str | None = None, key: str = "k") -> bytes:
    named = {} if version is None else {"VersionId": version}
    return s3.get_object(Bucket=bucket, Key=key, **named)["Body"].read()


def listed(s3: Any, bucket: str, **more: Any) -> list[tuple[str, str, str, bool]]:
    """Kind, key, id and whether it is the latest, in the order of the listing."""
    found: list[tuple[str, str, str, bool]] = []
    answer = s3.list_object_versions(Bucket=bucket, **more)
    for kind in ("Versions", "DeleteMarkers"):
        found += [(kind[0], each["Key"], each["VersionId"], each["IsLatest"]) for each in answer.get(kind, ())]
    return found


def ids(s3: Any, bucket: str) -> set[str]:
    return {version for _, _, version, _ in listed(s3, bucket)}


def test_the_status_is_kept(s3: Any, s3_service: Service) -> None:
    bucket = s3_service.bucket()
    assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)
    for status in ("Enabled", "Suspended", "Enabled"):
        enable(s3, bucket, status)
        assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == status
    mfa = {"Bucket": bucket, "VersioningConfiguration": {"Status": "Enabled", "MFADelete": "Enabled"}}
    assert refusal(s3.put_bucket_versioning, **mfa) == (501, "NotImplemented")
    assert refusal(s3.get_bucket_versioning, Bucket=unique()) == (404, "NoSuchBucket")


@pytest.mark.parametrize("size", [1, LARGE])
def test_older_versions_are_kept(s3: Any, bucket: str, size: int) -> None:
    bodies = [bytes([n]) * size for n in range(3)]
    made = [put(s3, bucket, body, Metadata={"n": str(n)}) for n, body in enumerate(bodies)]
    assert len(set(made)) == 3
    assert listed(s3, bucket) == [("V", "k", version, version == made[2]) for version in reversed(made)]
    for n, version in enumerate(made):
        found = s3.get_object(Bucket=bucket, Key="k", VersionId=version)
        assert (found["Body"].read(), found["VersionId"], found["Metadata"]) == (bodies[n], version, {"n": str(n)})
        assert s3.head_object(Bucket=bucket, Key="k", VersionId=version)["ContentLength"] == size
    assert s3.get_object(Bucket=bucket, Key="k")["VersionId"] == made[2]
    assert refusal(s3.get_object, Bucket=bucket, Key="k", VersionId="none") == (404, "NoSuchVersion")
    partial = s3.get_object(Bucket=bucket, Key="k", VersionId=made[0], Range="bytes=0-0")
    assert (partial["Body"].read(), partial["ResponseMetadata"]["HTTPStatusCode"]) == (bodies[0][:1], 206)


def test_a_deletion_leaves_a_marker(s3: Any, s3_service: Service, bucket: str) -> None:
    version = put(s3, bucket, b"x")
    deleted = s3.delete_object(Bucket=bucket, Key="k")
    marker = deleted["VersionId"]
    assert deleted["DeleteMarker"] is True
    with pytest.raises(ClientError) as caught:
        s3.get_object(Bucket=bucket, Key="k")
    headers = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
    assert code_of(caught.value) == (404, "NoSuchKey")
    assert (headers["x-amz-delete-marker"], headers["x-amz-version-id"]) == ("true", marker)
    assert refusal(s3.get_object, Bucket=bucket, Key="k", VersionId=marker) == (405, "MethodNotAllowed")
    assert listed(s3, bucket) == [("V", "k", version, False), ("D", "k", marker, True)]
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
    assert read(s3, bucket, version) == b"x"
    assert refusal(s3.delete_bucket, Bucket=bucket) == (409, "BucketNotEmpty")
    undeleted = s3.delete_object(Bucket=bucket, Key="k", VersionId=marker)
    assert (undeleted["DeleteMarker"], undeleted["VersionId"]) == (True, marker)
    assert read(s3, bucket) == b"x"
    assert listed(s3, bucket) == [("V", "k", version, True)]


def test_a_version_is_deleted_for_good(s3: Any, s3_service: Service, bucket: str) -> None:
    first, second, third = (put(s3, bucket, body) for body in (b"1", b"2", b"3"))
    s3.delete_object(Bucket=bucket, Key="k", VersionId=second)
    assert ids(s3, bucket) == {first, third}
    s3.delete_object(Bucket=bucket, Key="k", VersionId=third)
    assert (ids(s3, bucket), read(s3, bucket)) == ({first}, b"1")
    s3.delete_object(Bucket=bucket, Key="k", VersionId=first)
    assert listed(s3, bucket) == []
    assert refusal(s3.get_object, Bucket=bucket, Key="k") == (404, "NoSuchKey")
    s3.delete_object(Bucket=bucket, Key="k", VersionId=first)
    names = s3_service.sql("select version from storage.work where kind = 'delete_blob'")
    assert {first, second, third} <= {name for (name,) in names} | ({first, second, third} - s3_service.blobs())
    s3.delete_bucket(Bucket=bucket)


def test_an_object_from_before_has_the_version_null(s3: Any, s3_service: Service) -> None:
    bucket = s3_service.bucket()
    s3.put_object(Bucket=bucket, Key="k", Body=b"old")
    assert "VersionId" not in s3.head_object(Bucket=bucket, Key="k")
    enable(s3, bucket)
    version = put(s3, bucket, b"new")
    assert (read(s3, bucket), read(s3, bucket, "null"), read(s3, bucket, version)) == (b"new", b"old", b"new")
    assert listed(s3, bucket) == [("V", "k", version, True), ("V", "k", "null", False)]
    enable(s3, bucket, "Suspended")
    assert put(s3, bucket, b"suspended") == "null"
    assert listed(s3, bucket) == [("V", "k", "null", True), ("V", "k", version, False)]
    put(s3, bucket, b"again")
    assert (read(s3, bucket, "null"), ids(s3, bucket)) == (b"again", {"null", version})
    assert s3.delete_object(Bucket=bucket, Key="k")["VersionId"] == "null"
    assert listed(s3, bucket) == [("V", "k", version, False), ("D", "k", "null", True)]
    s3.delete_object(Bucket=bucket, Key="k", VersionId="null")
    assert (read(s3, bucket), ids(s3, bucket)) == (b"new", {version})


def test_a_copy_restores_a_version(s3: Any, bucket: str) -> None:
    first = put(s3, bucket, b"1", Metadata={"a": "1"}, Tagging="t=1")
    put(s3, bucket, b"2")
    source = {"Bucket": bucket, "Key": "k", "VersionId": first}
    copied = s3.copy_object(Bucket=bucket, Key="k", CopySource=source)
    assert copied["CopySourceVersionId"] == first
    found = s3.get_object(Bucket=bucket, Key="k")
    assert (found["Body"].read(), found["Metadata"], found["VersionId"]) == (b"1", {"a": "1"}, copied["VersionId"])
    assert s3.get_object_tagging(Bucket=bucket, Key="k")["TagSet"] == [{"Key": "t", "Value": "1"}]
    s3.delete_object(Bucket=bucket, Key="k")
    s3.copy_object(Bucket=bucket, Key="k", CopySource=source)
    assert read(s3, bucket) == b"1"
    upload = {"Bucket": bucket, "Key": "parts"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    part = s3.upload_part_copy(**upload, PartNumber=1, CopySource=source)["CopyPartResult"]
    done = s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]})
    assert read(s3, bucket, done["VersionId"], "parts") == b"1"
    missing = {**source, "VersionId": "none"}
    assert refusal(s3.copy_object, Bucket=bucket, Key="k", CopySource=missing) == (404, "NoSuchVersion")


def test_versions_have_tags_of_their_own(s3: Any, bucket: str) -> None:
    first = put(s3, bucket, b"1", Tagging="n=1")
    second = put(s3, bucket, b"2", Tagging="n=2")

    def tags(version: str) -> dict[str, str]:
        found = s3.get_object_tagging(Bucket=bucket, Key="k", VersionId=version)["TagSet"]
        return {each["Key"]: each["Value"] for each in found}

    assert (tags(first), tags(second)) == ({"n": "1"}, {"n": "2"})
    s3.put_object_tagging(Bucket=bucket, Key="k", VersionId=first, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    s3.delete_object_tagging(Bucket=bucket, Key="k", VersionId=second)
    assert (tags(first), tags(second)) == ({"a": "b"}, {})
    assert (
        s3.head_object(Bucket=bucket, Key="k", VersionId=first)["ResponseMetadata"]["HTTPHeaders"][
            "x-amz-tagging-count"
        ]
        == "1"
    )
    missing = {"Bucket": bucket, "Key": "k", "VersionId": "none"}
    assert refusal(s3.delete_object_tagging, **missing) == (404, "NoSuchVersion")


def test_many_versions_are_deleted_at_once(s3: Any, bucket: str) -> None:
    first, second = put(s3, bucket, b"1"), put(s3, bucket, b"2")
    put(s3, bucket, b"x", "other")
    named = [{"Key": "k", "VersionId": first}, {"Key": "other"}, {"Key": "none", "VersionId": "x"}]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": named})
    deleted = {each["Key"]: each for each in answer["Deleted"]}
    assert "Errors" not in answer
    assert deleted["k"] == {"Key": "k", "VersionId": first}
    marker = deleted["other"]["DeleteMarkerVersionId"]
    assert deleted["other"]["DeleteMarker"] is True
    undeleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "other", "VersionId": marker}]})
    assert undeleted["Deleted"] == [
        {"Key": "other", "VersionId": marker, "DeleteMarker": True, "DeleteMarkerVersionId": marker}
    ]
    assert (ids(s3, bucket) >= {second}, read(s3, bucket, key="other")) == (True, b"x")


def test_a_listing_has_pages(s3: Any, bucket: str) -> None:
    wanted = []
    for key in ("a/1", "a/2", "b", "c"):
        made = [put(s3, bucket, b"x", key) for _ in range(3)]
        wanted += [("V", key, version, version == made[-1]) for version in reversed(made)]
    assert listed(s3, bucket) == wanted
    for size in (1, 2, 5):
        found: list[Any] = []
        marker: dict[str, str] = {}
        while True:
            page = s3.list_object_versions(Bucket=bucket, MaxKeys=size, **marker)
            found += [("V", each["Key"], each["VersionId"], each["IsLatest"]) for each in page["Versions"]]
            if not page["IsTruncated"]:
                break
            marker = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}
        assert found == wanted
    grouped = s3.list_object_versions(Bucket=bucket, Delimiter="/", MaxKeys=2)
    assert [each["Prefix"] for each in grouped["CommonPrefixes"]] == ["a/"]
    assert [each["Key"] for each in grouped["Versions"]] == ["b"]
    assert grouped["IsTruncated"] is True
    assert [row[1] for row in listed(s3, bucket, Prefix="a/")] == ["a/1"] * 3 + ["a/2"] * 3
    assert [row[1] for row in listed(s3, bucket, KeyMarker="a/2")] == ["b"] * 3 + ["c"] * 3
    after_prefix = s3.list_object_versions(Bucket=bucket, Delimiter="/", KeyMarker="a/")
    assert ([each["Key"] for each in after_prefix["Versions"]], "CommonPrefixes" in after_prefix) == (
        ["b"] * 3 + ["c"] * 3,
        False,
    )
    assert refusal(s3.list_object_versions, Bucket=bucket, VersionIdMarker="x") == (400, "InvalidArgument")


def test_policies_decide_on_versions(s3: Any, s3_service: Service, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    s3_service.sql(
        f"create policy {unique('all')} on storage.objects to authenticated using (bucket_id = '{bucket}');"
        f"create policy {unique('see')} on storage.buckets for select to authenticated using (id = '{bucket}')"
    )
    first, second = put(s3, bucket, b"1"), put(s3, bucket, b"2")
    named = {"Bucket": bucket, "Key": "k", "VersionId": first}
    # Without a policy on versions, only the current one is there.
    assert (read(user, bucket), read(user, bucket, second)) == (b"2", b"2")
    source = {"Bucket": bucket, "Key": "k", "VersionId": first}
    for act in (user.get_object, user.head_object, user.get_object_tagging, user.delete_object_tagging):
        assert refusal(act, **named)[0] == 404
    assert refusal(user.copy_object, Bucket=bucket, Key="k", CopySource=source) == (404, "NoSuchVersion")
    assert ids(user, bucket) == {second}
    user.delete_object(**named)
    assert refusal(user.delete_object, Bucket=bucket, Key="k", VersionId=second) == (403, "AccessDenied")
    assert (ids(s3, bucket), read(s3, bucket)) == ({first, second}, b"2")
    s3_service.sql(
        f"create policy {unique('see')} on storage.versions for select to authenticated"
        f" using (bucket_id = '{bucket}' and storage.sees_object(bucket_id, name))"
    )
    assert (read(user, bucket, first), ids(user, bucket)) == (b"1", {first, second})
    assert refusal(user.delete_object, **named) == (403, "AccessDenied")
    marker = user.delete_object(Bucket=bucket, Key="k")["VersionId"]
    assert refusal(user.get_object, **named)[0] == 404
    assert ids(user, bucket) == set()
    assert refusal(s3.get_object, Bucket=bucket, Key="k") == (404, "NoSuchKey")
    s3_service.sql(
        f"create policy {unique('delete')} on storage.versions to authenticated using (bucket_id = '{bucket}')"
    )
    user.delete_object(Bucket=bucket, Key="k", VersionId=marker)
    assert read(user, bucket) == b"2"
    user.delete_object(Bucket=bucket, Key="k", VersionId=second)
    assert (read(user, bucket), ids(user, bucket)) == (b"1", {first})


def test_a_version_keeps_its_owner(s3: Any, s3_service: Service, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    s3_service.sql(
        f"create policy {unique('all')} on storage.objects to authenticated using (bucket_id = '{bucket}');"
        f"create policy {unique('own')} on storage.versions for select to authenticated using"
        f" (bucket_id = '{bucket}' and storage.is_owner(owner_id))"
    )
    mine = put(user, bucket, b"mine")
    other = as_user(s3_service, token(sub=str(uuid4())))
    put(other, bucket, b"theirs")
    assert read(user, bucket, mine) == b"mine"
    assert refusal(other.get_object, Bucket=bucket, Key="k", VersionId=mine) == (404, "NoSuchVersion")


def test_sql_and_moves_keep_versions(s3: Any, s3_service: Service, bucket: str) -> None:
    first, second = put(s3, bucket, b"1"), put(s3, bucket, b"2")
    names = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "moved"}
    s3_service.post("/object/move", json=names).raise_for_status()
    assert (read(s3, bucket, key="moved"), read(s3, bucket, first)) == (b"2", b"1")
    assert refusal(s3.get_object, Bucket=bucket, Key="k") == (404, "NoSuchKey")
    assert s3.head_object(Bucket=bucket, Key="moved")["VersionId"] == second
    s3_service.sql(
        "set storage.allow_delete_query = 'true';"
        f" delete from storage.objects where bucket_id = '{bucket}' and name = 'moved'"
    )
    assert read(s3, bucket, second, "moved") == b"2"
    [[size]] = s3_service.sql(f"select size from storage.get_size_by_bucket() where bucket_id = '{bucket}'")
    assert size == 2


def test_emptying_a_bucket_deletes_versions(s3: Any, s3_service: Service, bucket: str) -> None:
    put(s3, bucket, b"1")
    put(s3, bucket, b"2")
    put(s3, bucket, b"x", "other")
    s3.delete_object(Bucket=bucket, Key="other")
    s3_service.post(f"/bucket/{bucket}/empty").raise_for_status()
    assert listed(s3, bucket) == []
    s3_service.delete(f"/bucket/{bucket}").raise_for_status()


def test_conditions_hold_for_the_current_version(s3: Any, bucket: str) -> None:
    put(s3, bucket, b"1", IfNoneMatch="*")
    etag = s3.head_object(Bucket=bucket, Key="k")["ETag"]
    assert refusal(s3.put_object, Bucket=bucket, Key="k", Body=b"2", IfNoneMatch="*") == (412, "PreconditionFailed")
    put(s3, bucket, b"2", IfMatch=etag)
    assert refusal(s3.put_object, Bucket=bucket, Key="k", Body=b"3", IfMatch=etag) == (412, "PreconditionFailed")
    s3.delete_object(Bucket=bucket, Key="k")
    put(s3, bucket, b"4", IfNoneMatch="*")
    assert read(s3, bucket) == b"4"
    assert len(ids(s3, bucket)) == 4


def test_a_database_without_the_table_works_without_versions(own_service: Callable[..., Service]) -> None:
    service = own_service(s3_protocol_access_key_id=KEY, s3_protocol_access_key_secret=SECRET_KEY)
    service.sql(
        "drop trigger leave_versions_on_update on storage.objects; drop table storage.versions;"
        "alter table storage.objects disable trigger user"
    )
    s3, bucket = client(service), service.bucket()
    put(s3, bucket, b"1")
    assert put(s3, bucket, b"2") == "null"
    assert (read(s3, bucket), read(s3, bucket, "null")) == (b"2", b"2")
    assert listed(s3, bucket) == [("V", "k", "null", True)]
    assert refusal(s3.get_object, Bucket=bucket, Key="k", VersionId="x") == (404, "NoSuchVersion")
    enabling = {"Bucket": bucket, "VersioningConfiguration": {"Status": "Enabled"}}
    assert refusal(s3.put_bucket_versioning, **enabling) == (501, "NotImplemented")
    assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)
    s3.delete_object(Bucket=bucket, Key="k", VersionId="null")
    assert refusal(s3.get_object, Bucket=bucket, Key="k") == (404, "NoSuchKey")


def test_a_version_is_deleted_on_a_condition(s3: Any, bucket: str) -> None:
    first, second = put(s3, bucket, b"1"), put(s3, bucket, b"2")
    etag = s3.head_object(Bucket=bucket, Key="k", VersionId=first)["ETag"]
    named = {"Bucket": bucket, "Key": "k", "VersionId": second}
    assert refusal(s3.delete_object, **named, IfMatch=etag) == (412, "PreconditionFailed")
    s3.delete_object(**{**named, "VersionId": first}, IfMatch=etag)
    s3.delete_object(**{**named, "VersionId": first}, IfMatch=etag)
    assert ids(s3, bucket) == {second}
    answer = s3.delete_objects(
        Bucket=bucket, Delete={"Objects": [{"Key": "k", "VersionId": second, "ETag": etag}, {"Key": "none"}]}
    )
    assert [each["Code"] for each in answer["Errors"]] == ["PreconditionFailed"]
    s3.delete_object(**named, IfMatch="*")
    assert ids(s3, bucket) == set()


def test_all_versions_are_deleted_at_the_same_time(s3: Any, bucket: str) -> None:
    for _ in range(5):
        made = [put(s3, bucket, b"x") for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda version: s3.delete_object(Bucket=bucket, Key="k", VersionId=version), made))
        assert ids(s3, bucket) == set()
        assert refusal(s3.get_object, Bucket=bucket, Key="k") == (404, "NoSuchKey")


def test_attributes_and_access_lists_of_a_version(s3: Any, bucket: str) -> None:
    version = put(s3, bucket, b"12345")
    put(s3, bucket, b"1")
    found = s3.get_object_attributes(Bucket=bucket, Key="k", VersionId=version, ObjectAttributes=["ObjectSize"])
    assert (found["ObjectSize"], found["VersionId"]) == (5, version)
    assert s3.get_object_acl(Bucket=bucket, Key="k", VersionId=version)["Grants"][0]["Permission"] == "FULL_CONTROL"
    assert refusal(s3.get_object_acl, Bucket=bucket, Key="k", VersionId="none") == (404, "NoSuchVersion")
