"""Objects by boto3: what is stored, what is answered, conditions, ranges, copies and deletions."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from tests.storage.s3.clients import code_of
from tests.storage.service import Service, unique


@pytest.fixture
def bucket(s3: Any) -> str:
    name = unique("s3b")
    s3.create_bucket(Bucket=name)
    return name


def failure(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def test_an_object_keeps_all_headers(s3: Any, s3_service: Service, bucket: str) -> None:
    key = "folder/a b+c'(d)*!&$@=;:,?.txt"
    put = s3.put_object(
        Bucket=bucket, Key=key, Body=b"0123456789", ContentType="text/html", CacheControl="max-age=5",
        ContentEncoding="x-own", ContentDisposition='attachment; filename="x"', ContentLanguage="de",
        Expires="Sun, 22 Nov 2026 08:00:00 GMT", Metadata={"User_Id": "7", "with-dash": " two  words "},
    )  # fmt: skip
    etag = f'"{hashlib.md5(b"0123456789").hexdigest()}"'
    assert put["ETag"] == etag
    for found in (s3.head_object(Bucket=bucket, Key=key), s3.get_object(Bucket=bucket, Key=key)):
        headers = found["ResponseMetadata"]["HTTPHeaders"]
        assert (found["ETag"], found["ContentLength"], found["AcceptRanges"]) == (etag, 10, "bytes")
        assert (found["ContentType"], found["CacheControl"], found["ContentEncoding"], found["ContentLanguage"]) == (
            "text/html", "max-age=5", "x-own", "de",
        )  # fmt: skip
        assert found["Metadata"] == {"user_id": "7", "with-dash": "two  words"}
        assert headers["expires"] == "Sun, 22 Nov 2026 08:00:00 GMT"
        assert headers["content-security-policy"] == "sandbox"
        assert len(headers["x-amz-request-id"]) == 36
    row = s3_service.sql(f"select metadata, user_metadata, owner_id from storage.objects where bucket_id = '{bucket}'")
    assert row[0][0]["contentLanguage"] == "de"
    assert row[0][1:] == [{"user_id": "7", "with-dash": "two  words"}, None]
    assert s3_service.get(f"/object/{bucket}/folder/a%20b%2Bc'(d)*!&$@=;:,%3F.txt").content == b"0123456789"


def test_headers_with_tabs_and_beyond_ascii_are_kept(s3: Any, s3_service: Service, bucket: str) -> None:
    """A tab may separate words in a header of a request, but no answer can have one."""
    given = {"cache-control": 'max-age=1,\ta="é"', "content-language": "de,\tfr", "content-disposition": "inline;\tx=é"}
    url = s3.generate_presigned_url("put_object", {"Bucket": bucket, "Key": "k"})
    sent = {name: value.encode() for name, value in given.items()}
    assert requests.put(url, data=b"x", headers=sent, timeout=30).status_code == 200
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"})
    answers = requests.get(url, timeout=30), s3_service.get(f"/object/{bucket}/k")
    for answer in answers:
        for name, value in given.items():
            reported = answer.headers.get(name)
            assert reported in (None, value.replace("\t", " ").encode().decode("latin-1"))
            assert reported is not None or name == "content-language"
    assert [answer.status_code for answer in answers] == [200, 200]


def test_names_of_metadata_are_in_lower_case_on_the_wire(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Metadata={"Some-Name": "1"})
    raw = requests.get(s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"}), timeout=30)
    assert "x-amz-meta-some-name" in [name for name in raw.headers if name.startswith("x-amz-meta")]


def test_metadata_that_no_header_can_hold_is_counted(s3: Any, s3_service: Service, bucket: str) -> None:
    value = base64.b64encode(b'{"plain": "1", "number": 2, "two": "a\\nb"}').decode()
    s3_service.upload(f"{bucket}/k", x_metadata=value)
    found = s3.head_object(Bucket=bucket, Key="k")
    assert (found["Metadata"], found["MissingMeta"]) == ({"plain": "1"}, 2)


def test_metadata_beyond_ascii_is_kept(s3: Any, s3_service: Service, bucket: str) -> None:
    text = "gr\u00f6\u00dfe"
    word = f"=?UTF-8?B?{base64.b64encode(text.encode()).decode()}?="
    value = base64.b64encode(json.dumps({"size": text}).encode()).decode()
    s3_service.upload(f"{bucket}/k", x_metadata=value)
    found = s3.head_object(Bucket=bucket, Key="k")
    assert (found["Metadata"], found.get("MissingMeta")) == ({"size": word}, None)
    # A client that writes the value that it read writes the same.
    s3.put_object(Bucket=bucket, Key="copy", Body=b"x", Metadata=found["Metadata"])
    s3.put_object(Bucket=bucket, Key="plain", Body=b"x", Metadata={"size": "=?UTF-8?B?/w==?="})
    rows = s3_service.sql(f"select user_metadata from storage.objects where bucket_id = '{bucket}' order by name")
    assert rows == [[{"size": text}], [{"size": text}], [{"size": "=?UTF-8?B?/w==?="}]]


def test_empty_objects_and_folders_are_stored(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="empty", Body=b"")
    assert s3.head_object(Bucket=bucket, Key="empty")["ContentLength"] == 0
    assert s3.get_object(Bucket=bucket, Key="empty")["Body"].read() == b""
    s3.put_object(Bucket=bucket, Key="dir/", Body=b"")
    listed = s3.list_objects_v2(Bucket=bucket)["Contents"]
    assert [each["Key"] for each in listed] == ["dir/", "empty"]
    assert s3.head_object(Bucket=bucket, Key="dir/")["ContentLength"] == 0
    s3.delete_object(Bucket=bucket, Key="dir/")
    assert failure(s3.head_object, Bucket=bucket, Key="dir/") == (404, "404")


def test_a_folder_can_be_copied_and_deleted(s3: Any, bucket: str) -> None:
    """A client sees it by the key that it made it with: it copies and deletes it by that, to rename it."""
    s3.put_object(Bucket=bucket, Key="dir/", Body=b"", Metadata={"mode": "1"})
    s3.copy_object(Bucket=bucket, Key="new/", CopySource={"Bucket": bucket, "Key": "dir/"})
    again = {"MetadataDirective": "REPLACE", "Metadata": {"mode": "2"}}
    s3.copy_object(Bucket=bucket, Key="dir/", CopySource={"Bucket": bucket, "Key": "dir/"}, **again)
    modes = [s3.head_object(Bucket=bucket, Key=key)["Metadata"]["mode"] for key in ("new/", "dir/")]
    assert modes == ["1", "2"]
    assert s3.get_object_tagging(Bucket=bucket, Key="dir/")["TagSet"] == []
    assert s3.get_object_acl(Bucket=bucket, Key="dir/")["Grants"]
    sized = s3.get_object_attributes(Bucket=bucket, Key="dir/", ObjectAttributes=["ObjectSize"])
    assert sized["ObjectSize"] == 0
    listed = s3.list_objects_v2(Bucket=bucket)["Contents"]
    assert [each["Key"] for each in listed] == ["dir/", "new/"]
    tag = s3.head_object(Bucket=bucket, Key="new/")["ETag"]
    wanted = [{"Key": "dir/"}, {"Key": "missing/"}, {"Key": "new/", "ETag": tag}]
    deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": wanted})
    assert [each["Key"] for each in deleted["Deleted"]] == ["dir/", "missing/", "new/"]
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


def test_ranges_are_answered(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"0123456789")

    def get(value: str) -> tuple[int, bytes, str | None]:
        found = s3.get_object(Bucket=bucket, Key="k", Range=value)
        return found["ResponseMetadata"]["HTTPStatusCode"], found["Body"].read(), found.get("ContentRange")

    assert get("bytes=2-4") == (206, b"234", "bytes 2-4/10")
    assert get("bytes=7-") == (206, b"789", "bytes 7-9/10")
    assert get("bytes=-3") == (206, b"789", "bytes 7-9/10")
    assert get("bytes=-262144") == (206, b"0123456789", "bytes 0-9/10")
    assert get("bytes=0-0,5-6") == (200, b"0123456789", None)
    assert failure(s3.get_object, Bucket=bucket, Key="k", Range="bytes=10-") == (416, "InvalidRange")
    beyond = requests.get(
        s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"}),
        headers={"range": "bytes=10-11"}, timeout=30,
    )  # fmt: skip
    assert "<RangeRequested>bytes=10-11</RangeRequested><ActualObjectSize>10</ActualObjectSize>" in beyond.text
    head = s3.head_object(Bucket=bucket, Key="k", Range="bytes=2-4")
    assert (head["ResponseMetadata"]["HTTPStatusCode"], head["ContentLength"]) == (206, 3)


@pytest.mark.parametrize("value", [
    "bytes=33-10", "bytes=1-0", "bytes=0--1", "bytes=invalid-range", "invalid", "bytes=", "bytes=-", "bytes=5", "0-1",
    "bytes 0-1", "bytes=10-9", "bytes=1-2-3", "bytes=-1-", "bytes=0x1-2", "bytes=" + "9" * 40 + "-1",
])  # fmt: skip
def test_an_invalid_range_returns_the_whole_object(s3: Any, bucket: str, value: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"0123456789")
    found = s3.get_object(Bucket=bucket, Key="k", Range=value)
    assert (found["ResponseMetadata"]["HTTPStatusCode"], found["Body"].read()) == (200, b"0123456789")
    head = s3.head_object(Bucket=bucket, Key="k", Range=value)
    assert (head["ResponseMetadata"]["HTTPStatusCode"], head["ContentLength"]) == (200, 10)


def test_conditions_of_reads_are_checked(s3: Any, bucket: str) -> None:
    etag = s3.put_object(Bucket=bucket, Key="k", Body=b"x")["ETag"]
    modified = s3.head_object(Bucket=bucket, Key="k")["LastModified"]
    for act, failed in ((s3.get_object, "PreconditionFailed"), (s3.head_object, "412")):
        assert act(Bucket=bucket, Key="k", IfMatch=etag)["ETag"] == etag
        assert failure(act, Bucket=bucket, Key="k", IfMatch='"other"') == (412, failed)
        assert failure(act, Bucket=bucket, Key="k", IfNoneMatch=etag) == (304, "304")
        assert failure(act, Bucket=bucket, Key="k", IfModifiedSince=modified) == (304, "304")
        assert act(Bucket=bucket, Key="k", IfUnmodifiedSince=modified)["ETag"] == etag
        assert failure(act, Bucket=bucket, Key="k", IfUnmodifiedSince="2001-01-01") == (412, failed)


def test_conditions_of_writes_are_checked(s3: Any, bucket: str) -> None:
    assert failure(s3.put_object, Bucket=bucket, Key="k", Body=b"1", IfMatch='"x"') == (404, "NoSuchKey")
    etag = s3.put_object(Bucket=bucket, Key="k", Body=b"1", IfNoneMatch="*")["ETag"]
    assert failure(s3.put_object, Bucket=bucket, Key="k", Body=b"2", IfNoneMatch="*") == (412, "PreconditionFailed")
    assert failure(s3.put_object, Bucket=bucket, Key="k", Body=b"2", IfMatch='"x"') == (412, "PreconditionFailed")
    assert failure(s3.put_object, Bucket=bucket, Key="k", Body=b"2", IfNoneMatch=etag) == (400, "InvalidRequest")
    s3.put_object(Bucket=bucket, Key="k", Body=b"2", IfMatch=etag)
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"2"
    assert failure(s3.delete_object, Bucket=bucket, Key="k", IfMatch=etag) == (412, "PreconditionFailed")
    copied = {
        "Bucket": bucket,
        "Key": "k",
        "CopySource": {"Bucket": bucket, "Key": "k"},
        "MetadataDirective": "REPLACE",
    }
    assert failure(s3.copy_object, IfNoneMatch="*", **copied) == (412, "PreconditionFailed")


def test_response_headers_can_be_overridden(s3: Any, s3_service: Service) -> None:
    bucket = unique("s3b")
    s3.create_bucket(Bucket=bucket, ACL="public-read")
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    found = s3.get_object(
        Bucket=bucket, Key="k", ResponseContentType="text/csv", ResponseContentDisposition="attachment",
        ResponseCacheControl="no-store", ResponseExpires="Sun, 22 Nov 2026 08:00:00 GMT",
    )  # fmt: skip
    assert (found["ContentType"], found["ContentDisposition"], found["CacheControl"]) == (
        "text/csv", "attachment", "no-store",
    )  # fmt: skip
    plain = f"{s3_service.url}/s3/{bucket}/k"
    assert requests.get(plain, timeout=30).content == b"x"
    assert requests.get(f"{plain}?response-content-type=text/html", timeout=30).status_code == 400


def test_objects_are_copied(s3: Any, bucket: str) -> None:
    source = "a b/\u0041+c's.txt"
    s3.put_object(Bucket=bucket, Key=source, Body=b"x", ContentType="text/a", Metadata={"m": "1"}, ContentLanguage="de")
    given = {"Bucket": bucket, "Key": source}
    copied = s3.copy_object(Bucket=bucket, Key="copy", CopySource=given)["CopyObjectResult"]
    found = s3.head_object(Bucket=bucket, Key="copy")
    assert (copied["ETag"], found["ContentType"], found["Metadata"]) == (found["ETag"], "text/a", {"m": "1"})
    s3.copy_object(
        Bucket=bucket,
        Key="copy",
        CopySource=given,
        MetadataDirective="REPLACE",
        ContentType="text/b",
        Metadata={"n": "2"},
    )
    found = s3.head_object(Bucket=bucket, Key="copy")
    assert (found["ContentType"], found["Metadata"]) == ("text/b", {"n": "2"})
    assert "ContentLanguage" not in found
    touched = {"Bucket": bucket, "Key": "copy", "CopySource": {"Bucket": bucket, "Key": "copy"}}
    s3.copy_object(MetadataDirective="REPLACE", Metadata={"mtime": "5"}, **touched)
    assert s3.head_object(Bucket=bucket, Key="copy")["Metadata"] == {"mtime": "5"}
    wrong = {"Bucket": bucket, "Key": "c", "CopySource": given}
    assert failure(s3.copy_object, CopySourceIfMatch='"other"', **wrong) == (412, "PreconditionFailed")
    assert failure(s3.copy_object, CopySourceIfNoneMatch=found["ETag"], **wrong) == (412, "PreconditionFailed")
    missing = {"Bucket": bucket, "Key": "c", "CopySource": {"Bucket": bucket, "Key": "missing"}}
    assert failure(s3.copy_object, **missing) == (404, "NoSuchKey")
    versioned = {**given, "VersionId": "123"}
    assert failure(s3.copy_object, Bucket=bucket, Key="c", CopySource=versioned) == (404, "NoSuchVersion")


def test_objects_are_deleted(s3: Any, bucket: str) -> None:
    for key in ("a", "b", " c ", "1"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    keys = [{"Key": key} for key in ("a", " c ", "missing")]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": [*keys, {"Key": "b", "VersionId": "9"}]})
    assert {each["Key"] for each in answer["Deleted"]} == {"a", " c ", "missing", "b"}
    # A version that does not exist counts as deleted, as an object does.
    assert s3.get_object(Bucket=bucket, Key="b")["Body"].read() == b"x"
    quiet = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "b", "VersionId": "null"}], "Quiet": True})
    assert "Deleted" not in quiet
    assert "Errors" not in quiet
    s3.delete_object(Bucket=bucket, Key="missing")
    assert failure(s3.delete_bucket, Bucket=bucket) == (409, "BucketNotEmpty")
    s3.delete_object(Bucket=bucket, Key="1")
    s3.delete_bucket(Bucket=bucket)
    for act in (s3.delete_bucket, s3.list_objects_v2, s3.head_bucket):
        assert failure(act, Bucket=bucket)[0] == 404
    assert failure(s3.delete_object, Bucket=bucket, Key="k") == (404, "NoSuchBucket")
    assert failure(s3.get_object, Bucket=bucket, Key="k") == (404, "NoSuchBucket")
    assert failure(s3.put_object, Bucket=bucket, Key="k", Body=b"") == (404, "NoSuchBucket")
    assert failure(s3.delete_objects, Bucket=bucket, Delete={"Objects": [{"Key": "k"}]}) == (404, "NoSuchBucket")


def test_conditions_of_deletions_are_checked(s3: Any, bucket: str) -> None:
    tags = {key: s3.put_object(Bucket=bucket, Key=key, Body=key.encode())["ETag"] for key in "abcd"}
    wanted = [
        {"Key": "a", "ETag": tags["b"]},
        {"Key": "b", "ETag": tags["b"], "Size": 1},
        {"Key": "c"},
        {"Key": "missing", "ETag": tags["a"]},
    ]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": wanted})
    assert sorted(each["Key"] for each in answer["Deleted"]) == ["b", "c"]
    refused = [(each["Key"], each["Code"]) for each in answer["Errors"]]
    assert refused == [("a", "PreconditionFailed"), ("missing", "NoSuchKey")]
    sized = {"Objects": [{"Key": "a"}, {"Key": "d", "Size": 9}]}
    assert failure(s3.delete_objects, Bucket=bucket, Delete=sized) == (501, "NotImplemented")
    assert failure(s3.delete_object, Bucket=bucket, Key="d", IfMatchSize=9) == (501, "NotImplemented")
    assert [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["a", "d"]


def test_limits_of_the_bucket_are_enforced(s3: Any, s3_service: Service) -> None:
    bucket = s3_service.bucket(file_size_limit=4, allowed_mime_types=["text/plain"])
    s3.put_object(Bucket=bucket, Key="k", Body=b"1234", ContentType="text/plain")
    large = {"Bucket": bucket, "Key": "l", "Body": b"12345", "ContentType": "text/plain"}
    assert failure(s3.put_object, **large) == (413, "EntityTooLarge")
    assert failure(s3.put_object, Bucket=bucket, Key="l", Body=b"1", ContentType="text/css") == (415, "InvalidMimeType")
    other = s3_service.bucket()
    s3.put_object(Bucket=other, Key="k", Body=b"12345")
    source = {"Bucket": other, "Key": "k"}
    assert failure(s3.copy_object, Bucket=bucket, Key="k", CopySource=source) == (413, "EntityTooLarge")
    assert [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["k"]


def test_unsupported_requests_are_refused(s3: Any, bucket: str) -> None:
    """Otherwise an append would replace the object, and locks be missing that the client relies on."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"whole")
    refused = (501, "NotImplemented")
    assert failure(s3.put_object, Bucket=bucket, Key="k", Body=b"more", WriteOffsetBytes=5) == refused
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"whole"
    locked = unique("s3b")
    assert failure(s3.create_bucket, Bucket=locked, ObjectLockEnabledForBucket=True) == refused
    assert failure(s3.head_bucket, Bucket=locked)[0] == 404
    s3.create_bucket(Bucket=locked, ObjectLockEnabledForBucket=False)
    copied = {"Bucket": bucket, "Key": "c", "CopySource": f"{bucket}/k"}
    assert failure(s3.copy_object, **copied, MetadataDirective="MERGE") == (400, "InvalidArgument")


