"""Headers that the signer of a URL put into its query, as SDKs do: each is obeyed as a header or refused as one."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
import requests
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.storage.s3.clients import KEY, SECRET_KEY
from tests.storage.service import Service, unique


def send(service: Service, method: str, path: str, query: dict[str, str], data: bytes = b"", **headers: str) -> Any:
    """The answer to a URL with this query, signed with no header but the host."""
    pairs = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in query.items())
    request = AWSRequest(method, f"{service.url}/s3/{path}?{pairs}")
    S3SigV4QueryAuth(Credentials(KEY, SECRET_KEY), "s3", "us-east-1", expires=60).add_auth(request)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(method, request.url, data=data, headers=given, timeout=30)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.text.partition("<Code>")[2].partition("</Code>")[0]


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def test_metadata_in_the_query_is_kept(s3: Any, s3_service: Service, bucket: str) -> None:
    query = {"x-amz-meta-owner": "42", "X-Amz-Meta-Place": " Größe ", "x-amz-storage-class": "STANDARD"}
    assert send(s3_service, "PUT", f"{bucket}/k", query, b"x").status_code == 200
    rows = s3_service.sql(f"select user_metadata from storage.objects where bucket_id = '{bucket}'")
    assert rows == [[{"owner": "42", "place": "Größe"}]]
    begun = send(s3_service, "POST", f"{bucket}/parts", {"uploads": "", "x-amz-meta-owner": "7"})
    upload = begun.text.partition("<UploadId>")[2].partition("</UploadId>")[0]
    given = {"Bucket": bucket, "Key": "parts", "UploadId": upload}
    part = s3.upload_part(**given, PartNumber=1, Body=b"x")
    s3.complete_multipart_upload(**given, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]})
    assert s3.head_object(Bucket=bucket, Key="parts")["Metadata"] == {"owner": "7"}


def test_copies_by_the_query_are_made(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="precious", Body=b"a year of work")
    source = {"x-amz-copy-source": f"{bucket}/precious"}
    onto_itself = {**source, "x-amz-metadata-directive": "REPLACE"}
    answer = send(s3_service, "PUT", f"{bucket}/precious", onto_itself, content_type="text/plain")
    assert (answer.status_code, "<CopyObjectResult" in answer.text) == (200, True)
    found = s3.get_object(Bucket=bucket, Key="precious")
    assert (found["Body"].read(), found["ContentType"]) == (b"a year of work", "text/plain")
    upload = s3.create_multipart_upload(Bucket=bucket, Key="joined")["UploadId"]
    query = {"partNumber": "1", "uploadId": upload, **source, "x-amz-copy-source-range": "bytes=2-5"}
    assert "<CopyPartResult" in send(s3_service, "PUT", f"{bucket}/joined", query).text
    listed = s3.list_parts(Bucket=bucket, Key="joined", UploadId=upload)["Parts"]
    assert [each["Size"] for each in listed] == [4]
    failed = send(s3_service, "PUT", f"{bucket}/k", {**source, "x-amz-copy-source-if-match": '"other"'})
    assert code(failed) == (412, "PreconditionFailed")


REFUSED = {
    "x-amz-object-lock-mode": "COMPLIANCE", "x-amz-write-offset-bytes": "5", "x-amz-rename-source": "b/k",
    "x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-customer-algorithm": "AES256",
    "x-amz-acl": "public-read", "x-amz-grant-read": "id=1",
    "x-amz-website-redirect-location": "/other",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_headers_are_refused_in_both_places(s3: Any, s3_service: Service, bucket: str, name: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"old")
    assert code(send(s3_service, "PUT", f"{bucket}/k", {name: REFUSED[name]}, b"new")) == (501, "NotImplemented")
    request = AWSRequest("PUT", f"{s3_service.url}/s3/{bucket}/k", headers={name: REFUSED[name]})
    S3SigV4QueryAuth(Credentials(KEY, SECRET_KEY), "s3", "us-east-1", expires=60).add_auth(request)
    given = {name: REFUSED[name]}
    assert code(requests.put(request.url, data=b"new", headers=given, timeout=30)) == (501, "NotImplemented")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"old"


def test_public_read_in_the_query_is_obeyed(s3: Any, s3_service: Service, bucket: str) -> None:
    name = unique("acl")
    assert send(s3_service, "PUT", name, {"x-amz-acl": "public-read"}).status_code == 200
    assert send(s3_service, "PUT", f"{name}/k", {"x-amz-acl": "public-read"}, b"x").status_code == 200
    assert requests.get(f"{s3_service.url}/s3/{name}/k", timeout=30).content == b"x"
    assert send(s3_service, "PUT", f"{bucket}/k", {"x-amz-acl": "private"}, b"x").status_code == 200
    other = unique("acl")
    assert code(send(s3_service, "PUT", other, {"x-amz-acl": "public-read-write"})) == (501, "NotImplemented")
    assert code(send(s3_service, "PUT", other, {"x-amz-acl": "everybody"})) == (400, "InvalidArgument")
    locked = {"x-amz-bucket-object-lock-enabled": "true"}
    assert code(send(s3_service, "PUT", other, locked)) == (501, "NotImplemented")
    assert s3_service.sql(f"select 1 from storage.buckets where id = '{other}'") == []


def test_the_checksum_of_an_empty_body_is_ignored(s3: Any, s3_service: Service, bucket: str) -> None:
    """The SDK for JavaScript signs it into every URL for an upload."""
    query = {"x-amz-checksum-crc32": "AAAAAA==", "x-amz-sdk-checksum-algorithm": "CRC32"}
    assert send(s3_service, "PUT", f"{bucket}/k", query, b"some bytes").status_code == 200
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"some bytes"


@pytest.mark.parametrize("query", [
    {"x-amz-meta-a": "b\r\nSet-Cookie: c"}, {"x-amz-meta-a": "b\0"}, {"x-amz-meta-a b": "c"}, {"x-amz-meta-ä": "c"},
])  # fmt: skip
def test_impossible_headers_are_refused(s3_service: Service, bucket: str, query: dict[str, str]) -> None:
    assert code(send(s3_service, "PUT", f"{bucket}/k", query, b"x")) == (400, "InvalidArgument")


def test_a_header_in_both_places_must_be_equal(s3_service: Service, bucket: str) -> None:
    """A header that is not signed is refused anyway; this one need not be."""
    query = {"x-amz-user-agent": "one"}
    assert send(s3_service, "PUT", f"{bucket}/k", query, b"x", x_amz_user_agent="one").status_code == 200
    answer = send(s3_service, "PUT", f"{bucket}/k", query, b"x", x_amz_user_agent="two")
    assert code(answer) == (400, "InvalidRequest")
