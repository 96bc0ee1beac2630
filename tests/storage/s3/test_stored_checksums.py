"""Checksums that are kept with objects and parts, and answered."""

from __future__ import annotations

import base64
import hashlib
import io
import zlib
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from app.faces.s3.crc_combining import POLYNOMIALS, combined
from tests.storage.s3.clients import client, code_of
from tests.storage.service import Service


def text(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def crc32(data: bytes) -> str:
    return text(zlib.crc32(data).to_bytes(4))


def bitwise(name: str, data: bytes) -> bytes:
    """The check as its definition says, bit by bit."""
    polynomial, width = POLYNOMIALS[name]
    mask = (1 << width) - 1
    value = mask
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (polynomial if value & 1 else 0)
    return (value ^ mask).to_bytes(width // 8)


@pytest.mark.parametrize(
    ("name", "check"), [("crc32", 0xCBF43926), ("crc32c", 0xE3069283), ("crc64nvme", 0xAE8B14860A799888)]
)
def test_each_checksum_has_its_check_value(name: str, check: int) -> None:
    assert int.from_bytes(bitwise(name, b"123456789")) == check


@given(st.sampled_from(sorted(POLYNOMIALS)), st.lists(st.binary(max_size=40), min_size=1, max_size=5))
def test_checksums_of_parts_combine_to_that_of_the_whole(name: str, parts: list[bytes]) -> None:
    checks = [bitwise(name, part) for part in parts]
    assert combined(name, checks, [len(part) for part in parts]) == bitwise(name, b"".join(parts))


def test_checksums_of_large_parts_combine() -> None:
    parts = [b"a" * 5_000_000, b"b" * 3]
    checks = [zlib.crc32(part).to_bytes(4) for part in parts]
    assert combined("crc32", checks, [len(part) for part in parts]) == zlib.crc32(b"".join(parts)).to_bytes(4)


@pytest.fixture(scope="module")
def place(s3_service: Service) -> dict[str, Any]:
    return {"Bucket": s3_service.bucket(), "Key": "k"}


@pytest.fixture(scope="module")
def kept(s3_service: Service) -> Any:
    """boto3's client that requests checksums and verifies them, as it does by default."""
    return client(s3_service, response_checksum_validation="when_supported")


def test_the_checksum_of_an_object_is_kept(kept: Any, place: dict[str, Any]) -> None:
    sha256 = text(hashlib.sha256(b"one").digest())
    assert kept.put_object(**place, Body=b"one", ChecksumAlgorithm="SHA256")["ChecksumSHA256"] == sha256
    head = kept.head_object(**place, ChecksumMode="ENABLED")
    assert (head["ChecksumSHA256"], head["ChecksumType"]) == (sha256, "FULL_OBJECT")
    assert "ChecksumSHA256" not in kept.head_object(**place)
    got = kept.get_object(**place, ChecksumMode="ENABLED")
    assert (got["ChecksumSHA256"], got["Body"].read()) == (sha256, b"one")
    assert "ChecksumSHA256" not in kept.get_object(**place, Range="bytes=0-1", ChecksumMode="ENABLED")
    reported = kept.get_object_attributes(**place, ObjectAttributes=["Checksum"])["Checksum"]
    assert reported == {"ChecksumSHA256": sha256, "ChecksumType": "FULL_OBJECT"}
    copied = {**place, "Key": "copied"}
    kept.copy_object(**copied, CopySource=place)
    assert kept.head_object(**copied, ChecksumMode="ENABLED")["ChecksumSHA256"] == sha256


def test_a_trailing_checksum_is_kept(kept: Any, place: dict[str, Any]) -> None:
    kept.put_object(**place, Body=io.BytesIO(b"x" * 100_000))
    assert kept.get_object(**place, ChecksumMode="ENABLED")["ChecksumCRC32"] == crc32(b"x" * 100_000)


def test_no_checksum_is_kept_for_an_object_without_one(s3_service: Service, kept: Any, place: dict[str, Any]) -> None:
    silent = client(s3_service, request_checksum_calculation="when_required")
    silent.put_object(**place, Body=b"one")
    head = kept.head_object(**place, ChecksumMode="ENABLED")
    assert not [name for name in head if name.startswith("Checksum")]


@pytest.mark.parametrize("kind", ["COMPOSITE", "FULL_OBJECT"])
def test_the_checksum_of_an_object_made_of_parts_is_kept(kept: Any, place: dict[str, Any], kind: str) -> None:
    datas = [b"one", b"and two"]
    started = kept.create_multipart_upload(**place, ChecksumAlgorithm="CRC32", ChecksumType=kind)
    assert (started["ChecksumAlgorithm"], started["ChecksumType"]) == ("CRC32", kind)
    named = {**place, "UploadId": started["UploadId"]}
    parts = []
    for number, data in enumerate(datas, 1):
        sent = kept.upload_part(**named, PartNumber=number, Body=data, ChecksumAlgorithm="CRC32")
        assert sent["ChecksumCRC32"] == crc32(data)
        parts.append({"PartNumber": number, "ETag": sent["ETag"], "ChecksumCRC32": sent["ChecksumCRC32"]})
    assert [each["ChecksumCRC32"] for each in kept.list_parts(**named)["Parts"]] == [crc32(data) for data in datas]
    joined = b"".join(base64.b64decode(crc32(data)) for data in datas)
    expected = f"{crc32(joined)}-2" if kind == "COMPOSITE" else crc32(b"".join(datas))

    wrong = [parts[0], {**parts[1], "ChecksumCRC32": crc32(b"other")}]
    with pytest.raises(ClientError) as refused:
        kept.complete_multipart_upload(**named, MultipartUpload={"Parts": wrong})
    assert code_of(refused.value) == (400, "InvalidPart")
    with pytest.raises(ClientError) as refused:
        kept.complete_multipart_upload(**named, MultipartUpload={"Parts": parts}, ChecksumCRC32=crc32(b"other"))
    assert code_of(refused.value) == (400, "BadDigest")
    # minio-go leaves out the number of parts.
    for sent in (expected.partition("-")[0], expected):
        done = kept.complete_multipart_upload(**named, MultipartUpload={"Parts": parts}, ChecksumCRC32=sent)
        assert (done["ChecksumCRC32"], done["ChecksumType"]) == (expected, kind)
    got = kept.get_object(**place, ChecksumMode="ENABLED")
    assert (got["ChecksumCRC32"], got["ChecksumType"], got["Body"].read()) == (expected, kind, b"oneand two")


@pytest.mark.parametrize("name", ["MD5", "SHA256", "SHA512"])
def test_a_hash_of_all_bytes_is_refused_for_parts(kept: Any, place: dict[str, Any], name: str) -> None:
    with pytest.raises(ClientError) as refused:
        kept.create_multipart_upload(**place, ChecksumAlgorithm=name, ChecksumType="FULL_OBJECT")
    assert code_of(refused.value) == (400, "InvalidArgument")


@pytest.mark.parametrize("name", ["MD5", "SHA512"])
def test_hashes_computed_by_clients_are_kept(s3_service: Service, place: dict[str, Any], name: str) -> None:
    s3 = client(s3_service, request_checksum_calculation="when_required")
    member, right = f"Checksum{name}", text(hashlib.new(name, b"one").digest())
    assert s3.put_object(**place, Body=b"one", **{member: right})[member] == right
    assert s3.head_object(**place, ChecksumMode="ENABLED")[member] == right
    with pytest.raises(ClientError) as refused:
        s3.put_object(**place, Body=b"two", **{member: right})
    assert code_of(refused.value) == (400, "BadDigest")
    upload = {**place, "UploadId": s3.create_multipart_upload(**place, ChecksumAlgorithm=name)["UploadId"]}
    part = s3.upload_part(**upload, PartNumber=1, Body=b"one", **{member: right})
    parts = [{"PartNumber": 1, "ETag": part["ETag"], member: right}]
    joined = text(hashlib.new(name, hashlib.new(name, b"one").digest()).digest())
    assert s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})[member] == f"{joined}-1"