def test_buckets_are_listed_created_and_deleted(s3: Any, s3_service: Service, bucket: str) -> None:
    assert bucket in [each["Name"] for each in s3.list_buckets(Prefix="s3b")["Buckets"]]
    page = s3.list_buckets(Prefix="s3b", MaxBuckets=1)
    assert len(page["Buckets"]) == 1
    assert failure(s3.create_bucket, Bucket=bucket) == (409, "BucketAlreadyOwnedByYou")
    assert s3.head_bucket(Bucket=bucket)["BucketRegion"] == "us-east-1"
    assert s3.get_bucket_location(Bucket=bucket)["LocationConstraint"] is None
    assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)
    s3.create_bucket(Bucket=bucket + "public", ACL="public-read")
    assert s3_service.get(f"/bucket/{bucket}public").json()["public"] is True


def test_unsupported_configurations_are_read_as_unset(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"kept")
    assert s3.get_object_tagging(Bucket=bucket, Key="k")["TagSet"] == []
    grant = s3.get_bucket_acl(Bucket=bucket)["Grants"][0]
    assert (grant["Permission"], grant["Grantee"]["Type"]) == ("FULL_CONTROL", "CanonicalUser")
    assert failure(s3.get_bucket_policy, Bucket=bucket) == (404, "NoSuchBucketPolicy")
    assert failure(s3.get_bucket_lifecycle_configuration, Bucket=bucket) == (404, "NoSuchLifecycleConfiguration")
    assert failure(s3.get_bucket_tagging, Bucket=bucket) == (404, "NoSuchTagSet")
    assert failure(s3.put_object_acl, Bucket=bucket, Key="k", ACL="public-read") == (501, "NotImplemented")
    assert failure(s3.put_bucket_policy, Bucket="new", Policy="{}") == (501, "NotImplemented")
    s3.delete_object_tagging(Bucket=bucket, Key="k")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"kept"
    assert s3.get_object_attributes(Bucket=bucket, Key="k", ObjectAttributes=["ObjectSize"])["ObjectSize"] == 4
    encrypted = {
        "Bucket": bucket,
        "Key": "k",
        "Body": b"",
        "SSECustomerKey": "0" * 32,
        "SSECustomerAlgorithm": "AES256",
    }
    assert failure(s3.put_object, **encrypted)[1] in ("NotImplemented", "501")
    s3.put_object(Bucket=bucket, Key="k2", Body=b"", ServerSideEncryption="AES256", StorageClass="STANDARD_IA")
