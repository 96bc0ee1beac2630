"""Objects that were made of parts, read by them: by number, and their sizes and checksums."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from tests.storage.s3.clients import client, code_of
from tests.storage.service import Service

BODIES = {1: b"aaaa", 2: b"bbbb", 3: b"", 5: b"c" * 9, 6: b"d" * 9, 9: b"e"}
WHOLE = b"".join(BODIES.values())
ATTRIBUTES = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]


def crc32(data: bytes) -> str:
    return base64.b64encode(zlib.crc32(data).to_bytes(4)).decode()


@pytest.fixture(scope="module")
def kept(s3_service: Service) -> Any:
    """boto3's client that sends checksums and verifies them, as it does by default."""
    return client(s3_service, response_checksum_validation="when_supported")


@pytest.fixture(scope="module")
def joined(s3_service: Service, kept: Any) -> dict[str, Any]:
    """An object made of BODIES, with a checksum of each."""
    place = {"Bucket": s3_service.bucket(), "Key": "k"}
    upload = {**place, "UploadId": kept.create_multipart_upload(**place, ChecksumAlgorithm="CRC32")["UploadId"]}
    parts = [
        {"PartNumber": number, "ETag": kept.upload_part(**upload, PartNumber=number, Body=body)["ETag"]}
        for number, body in BODIES.items()
    ]
    kept.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
    return place


def refusal(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def test_each_part_is_read_by_its_number(kept: Any, joined: dict[str, Any]) -> None:
    start = 0
    etag = kept.head_object(**joined)["ETag"]
    for number, body in BODIES.items():
        more = {"PartNumber": number, "ChecksumMode": "ENABLED"}
        got = kept.get_object(**joined, **more)
        assert (got["Body"].read(), got["PartsCount"], got["ETag"]) == (body, len(BODIES), etag)
        assert (got["ChecksumCRC32"], got["ChecksumType"]) == (crc32(body), "COMPOSITE")
        head = kept.head_object(**joined, **more)
        assert (head["ContentLength"], head["PartsCount"], head["ChecksumCRC32"]) == (len(body), 6, crc32(body))
        status = got["ResponseMetadata"]["HTTPStatusCode"], got.get("ContentRange")
        wanted = f"bytes {start}-{start + len(body) - 1}/{len(WHOLE)}" if body else None
        assert status == (206, wanted)
        start += len(body)
    for missing in (4, 10, 10_000):
        assert refusal(kept.get_object, **joined, PartNumber=missing) == (416, "InvalidPartNumber")
    for wrong in (0, 10_001):
        assert refusal(kept.get_object, **joined, PartNumber=wrong) == (400, "InvalidArgument")
    assert refusal(kept.get_object, **joined, PartNumber=1, Range="bytes=0-1") == (400, "InvalidRequest")
    assert kept.get_object(**joined)["Body"].read() == WHOLE


def test_attributes_list_the_parts(kept: Any, joined: dict[str, Any]) -> None:
    found = kept.get_object_attributes(**joined, ObjectAttributes=ATTRIBUTES)
    parts = found["ObjectParts"]
    assert (parts["TotalPartsCount"], parts["IsTruncated"], parts["PartNumberMarker"]) == (6, False, 0)
    assert [(each["PartNumber"], each["Size"], each["ChecksumCRC32"]) for each in parts["Parts"]] == [
        (number, len(body), crc32(body)) for number, body in BODIES.items()
    ]
    page = kept.get_object_attributes(**joined, ObjectAttributes=["ObjectParts"], MaxParts=2, PartNumberMarker=2)
    parts = page["ObjectParts"]
    assert [each["PartNumber"] for each in parts["Parts"]] == [3, 5]
    assert (parts["TotalPartsCount"], parts["MaxParts"], parts["NextPartNumberMarker"], parts["IsTruncated"]) == (
        6, 2, 5, True,
    )  # fmt: skip
    assert "ETag" not in page
    assert refusal(kept.get_object_attributes, **joined, ObjectAttributes=["Nonsense"]) == (400, "InvalidArgument")


def test_a_copy_has_the_same_parts(s3_service: Service, kept: Any, joined: dict[str, Any]) -> None:
    copy = {**joined, "Key": "copy"}
    kept.copy_object(**copy, CopySource=joined)
    assert kept.get_object(**copy, PartNumber=6)["Body"].read() == BODIES[6]
    body = {"bucketId": joined["Bucket"], "sourceKey": "copy", "destinationKey": "moved"}
    s3_service.post("/object/move", json=body).raise_for_status()
    assert kept.get_object(**{**joined, "Key": "moved"}, PartNumber=6)["Body"].read() == BODIES[6]
    kept.put_object(**{**joined, "Key": "moved"}, Body=b"one")
    assert refusal(kept.get_object, **{**joined, "Key": "moved"}, PartNumber=6) == (416, "InvalidPartNumber")


def test_a_whole_object_is_its_first_part(kept: Any, joined: dict[str, Any]) -> None:
    whole = {**joined, "Key": "whole"}
    for data in (b"some bytes", b""):
        kept.put_object(**whole, Body=data)
        got = kept.get_object(**whole, PartNumber=1, ChecksumMode="ENABLED")
        assert (got["Body"].read(), got["ChecksumCRC32"], got.get("PartsCount")) == (data, crc32(data), None)
        assert refusal(kept.get_object, **whole, PartNumber=2) == (416, "InvalidPartNumber")
        assert "ObjectParts" not in kept.get_object_attributes(**whole, ObjectAttributes=ATTRIBUTES)


def test_the_data_kept_of_many_parts_is_short(s3_service: Service, kept: Any) -> None:
    place = {"Bucket": s3_service.bucket(), "Key": "k"}
    upload = {**place, "UploadId": kept.create_multipart_upload(**place)["UploadId"]}
    parts = [
        {"PartNumber": number, "ETag": kept.upload_part(**upload, PartNumber=number, Body=b"x" * 7)["ETag"]}
        for number in range(1, 31)
    ]
    kept.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
    select = f"select metadata -> 'parts' from storage.objects where bucket_id = '{place['Bucket']}'"
    assert len(json.dumps(s3_service.sql(select)[0][0])) < 250


BROKEN = [
    '{"runs": [[1, 1000000000000, 1]]}', '{"runs": [[1, -1, 5]]}', '{"runs": []}', '{"runs": [[1, 1]]}', '{"runs": 5}',
    '{"runs": [[1, 1, 4]], "checksums": {"crc32": "?"}}', '{"runs": [[1, 1, 4]], "checksums": 5}', "[]", '"x"',
    '{"runs": [[1, 3, 1]], "checksums": {"crc32": "AAAA"}, "more": 1}', '{"runs": [[1, 1, 4000]]}',
]  # fmt: skip


@pytest.mark.parametrize("member", BROKEN)
def test_metadata_changed_by_sql_does_no_harm(s3_service: Service, kept: Any, member: str) -> None:
    bucket = s3_service.bucket()
    place = {"Bucket": bucket, "Key": "k"}
    kept.put_object(**place, Body=b"four")
    s3_service.sql(
        f"update storage.objects set metadata = metadata || jsonb_build_object('parts', '{member}'::jsonb)"
        f" where bucket_id = '{bucket}'"
    )
    url = kept.generate_presigned_url("get_object", {**place, "PartNumber": 1})
    assert requests.get(url, timeout=30).status_code in (206, 416)
    kept.get_object_attributes(**place, ObjectAttributes=ATTRIBUTES)
    assert kept.get_object(**place)["Body"].read() == b"four"
