"""Tags of objects and buckets, in the S3 protocol, in the REST API and in policies."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, client, code_of
from tests.storage.service import USER, Service, error, token, unique


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def as_set(tags: dict[str, str]) -> dict[str, Any]:
    return {"TagSet": [{"Key": name, "Value": value} for name, value in tags.items()]}


def tags_of(s3: Any, bucket: str, key: str = "k") -> dict[str, str]:
    found = s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
    return {each["Key"]: each["Value"] for each in found}


def refusal(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def test_tags_are_written_read_and_removed(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    modified = s3.head_object(Bucket=bucket, Key="k")["LastModified"]
    assert tags_of(s3, bucket) == {}
    given = {"public": "yes", "größe": "1 & 2 = 3", "empty": ""}
    s3.put_object_tagging(Bucket=bucket, Key="k", Tagging=as_set(given))
    assert tags_of(s3, bucket) == given
    assert s3_service.sql(f"select tags from storage.objects where bucket_id = '{bucket}'") == [[given]]
    head = s3.head_object(Bucket=bucket, Key="k")
    assert head["ResponseMetadata"]["HTTPHeaders"]["x-amz-tagging-count"] == "3"
    assert head["LastModified"] == modified
    s3.put_object_tagging(Bucket=bucket, Key="k", Tagging=as_set({"a": "b"}))
    assert tags_of(s3, bucket) == {"a": "b"}
    s3.delete_object_tagging(Bucket=bucket, Key="k")
    assert tags_of(s3, bucket) == {}
    assert "x-amz-tagging-count" not in s3.get_object(Bucket=bucket, Key="k")["ResponseMetadata"]["HTTPHeaders"]
    for act, more in ((s3.put_object_tagging, {"Tagging": as_set({})}), (s3.delete_object_tagging, {})):
        assert refusal(act, Bucket=bucket, Key="none", **more) == (404, "NoSuchKey")


@pytest.mark.parametrize("tags", [
    {f"k{n}": "v" for n in range(11)}, {"k" * 129: "v"}, {"k": "v" * 257}, {"aws:k": "v"}, {"k": "a\nb"},
])  # fmt: skip
def test_tags_beyond_the_limits_are_refused(s3: Any, bucket: str, tags: dict[str, str]) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Tagging="kept=1")
    assert refusal(s3.put_object_tagging, Bucket=bucket, Key="k", Tagging=as_set(tags)) == (400, "InvalidTag")
    assert tags_of(s3, bucket) == {"kept": "1"}


def test_the_largest_tags_are_kept(s3: Any, bucket: str) -> None:
    tags = {f"{n:0128}": f"{n:0256}" for n in range(10)}
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    s3.put_object_tagging(Bucket=bucket, Key="k", Tagging=as_set(tags))
    assert tags_of(s3, bucket) == tags
    twice = {"TagSet": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}
    assert refusal(s3.put_object_tagging, Bucket=bucket, Key="k", Tagging=twice) == (400, "InvalidTag")
    assert refusal(s3.put_object, Bucket=bucket, Key="k", Body=b"y", Tagging="a=1&a=2") == (400, "InvalidTag")


@pytest.mark.parametrize("size", [1, 2 * 1024**2])
def test_a_write_sets_the_tags_of_the_new_object(s3: Any, bucket: str, size: int) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x" * size, Tagging="a=1&b=x%20%26+y&c")
    assert tags_of(s3, bucket) == {"a": "1", "b": "x & y", "c": ""}
    s3.put_object(Bucket=bucket, Key="k", Body=b"y" * size, Tagging="d=2")
    assert tags_of(s3, bucket) == {"d": "2"}
    s3.put_object(Bucket=bucket, Key="k", Body=b"z" * size)
    assert tags_of(s3, bucket) == {}


def test_a_copy_keeps_or_replaces_tags(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Tagging="a=1")
    copy = {"Bucket": bucket, "CopySource": f"{bucket}/k", "Key": "copy"}
    s3.copy_object(**copy, Tagging="b=2")
    assert tags_of(s3, bucket, "copy") == {"a": "1"}
    s3.copy_object(**copy, MetadataDirective="REPLACE", Metadata={"m": "1"})
    assert tags_of(s3, bucket, "copy") == {"a": "1"}
    s3.copy_object(**copy, TaggingDirective="REPLACE", Tagging="b=2")
    assert tags_of(s3, bucket, "copy") == {"b": "2"}
    s3.copy_object(**copy, TaggingDirective="REPLACE")
    assert tags_of(s3, bucket, "copy") == {}


def test_an_upload_in_parts_has_the_tags_that_it_began_with(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Tagging="old=1")
    begun = {"Bucket": bucket, "Key": "k"}
    upload = {**begun, "UploadId": s3.create_multipart_upload(**begun, Tagging="a=1&b=2")["UploadId"]}
    etag = s3.upload_part(**upload, PartNumber=1, Body=b"part")["ETag"]
    s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})
    assert tags_of(s3, bucket) == {"a": "1", "b": "2"}


def test_a_form_sets_tags(s3: Any, s3_service: Service, bucket: str) -> None:
    tagging = "<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>"
    post = s3.generate_presigned_post(bucket, "k", Fields={"tagging": tagging}, Conditions=[{"tagging": tagging}])
    assert requests.post(post["url"], data=post["fields"], files={"file": b"x"}, timeout=60).status_code == 204
    assert tags_of(s3, bucket) == {"a": "1"}
    post = s3.generate_presigned_post(bucket, "k", Fields={"tagging": "<a/>"}, Conditions=[{"tagging": "<a/>"}])
    refused = requests.post(post["url"], data=post["fields"], files={"file": b"x"}, timeout=60)
    assert (refused.status_code, b"MalformedXML" in refused.content) == (400, True)


def test_buckets_have_tags(s3: Any, s3_service: Service, bucket: str) -> None:
    assert refusal(s3.get_bucket_tagging, Bucket=bucket) == (404, "NoSuchTagSet")
    tags = {f"k{n}": "v" for n in range(50)}
    s3.put_bucket_tagging(Bucket=bucket, Tagging=as_set(tags))
    assert {each["Key"] for each in s3.get_bucket_tagging(Bucket=bucket)["TagSet"]} == set(tags)
    more = as_set({**tags, "one": "more"})
    assert refusal(s3.put_bucket_tagging, Bucket=bucket, Tagging=more) == (400, "InvalidTag")
    s3.delete_bucket_tagging(Bucket=bucket)
    assert refusal(s3.get_bucket_tagging, Bucket=bucket) == (404, "NoSuchTagSet")


def test_the_rest_api_writes_and_shows_tags(s3_service: Service, s3: Any, bucket: str) -> None:
    service = s3_service
    service.upload(f"{bucket}/k", x_tags="a=1&b=x+y").raise_for_status()
    info = service.get(f"/object/info/{bucket}/k").json()
    assert info["tags"] == {"a": "1", "b": "x y"}
    plain = service.bucket()
    service.upload(f"{plain}/k").raise_for_status()
    assert list(service.get(f"/object/info/{plain}/k").json()) == [name for name in info if name != "tags"]
    form = {"tags": (None, json.dumps({"c": "3"})), "file": ("k", b"x")}
    service.request("PUT", f"/object/{bucket}/k", files=form).raise_for_status()
    assert tags_of(s3, bucket) == {"c": "3"}
    for bad in ("[1]", '{"a": 1}', "x"):
        refused = service.request("PUT", f"/object/{bucket}/k", files={**form, "tags": (None, bad)})
        assert error(refused)[:3] == (400, "400", "InvalidTag")
    copy = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "copy"}
    service.post("/object/copy", json=copy).raise_for_status()
    assert tags_of(s3, bucket, "copy") == {"c": "3"}
    service.put(f"/object/{bucket}/k", data=b"y").raise_for_status()
    assert tags_of(s3, bucket) == {}


def test_a_resumable_upload_can_be_tagged_by_its_begin(s3_service: Service, s3: Any, bucket: str) -> None:
    names = {"bucketName": bucket, "objectName": "k", "x-tags": "a=1&b=2"}
    encoded = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in names.items())
    begun = s3_service.post(
        "/upload/resumable", headers={"tus-resumable": "1.0.0", "upload-length": "0", "upload-metadata": encoded}
    )
    assert begun.status_code == 201, begun.text
    assert tags_of(s3, bucket) == {"a": "1", "b": "2"}


def test_policies_read_tags(s3_service: Service, s3: Any, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    s3_service.sql(
        f"create policy {unique('read')} on storage.objects for select to authenticated"
        f" using (bucket_id = '{bucket}' and tags ->> 'public' = 'yes');"
        f"create policy {unique('write')} on storage.objects for insert to authenticated"
        f" with check (bucket_id = '{bucket}' and tags ->> 'kind' = 'note')"
    )
    s3.put_object(Bucket=bucket, Key="hidden", Body=b"x", Tagging="public=no")
    s3.put_object(Bucket=bucket, Key="shown", Body=b"x", Tagging="public=yes")
    assert [each["Key"] for each in user.list_objects_v2(Bucket=bucket)["Contents"]] == ["shown"]
    assert refusal(user.get_object, Bucket=bucket, Key="hidden") == (404, "NoSuchKey")
    assert refusal(user.get_object_tagging, Bucket=bucket, Key="hidden") == (404, "NoSuchKey")
    for key, tagging in (("a", "kind=other"), ("b", "")):
        given = {"Tagging": tagging} if tagging else {}
        assert refusal(user.put_object, Bucket=bucket, Key=key, Body=b"x", **given) == (403, "AccessDenied")
    user.put_object(Bucket=bucket, Key="c", Body=b"x", Tagging="kind=note", IfNoneMatch="*")
    begun = {"Bucket": bucket, "Key": "d"}
    assert refusal(user.create_multipart_upload, **begun) == (403, "AccessDenied")
    # Without UPDATE, no tags can be changed: those of a hidden object are as absent as it is.
    for key, code in (("shown", (403, "AccessDenied")), ("hidden", (404, "NoSuchKey"))):
        assert refusal(user.put_object_tagging, Bucket=bucket, Key=key, Tagging=as_set({"public": "yes"})) == code
        assert refusal(user.delete_object_tagging, Bucket=bucket, Key=key) == code


def test_a_database_without_the_columns_works_without_tags(own_service: Callable[..., Service]) -> None:
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(**keys)
    service.sql("alter table storage.objects drop column tags; alter table storage.buckets drop column tags cascade")
    s3, bucket = client(service), service.bucket()
    for body in (b"x", b"y" * 2 * 1024**2):
        s3.put_object(Bucket=bucket, Key="k", Body=body)
        assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == body
    s3.copy_object(Bucket=bucket, Key="copy", CopySource=f"{bucket}/k")
    assert tags_of(s3, bucket) == {}
    assert "tags" not in service.get(f"/object/info/{bucket}/k").json()
    assert refusal(s3.put_object, Bucket=bucket, Key="k", Body=b"z", Tagging="a=1") == (501, "NotImplemented")
    assert refusal(s3.put_object_tagging, Bucket=bucket, Key="k", Tagging=as_set({"a": "1"})) == (501, "NotImplemented")
    assert refusal(s3.put_bucket_tagging, Bucket=bucket, Tagging=as_set({"a": "1"})) == (501, "NotImplemented")
    assert refusal(s3.get_bucket_tagging, Bucket=bucket) == (404, "NoSuchTagSet")
    assert error(service.upload(f"{bucket}/new", x_tags="a=1"))[2] == "FeatureNotEnabled"
    later = datetime.now(UTC) + timedelta(minutes=1)
    assert s3.head_object(Bucket=bucket, Key="k", IfUnmodifiedSince=later)["ContentLength"] == 2 * 1024**2
