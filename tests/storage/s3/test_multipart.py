"""Multipart uploads: parts in any order, completion, what is refused, and what is left when they are given up."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from tests.storage.gated import GatedPlugin
from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, client, code_of
from tests.storage.service import USER, Service, token, unique

MIB = 1024**2


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def failure(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


class Upload:
    """An unfinished upload of one key."""

    def __init__(self, s3: Any, bucket: str, key: str = "k", **more: Any) -> None:
        self.s3 = s3
        self.name = {"Bucket": bucket, "Key": key}
        created = s3.create_multipart_upload(**self.name, **more)
        self.named = {**self.name, "UploadId": created["UploadId"]}

    def part(self, number: int, data: bytes) -> dict[str, Any]:
        etag = self.s3.upload_part(**self.named, PartNumber=number, Body=data)["ETag"]
        assert etag == f'"{hashlib.md5(data).hexdigest()}"'
        return {"PartNumber": number, "ETag": etag}

    def complete(self, parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        done: dict[str, Any] = self.s3.complete_multipart_upload(**self.named, MultipartUpload={"Parts": parts}, **more)
        return done


def test_parts_may_arrive_in_any_order_and_be_replaced(s3: Any, s3_service: Service, bucket: str) -> None:
    upload = Upload(s3, bucket, "a/b c", ContentType="text/x", Metadata={"a_b": "1"}, CacheControl="max-age=3")
    three, two = upload.part(3, b"three"), upload.part(2, b"wrong")
    two, nine = upload.part(2, b"two"), upload.part(9, b"not listed")
    listed = s3.list_parts(**upload.named, MaxParts=2)
    assert [(each["PartNumber"], each["Size"], each["ETag"]) for each in listed["Parts"]] == [
        (2, 3, two["ETag"]), (3, 5, three["ETag"])
    ]  # fmt: skip
    assert (listed["IsTruncated"], listed["NextPartNumberMarker"]) == (True, 3)
    rest = s3.list_parts(**upload.named, PartNumberMarker=3)["Parts"]
    assert [each["ETag"] for each in rest] == [nine["ETag"]]
    done = upload.complete([two, {"PartNumber": 3, "ETag": three["ETag"].strip('"')}])
    digest = hashlib.md5(hashlib.md5(b"two").digest() + hashlib.md5(b"three").digest()).hexdigest()
    assert done["ETag"] == f'"{digest}-2"'
    assert done["Location"] == f"{s3_service.url}/storage/v1/s3/{bucket}/a/b%20c"
    found = s3.get_object(**upload.name)
    assert (found["Body"].read(), found["ETag"], found["ContentType"]) == (b"twothree", done["ETag"], "text/x")
    assert (found["Metadata"], found["CacheControl"]) == ({"a_b": "1"}, "max-age=3")
    first = s3.get_object(**upload.name, PartNumber=2)
    assert (first["PartsCount"], first["Body"].read()) == (2, b"two")
    again = upload.complete([two, three])
    assert (again["ETag"], again["Location"]) == (done["ETag"], done["Location"])
    assert failure(s3.upload_part, **upload.named, PartNumber=1, Body=b"late") == (404, "NoSuchUpload")
    assert failure(s3.abort_multipart_upload, **upload.named) == (404, "NoSuchUpload")


def test_invalid_completions_are_refused(s3: Any, bucket: str) -> None:
    upload = Upload(s3, bucket)
    one, two = upload.part(1, b"one"), upload.part(2, b"two")
    wrong = {"PartNumber": 1, "ETag": two["ETag"]}
    for parts, expected in (
        ([two, one], (400, "InvalidPartOrder")),
        ([one, one], (400, "InvalidPartOrder")),
        ([wrong], (400, "InvalidPart")),
        ([one, {"PartNumber": 7, "ETag": one["ETag"]}], (400, "InvalidPart")),
        ([], (400, "MalformedXML")),
    ):
        assert failure(upload.complete, parts=parts) == expected
    for number in (0, 10_001, 100_001_000_000):
        named = {**upload.named, "PartNumber": number, "Body": b"x"}
        assert failure(s3.upload_part, **named) == (400, "InvalidArgument")
    other = {**upload.named, "Key": "other"}
    assert failure(s3.upload_part, **other, PartNumber=1, Body=b"x") == (404, "NoSuchUpload")
    assert failure(s3.list_parts, **{**upload.named, "UploadId": "none"}) == (404, "NoSuchUpload")
    assert failure(s3.get_object, **upload.name) == (404, "NoSuchKey")
    upload.complete([one, two])


def test_declared_sizes_and_conditions_are_checked(s3: Any, bucket: str) -> None:
    upload = Upload(s3, bucket)
    part = upload.part(1, b"abc")
    done = {**upload.named, "MultipartUpload": {"Parts": [part]}}
    assert failure(s3.complete_multipart_upload, **done, MpuObjectSize=4) == (400, "InvalidRequest")
    began = datetime(2026, 1, 1, tzinfo=UTC)
    assert failure(s3.abort_multipart_upload, **upload.named, IfMatchInitiatedTime=began) == (501, "NotImplemented")
    upload.complete([part], MpuObjectSize=3)
    assert s3.get_object(**upload.name)["Body"].read() == b"abc"


def test_an_aborted_upload_is_gone(s3: Any, s3_service: Service, bucket: str) -> None:
    upload = Upload(s3, bucket)
    upload.part(1, b"one")
    s3.abort_multipart_upload(**upload.named)
    assert failure(s3.abort_multipart_upload, **upload.named) == (404, "NoSuchUpload")
    assert failure(s3.upload_part, **upload.named, PartNumber=2, Body=b"x") == (404, "NoSuchUpload")
    assert s3_service.sql(f"select 1 from storage.upload_parts where upload_id = '{upload.named['UploadId']}'") == []


def test_parts_can_be_sent_at_once(s3_service: Service, s3: Any, bucket: str) -> None:
    upload = Upload(s3, bucket)
    blocks = [os.urandom(100_000) for _ in range(6)]
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda number: upload.part(number, blocks[number - 1]), range(1, 7)))
        done = list(pool.map(lambda _: upload.complete(parts)["ETag"], range(3)))
    assert len(set(done)) == 1
    assert s3.get_object(**upload.name)["Body"].read() == b"".join(blocks)


def test_a_condition_of_the_first_request_applies_at_the_end(s3: Any, bucket: str) -> None:
    def ask(request: Any, **_: Any) -> None:
        request.headers["If-None-Match"] = "*"

    s3.meta.events.register("before-sign.s3.CreateMultipartUpload", ask)
    first, second = Upload(s3, bucket), Upload(s3, bucket)
    first.complete([first.part(1, b"one")])
    other = second.part(1, b"other")
    assert failure(second.complete, parts=[other]) == (412, "PreconditionFailed")
    assert s3.get_object(**first.name)["Body"].read() == b"one"


def test_conditions_of_a_completion_are_checked(s3: Any, bucket: str) -> None:
    first, second = Upload(s3, bucket), Upload(s3, bucket)
    one, other = first.part(1, b"one"), second.part(1, b"other")
    first.complete([one], IfNoneMatch="*")
    with pytest.raises(ClientError) as caught:
        second.complete([other], IfNoneMatch="*")
    assert code_of(caught.value) == (412, "PreconditionFailed")
    assert s3.get_object(**first.name)["Body"].read() == b"one"
    second.complete([other])
    assert s3.get_object(**first.name)["Body"].read() == b"other"


def test_two_completions_at_once_both_succeed(own_service: Callable[..., Service], tmp_path: Path) -> None:
    """A client repeats a completion whose answer is late: both end well."""
    plugin = GatedPlugin(tmp_path / "gated")
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(plugins={"gated": plugin}, storage_url="gated:", **keys)
    s3, bucket = client(service), service.bucket()
    etag = ""
    for condition in ({"IfNoneMatch": "*"}, {"IfMatch": "etag"}):
        upload = Upload(s3, bucket)
        parts = [upload.part(1, b"first" if not etag else b"second")]
        given = {name: value if value == "*" else etag for name, value in condition.items()}
        plugin.gate.barrier = threading.Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            each = [pool.submit(upload.complete, parts, **given) for _ in range(2)]
            etag, other = (done.result()["ETag"] for done in each)
        plugin.gate.barrier = None
        assert etag == other == s3.head_object(**upload.name)["ETag"]


def test_parts_can_be_copied(s3: Any, bucket: str) -> None:
    etag = s3.put_object(Bucket=bucket, Key="source key", Body=b"0123456789")["ETag"]
    upload = Upload(s3, bucket)
    given = {**upload.named, "CopySource": {"Bucket": bucket, "Key": "source key"}}
    first = s3.upload_part_copy(**given, PartNumber=1, CopySourceRange="bytes=2-4", CopySourceIfMatch=etag)
    second = s3.upload_part_copy(**given, PartNumber=2)
    wrong = failure(s3.upload_part_copy, **given, PartNumber=3, CopySourceRange="bytes=5-10")
    assert wrong == (400, "InvalidRange")
    assert failure(s3.upload_part_copy, **given, PartNumber=3, CopySourceIfMatch='"x"') == (412, "PreconditionFailed")
    parts = [{"PartNumber": n, "ETag": each["CopyPartResult"]["ETag"]} for n, each in ((1, first), (2, second))]
    upload.complete(parts)
    assert s3.get_object(**upload.name)["Body"].read() == b"2340123456789"


def test_uploads_are_listed(s3: Any, bucket: str) -> None:
    made = [Upload(s3, bucket, key) for key in ("b/2", "a", "b/1", "a", "c x")]
    keys = ["a", "a", "b/1", "b/2", "c x"]
    whole = s3.list_multipart_uploads(Bucket=bucket)
    assert [each["Key"] for each in whole["Uploads"]] == keys
    order = [each["UploadId"] for each in whole["Uploads"]]
    assert order[:2] == [made[1].named["UploadId"], made[3].named["UploadId"]]
    pages = s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket, PaginationConfig={"PageSize": 1})
    assert [each["UploadId"] for page in pages for each in page["Uploads"]] == order
    grouped = s3.list_multipart_uploads(Bucket=bucket, Delimiter="/")
    assert [each["Key"] for each in grouped["Uploads"]] == ["a", "a", "c x"]
    assert grouped["CommonPrefixes"] == [{"Prefix": "b/"}]
    assert [each["Key"] for each in s3.list_multipart_uploads(Bucket=bucket, Prefix="b/")["Uploads"]] == ["b/1", "b/2"]
    after = s3.list_multipart_uploads(Bucket=bucket, KeyMarker="a")
    assert [each["Key"] for each in after["Uploads"]] == ["b/1", "b/2", "c x"]
    s3.delete_bucket(Bucket=bucket)


def test_limits_and_rights_are_checked(s3: Any, s3_service: Service) -> None:
    bucket = s3_service.bucket(file_size_limit=10, allowed_mime_types=["text/plain"])
    assert failure(s3.create_multipart_upload, Bucket=bucket, Key="k", ContentType="text/css") == (
        415,
        "InvalidMimeType",
    )
    upload = Upload(s3, bucket, ContentType="text/plain")
    one = upload.part(1, b"123456")
    named = {**upload.named, "PartNumber": 2, "Body": b"12345"}
    assert failure(s3.upload_part, **named) == (413, "EntityTooLarge")
    upload.part(2, b"1234")
    upload.part(2, b"12")
    user = as_user(s3_service, token(sub=USER))
    assert failure(user.upload_part, **upload.named, PartNumber=1, Body=b"x") == (404, "NoSuchUpload")
    assert failure(user.list_parts, **upload.named) == (404, "NoSuchUpload")
    for parts in ([one], [{"PartNumber": 3, "ETag": '"x"'}]):
        assert failure(user.complete_multipart_upload, **upload.named, MultipartUpload={"Parts": parts})[0] == 404
    assert failure(user.create_multipart_upload, **upload.name)[0] == 403
    upload.complete([one])
    assert s3.head_object(**upload.name)["ContentLength"] == 6


def test_the_transfer_manager_works(s3: Any, bucket: str) -> None:
    data = os.urandom(11 * MIB)
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB, max_concurrency=3)
    s3.upload_fileobj(io.BytesIO(data), bucket, "large", Config=config)
    assert s3.head_object(Bucket=bucket, Key="large")["ETag"].endswith('-3"')
    s3.copy({"Bucket": bucket, "Key": "large"}, bucket, "copied", Config=config)
    received = io.BytesIO()
    s3.download_fileobj(bucket, "copied", received, Config=config)
    assert received.getvalue() == data


def test_small_parts_are_refused_with_the_setting(own_service: Callable[..., Service]) -> None:
    keys = {"s3_protocol_access_key_id": "AK", "s3_protocol_access_key_secret": "secret"}
    service = own_service(s3_smallest_part="1K", **keys)
    upload = Upload(client(service, "AK", "secret"), service.bucket())
    parts = [upload.part(1, b"x" * 1023), upload.part(2, b"x")]
    assert failure(upload.complete, parts=parts) == (400, "EntityTooSmall")
    parts[0] = upload.part(1, b"x" * 1024)
    upload.complete(parts)


def test_an_upload_keeps_its_owner(s3_service: Service, s3: Any) -> None:
    bucket = s3_service.bucket()
    s3_service.sql(
        f"create policy {unique('p')} on storage.objects for all to authenticated using (bucket_id = '{bucket}')"
    )
    user = as_user(s3_service, token(sub=USER))
    upload = Upload(user, bucket)
    upload.part(1, b"x")
    assert len(user.list_parts(**upload.named)["Parts"]) == 1
    s3.complete_multipart_upload(
        **upload.named, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": hashlib.md5(b"x").hexdigest()}]}
    )
    assert s3_service.sql(f"select owner_id from storage.objects where bucket_id = '{bucket}'") == [[USER]]
