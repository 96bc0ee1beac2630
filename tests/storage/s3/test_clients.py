"""Real clients, unmodified: boto3's resource, smart-open, s3fs, minio."""

from __future__ import annotations

import io
import os
from collections.abc import Callable

import boto3
import pytest
import requests
import smart_open

from tests.storage.s3.clients import KEY, SECRET_KEY, arguments, client
from tests.storage.service import Service, unique

MIB = 1024**2


def test_the_resource_of_boto3_works(s3_service: Service) -> None:
    s3 = boto3.resource("s3", **arguments(s3_service))
    bucket = s3.Bucket(s3_service.bucket())
    bucket.put_object(Key="a/1", Body=b"one")
    bucket.Object("a/2").put(Body=b"two")
    assert sorted(each.key for each in bucket.objects.filter(Prefix="a/")) == ["a/1", "a/2"]
    assert bucket.Object("a/2").get()["Body"].read() == b"two"
    bucket.objects.all().delete()
    bucket.delete()
    s3.meta.client.close()


def test_presigned_urls_of_boto3_work(s3_service: Service) -> None:
    s3, bucket = client(s3_service), s3_service.bucket()
    named = {"Bucket": bucket, "Key": "a b+c"}
    url = s3.generate_presigned_url("put_object", {**named, "ContentType": "text/x", "Metadata": {"a_b": "1"}})
    headers = {"content-type": "text/x", "x-amz-meta-a_b": "1"}
    assert requests.put(url, b"x", headers=headers, timeout=30).status_code == 200
    got = requests.get(s3.generate_presigned_url("get_object", named), timeout=30)
    assert (got.content, got.headers["content-type"], got.headers["x-amz-meta-a_b"]) == (b"x", "text/x", "1")
    assert requests.delete(s3.generate_presigned_url("delete_object", named), timeout=30).status_code == 204
    started = s3.generate_presigned_url("create_multipart_upload", named)
    assert "<UploadId>" in requests.post(started, timeout=30).text


@pytest.mark.parametrize("setting", ["when_supported", "when_required"])
def test_checksums_of_boto3_are_accepted(s3_service: Service, setting: str) -> None:
    s3 = client(s3_service, request_checksum_calculation=setting, response_checksum_validation=setting)
    bucket = s3_service.bucket()
    for algorithm in ("CRC32", "SHA1", "SHA256"):
        s3.put_object(Bucket=bucket, Key=algorithm, Body=io.BytesIO(b"x" * 100_000), ChecksumAlgorithm=algorithm)
        assert s3.head_object(Bucket=bucket, Key=algorithm)["ContentLength"] == 100_000


def test_smart_open_works(s3_service: Service) -> None:
    bucket, given = s3_service.bucket(), {"client": client(s3_service)}
    data = os.urandom(6 * MIB)
    url = f"s3://{bucket}/folder/large"
    with smart_open.open(url, "wb", transport_params={**given, "min_part_size": 5 * MIB}) as file:
        file.write(data)
    with smart_open.open(url, "rb", transport_params=given) as file:
        assert file.read(10) == data[:10]
        file.seek(5 * MIB)
        assert file.read() == data[5 * MIB :]
    with smart_open.open(f"s3://{bucket}/small", "w", transport_params=given) as file:
        file.write("five")
    assert smart_open.open(f"s3://{bucket}/small", transport_params=given).read() == "five"


def test_s3fs_works(s3_service: Service) -> None:
    s3fs = pytest.importorskip("s3fs", reason="s3fs is in the extra clients")
    bucket = s3_service.bucket()
    files = s3fs.S3FileSystem(
        key=KEY,
        secret=SECRET_KEY,
        endpoint_url=f"{s3_service.url}/s3",
        skip_instance_cache=True,
        use_listings_cache=False,
    )
    files.pipe(f"{bucket}/a/b", b"one")
    with files.open(f"{bucket}/a/c", "wb", block_size=5 * MIB) as file:
        file.write(b"x" * (6 * MIB))
    assert files.ls(f"{bucket}/a") == [f"{bucket}/a/b", f"{bucket}/a/c"]
    assert files.info(f"{bucket}/a/c")["size"] == 6 * MIB
    assert files.cat(f"{bucket}/a/b", start=1, end=2) == b"n"
    files.copy(f"{bucket}/a/b", f"{bucket}/d")
    files.mv(f"{bucket}/d", f"{bucket}/e")
    assert files.exists(f"{bucket}/e")
    assert not files.exists(f"{bucket}/d")
    files.touch(f"{bucket}/empty")
    assert files.find(bucket) == [f"{bucket}/a/b", f"{bucket}/a/c", f"{bucket}/e", f"{bucket}/empty"]
    files.rm(bucket, recursive=True)
    assert not files.exists(bucket)


def test_minio_works(own_service: Callable[..., Service]) -> None:
    minio = pytest.importorskip("minio")
    service = own_service(
        s3_protocol_host="127.0.0.1", s3_protocol_access_key_id=KEY, s3_protocol_access_key_secret=SECRET_KEY
    )
    host = service.url.removeprefix("http://")
    s3 = minio.Minio(host, access_key=KEY, secret_key=SECRET_KEY, secure=False)
    bucket = unique("minio")
    s3.make_bucket(bucket_name=bucket)
    assert s3.bucket_exists(bucket_name=bucket)
    data = os.urandom(11 * MIB)
    named = {"bucket_name": bucket, "object_name": "large"}
    done = s3.put_object(**named, data=io.BytesIO(data), length=len(data), part_size=5 * MIB)
    assert done.location == f"http://{host}/{bucket}/large"
    s3.put_object(bucket_name=bucket, object_name="a b", data=io.BytesIO(b"small"), length=5, metadata={"user_id": "7"})
    answer = s3.get_object(bucket_name=bucket, object_name="large", offset=MIB, length=100)
    assert answer.read() == data[MIB : MIB + 100]
    answer.close()
    answer.release_conn()
    found = s3.stat_object(bucket_name=bucket, object_name="a b")
    assert (found.size, found.metadata["x-amz-meta-user_id"]) == (5, "7")
    assert [each.object_name for each in s3.list_objects(bucket_name=bucket)] == ["a b", "large"]
    copied = minio.commonconfig.CopySource(bucket_name=bucket, object_name="a b")
    s3.copy_object(bucket_name=bucket, object_name="copy", source=copied)
    url = s3.presigned_get_object(bucket_name=bucket, object_name="copy")
    assert requests.get(url, timeout=30).content == b"small"
    doomed = [minio.deleteobjects.DeleteObject(name) for name in ("a b", "copy", "large")]
    assert list(s3.remove_objects(bucket_name=bucket, delete_object_list=doomed)) == []
    s3.remove_bucket(bucket_name=bucket)
