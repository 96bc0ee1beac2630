"""Requests for features that are absent, or differ from S3, get the codes that clients expect."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, code_of
from tests.storage.service import USER, Service, token, unique


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def refusal(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def test_a_copy_onto_itself_must_change_something(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Metadata={"a": "1"})
    same = {"Bucket": bucket, "Key": "k", "CopySource": {"Bucket": bucket, "Key": "k"}}
    assert refusal(s3.copy_object, **same) == (400, "InvalidRequest")
    s3.copy_object(**same, StorageClass="STANDARD")
    s3.copy_object(**same, MetadataDirective="REPLACE", Metadata={"a": "2"})
    assert s3.head_object(Bucket=bucket, Key="k")["Metadata"] == {"a": "2"}


@pytest.mark.parametrize("given", ["0-2", "bytes=0", "bytes=hello-world", "bytes=0-bar", "bytes=0-2,3-5", "bytes=3-2"])
def test_an_invalid_range_of_a_copied_part_is_refused(s3: Any, bucket: str, given: str) -> None:
    s3.put_object(Bucket=bucket, Key="source", Body=b"12345")
    upload = {"Bucket": bucket, "Key": "k"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    part = {**upload, "PartNumber": 1, "CopySource": f"{bucket}/source"}
    assert refusal(s3.upload_part_copy, **part, CopySourceRange=given) == (400, "InvalidArgument")
    assert refusal(s3.upload_part_copy, **part, CopySourceRange="bytes=0-21") == (400, "InvalidRange")


def test_the_expected_owner_is_checked(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", ExpectedBucketOwner="service_role")
    other = {"Bucket": bucket, "ExpectedBucketOwner": "123456789012"}
    for act, more in (
        (s3.put_object, {"Key": "k", "Body": b"y"}),
        (s3.list_objects_v2, {}),
        (s3.get_object, {"Key": "k"}),
        (s3.delete_object, {"Key": "k"}),
    ):
        assert refusal(act, **other, **more) == (403, "AccessDenied")
    copied = {"Bucket": bucket, "Key": "c", "CopySource": f"{bucket}/k", "ExpectedSourceBucketOwner": "somebody"}
    assert refusal(s3.copy_object, **copied) == (403, "AccessDenied")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"x"


def test_a_bucket_that_the_caller_does_not_see_is_not_its_own(s3: Any, s3_service: Service, bucket: str) -> None:
    s3_service.sql(f"create policy {unique('all')} on storage.buckets for insert to authenticated with check (true)")
    user = as_user(s3_service, token(sub=USER))
    assert refusal(user.create_bucket, Bucket=bucket) == (409, "BucketAlreadyExists")
    assert refusal(s3.create_bucket, Bucket=bucket) == (409, "BucketAlreadyOwnedByYou")


def test_the_access_list_of_an_object_does_not_reveal_buckets(s3: Any, s3_service: Service, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    refusals = {
        refusal(user.put_object, Bucket=name, Key="k", Body=b"x", ACL="public-read")
        for name in (bucket, s3_service.bucket(public=True), unique("none"))
    }
    assert refusals == {(501, "NotImplemented")}


def test_the_access_list_of_a_public_bucket_grants_read(s3: Any, s3_service: Service, bucket: str) -> None:
    public = s3_service.bucket(public=True)
    s3.put_object(Bucket=public, Key="k", Body=b"x")

    def grants(found: dict[str, Any]) -> list[tuple[str, str]]:
        return [(each["Grantee"]["Type"], each["Permission"]) for each in found["Grants"]]

    everybody, own = ("Group", "READ"), ("CanonicalUser", "FULL_CONTROL")
    assert grants(s3.get_bucket_acl(Bucket=public)) == [everybody, own]
    assert grants(s3.get_object_acl(Bucket=public, Key="k")) == [everybody, own]
    assert grants(s3.get_bucket_acl(Bucket=bucket)) == [own]


def test_unsupported_options_of_a_new_bucket_are_refused(s3: Any, bucket: str) -> None:
    name = unique("owned")
    refused = refusal(s3.create_bucket, Bucket=name, ObjectOwnership="ObjectWriter")
    assert refused == (501, "NotImplemented")
    s3.create_bucket(Bucket=name, ObjectOwnership="BucketOwnerEnforced")
    assert refusal(s3.get_bucket_policy_status, Bucket=bucket) == (404, "NoSuchBucketPolicy")


@pytest.mark.parametrize("header", ["Aws-Kms-Key-Id", "Context", "Bucket-Key-Enabled", "Customer-Algorithm"])
def test_headers_of_encryption_are_refused(s3: Any, s3_service: Service, bucket: str, header: str) -> None:
    name = f"x-amz-server-side-encryption-{header.lower()}"

    def add(params: Any, **_: Any) -> None:
        params["headers"][name] = "key"

    s3.meta.events.register("before-call.s3", add)
    for act, more in ((s3.put_object, {"Body": b"x"}), (s3.get_object, {}), (s3.create_multipart_upload, {})):
        assert refusal(act, Bucket=bucket, Key="k", **more) == (501, "NotImplemented")


def test_preflights_without_a_setting_are_refused(s3: Any, s3_service: Service, bucket: str) -> None:
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"})
    asked = {"origin": "https://example.com", "access-control-request-method": "GET"}
    for headers, status, code in (({}, 400, "BadRequest"), (asked, 403, "AccessForbidden")):
        answer = s3_service.session.options(url, headers=headers, timeout=30)
        assert (answer.status_code, f"<Code>{code}</Code>" in answer.text) == (status, True)


@pytest.mark.parametrize(
    ("date", "wanted"), [(None, 200), ("Mon, 01 Jan 2001 00:00:00 GMT", 400), ("", 403), ("x", 403)]
)
def test_the_header_date_may_replace_x_amz_date(s3_service: Service, date: str | None, wanted: int) -> None:
    url = f"{s3_service.url}/s3"
    given = {"Date": formatdate(usegmt=True), "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"}
    request = AWSRequest("GET", url, headers=given)
    S3SigV4Auth(Credentials(KEY, SECRET_KEY), "s3", "us-east-1").add_auth(request)
    headers = dict(request.headers.items()) | ({} if date is None else {"Date": date})
    assert "X-Amz-Date" not in headers
    headers["Host"] = urlsplit(url).netloc
    assert s3_service.session.get(url, headers=headers, timeout=30).status_code == wanted
