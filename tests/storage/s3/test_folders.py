"""Folders: an empty object whose key ends in a slash, and the placeholder of Supabase's clients, at every face."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from tests.storage.s3.clients import client, code_of
from tests.storage.service import Service, error

PLACEHOLDER = "dir/.emptyFolderPlaceholder"


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def keys(s3: Any, bucket: str, **more: str) -> list[str]:
    return [each["Key"] for each in s3.list_objects_v2(Bucket=bucket, **more).get("Contents", ())]


def missing(act: Any, **arguments: Any) -> bool:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)[0] == 404


def by_s3(service: Service, bucket: str) -> None:
    client(service).put_object(Bucket=bucket, Key="dir/", Body=b"")


def by_chunks(service: Service, bucket: str) -> None:
    url = client(service).generate_presigned_url("put_object", {"Bucket": bucket, "Key": "dir/"})
    requests.put(url, data=iter([]), timeout=30).raise_for_status()


def by_parts(service: Service, bucket: str) -> None:
    s3, given = client(service), {"Bucket": bucket, "Key": "dir/"}
    given["UploadId"] = s3.create_multipart_upload(**given)["UploadId"]
    part = s3.upload_part(**given, PartNumber=1, Body=b"")
    s3.complete_multipart_upload(**given, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]})


def by_shape(service: Service, bucket: str) -> None:
    form = client(service).generate_presigned_post(bucket, "dir/")
    requests.post(form["url"], data=form["fields"], files={"file": b""}, timeout=30).raise_for_status()


def by_rest(service: Service, bucket: str) -> None:
    service.upload(f"{bucket}/dir/", b"").raise_for_status()


@pytest.mark.parametrize("put", [by_s3, by_chunks, by_parts, by_shape, by_rest])
def test_a_folder_keeps_its_key(s3: Any, s3_service: Service, bucket: str, put: Callable[[Service, str], None]) -> None:
    put(s3_service, bucket)
    assert keys(s3, bucket) == ["dir/"]
    grouped = s3.list_objects_v2(Bucket=bucket, Delimiter="/")
    assert [each["Prefix"] for each in grouped["CommonPrefixes"]] == ["dir/"]
    assert keys(s3, bucket, Delimiter="/", Prefix="dir/") == ["dir/"]
    assert s3.head_object(Bucket=bucket, Key="dir/")["ContentLength"] == 0
    assert s3_service.get(f"/object/{bucket}/dir/").content == b""
    listed = s3_service.post(f"/object/list/{bucket}", json={"prefix": ""}).json()
    assert [(each["name"], each["id"]) for each in listed] == [("dir", None)]
    # Supabase's dashboard deletes a folder by what is listed inside of it.
    inside = s3_service.post(f"/object/list/{bucket}", json={"prefix": "dir"}).json()
    names = [f"dir/{each['name']}" for each in inside]
    assert names == ["dir/"]
    assert [each["name"] for each in s3_service.delete(f"/object/{bucket}", json={"prefixes": names}).json()] == names
    assert keys(s3, bucket) == []


def test_a_deleted_folder_is_gone(s3: Any, s3_service: Service, bucket: str) -> None:
    s3_service.upload(f"{bucket}/{PLACEHOLDER}", b"").raise_for_status()
    for data in (b"", b"x"):
        s3.put_object(Bucket=bucket, Key="dir/", Body=data)
        assert s3.get_object(Bucket=bucket, Key="dir/")["Body"].read() == data
    s3.delete_object(Bucket=bucket, Key="dir/")
    for act in (s3.head_object, s3.get_object, s3.get_object_tagging):
        assert missing(act, Bucket=bucket, Key="dir/")
    copied = {"Bucket": bucket, "Key": "copy/", "CopySource": {"Bucket": bucket, "Key": "dir/"}}
    assert missing(s3.copy_object, **copied)
    assert keys(s3, bucket) == [PLACEHOLDER]


def test_a_placeholder_keeps_its_folder_visible_in_both_protocols(s3: Any, s3_service: Service, bucket: str) -> None:
    s3_service.upload(f"{bucket}/{PLACEHOLDER}", b"").raise_for_status()
    s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "dir/"}]})
    grouped = s3.list_objects_v2(Bucket=bucket, Delimiter="/")
    assert [each["Prefix"] for each in grouped["CommonPrefixes"]] == ["dir/"]
    inside = s3_service.post(f"/object/list/{bucket}", json={"prefix": "dir"}).json()
    assert [each["name"] for each in inside] == [".emptyFolderPlaceholder"]
    s3.delete_object(Bucket=bucket, Key=PLACEHOLDER)
    assert s3_service.post(f"/object/list/{bucket}", json={"prefix": ""}).json() == []


def test_a_bucket_with_allowed_types_has_folders(s3: Any, s3_service: Service) -> None:
    bucket = s3_service.bucket(allowed_mime_types=["image/png"])
    s3.put_object(Bucket=bucket, Key="dir/", Body=b"", ContentType="application/x-directory")
    assert keys(s3, bucket) == ["dir/"]
    with pytest.raises(ClientError) as caught:
        s3.put_object(Bucket=bucket, Key="dir/", Body=b"x", ContentType="text/html")
    assert code_of(caught.value) == (415, "InvalidMimeType")
    # It does not become what the bucket refuses.
    body = {"bucketId": bucket, "sourceKey": "dir/", "destinationKey": "page.html"}
    for operation in ("move", "copy"):
        assert error(s3_service.post(f"/object/{operation}", json=body))[2] == "InvalidMimeType"
    body["destinationKey"] = "other/"
    assert s3_service.post("/object/move", json=body).status_code == 200
