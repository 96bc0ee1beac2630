"""Names of buckets and keys of objects in paths."""

from __future__ import annotations

import json
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.storage.names import successor
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.service import Service, error, raw_request


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("a%20b.txt", "a b.txt"),
        ("a%2Fb", "a/b"),
        ("a+b", "a+b"),
        ("a%2Bb", "a+b"),
        ("a//b", "a//b"),
        ("folder/", "folder/"),
        (".hidden", ".hidden"),
        ("a%3Fb%26c%3D%40%2C%3B%3A%24", "a?b&c=@,;:$"),
        ("x" * 300, "x" * 300),
    ],
)
def test_allowed_keys_are_kept(service: Service, path: str, key: str) -> None:
    bucket = service.bucket()
    assert service.upload(f"{bucket}/{path}", key.encode()).json()["Key"] == f"{bucket}/{key}"
    assert service.get(f"/object/{bucket}/{path}").content == key.encode()


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("", ""),
        ("%C3%BC", "ü"),
        ("a%00b", "a\x00b"),
        ("a%0Ab", "a\nb"),
        ("a%5Cb", "a\\b"),
        ("a%25b", "a%b"),
        ("a~b", "a~b"),
        ("a%7Cb", "a|b"),
        ("a/%2E%2E/b", "a/../b"),
        ("%2e", "."),
        ("a/./b", "a/./b"),
        ("x" * 1025, "x" * 1025),
    ],
)
def test_other_keys_are_refused(service: Service, path: str, key: str) -> None:
    bucket = service.bucket()
    with service.keeping_blobs():
        answer = service.upload(f"{bucket}/{path}")
        assert error(answer) == (400, "400", "InvalidKey", f"Invalid key: {key}")
        assert error(service.get(f"/object/{bucket}/{path}"))[2] == "InvalidKey"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("%C3%BC", "letters A to Z without accents"),
        ("a/%2E%2E/b", "no part . or .. between its slashes"),
        ("x" * 1025, "at most 1,024 bytes"),
    ],
)
def test_the_refusal_of_a_key_names_the_violated_rule(service: Service, path: str, hint: str) -> None:
    assert hint in service.upload(f"{service.bucket()}/{path}").json()["hint"]


def test_all_scripts_are_allowed_with_a_setting(own_service: object) -> None:
    service: Service = own_service(object_keys="unicode")  # type: ignore[operator]
    bucket = service.bucket()
    assert service.upload(f"{bucket}/%C3%BC%20%25.txt").json()["Key"] == f"{bucket}/ü %.txt"
    signed = service.post(f"/object/sign/{bucket}/%C3%BC%20%25.txt", json={"expiresIn": 60}).json()["signedURL"]
    assert service.get(signed, None).content == b"content"
    for path in ("a%00b", "a%F4%8F%BF%BF", "%2e%2e/b", "x" * 1025, "%C3%BC" * 513):
        assert error(service.upload(f"{bucket}/{path}"))[2] == "InvalidKey"


ODD_KEYS = sorted([
    "etc/systemd/dev-disk-by\\x2dlabel.swap", "Icon\r", "a\tb\n", "a", "a\x01", "a\x01/b", "a/\x01", "\x01", "\x7f",
    "\x80b", "\x9f", "\ufffe", "\uffff", "dir\\", "dir\\/file", "\\", "c:\\d", "\U0010fffe", "e\u0301", "\xe9",
    "\u2028", "\ufeff",
], key=str.encode)  # fmt: skip


def test_unusual_characters_are_allowed_with_the_same_setting(own_service: object) -> None:
    """In each protocol, as S3 clients send them. Listings without an encoding cannot name all of them in XML 1.0."""
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service: Service = own_service(object_keys="unicode", **keys)  # type: ignore[operator]
    bucket, s3 = service.bucket(), client(service)
    for number, key in enumerate(ODD_KEYS):
        if number % 2:
            s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
        else:
            assert service.upload(f"{bucket}/{quote(key)}", key.encode()).json()["Key"] == f"{bucket}/{key}"
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, PaginationConfig={"PageSize": 3})
    assert [each["Key"] for page in pages for each in page["Contents"]] == ODD_KEYS
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Delimiter="/", PaginationConfig={"PageSize": 2})
    found = {each["Prefix"] for page in pages for each in page.get("CommonPrefixes", ())}
    assert found == {"a/", "a\x01/", "dir\\/", "etc/"}
    for key in ODD_KEYS:
        assert service.get(f"/object/{bucket}/{quote(key)}").content == key.encode()
        assert s3.get_object(Bucket=bucket, Key=key)["Body"].read() == key.encode()
        s3.copy_object(Bucket=bucket, Key=f"copies/{key}", CopySource={"Bucket": bucket, "Key": key})
    listed = service.post(f"/object/list-v2/{bucket}", json={"prefix": "copies/"}).json()["objects"]
    assert sorted((each["name"] for each in listed), key=str.encode) == [f"copies/{key}" for key in ODD_KEYS]
    plain = service.session.get(s3.generate_presigned_url("list_objects_v2", {"Bucket": bucket}), timeout=30)
    ElementTree.fromstring(plain.content)
    for key in ODD_KEYS:
        s3.delete_object(Bucket=bucket, Key=key)
    prefixes = [f"copies/{key}" for key in ODD_KEYS]
    assert len(service.delete(f"/object/{bucket}", json={"prefixes": prefixes}).json()) == len(ODD_KEYS)
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


@pytest.mark.parametrize("path", ["/object/b/a%zz", "/object/b/a%f", "/object/b/a%ff"])
def test_broken_escapes_are_refused(service: Service, path: str) -> None:
    answer = raw_request(service.address, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {
        "error": "Bad Request",
        "code": "FST_ERR_BAD_URL",
        "message": f"'{path}' is not a valid url component",
        "statusCode": 400,
    }


@pytest.mark.parametrize("name", ["a%2Fb", "%20a", "b%C3%BC", "x" * 101])
def test_invalid_bucket_names_in_paths_are_refused(service: Service, name: str) -> None:
    for answer in (service.upload(f"{name}/k"), service.get(f"/bucket/{name}"), service.get(f"/object/{name}/k")):
        assert error(answer) == (400, "400", "InvalidBucketName", "Bucket name invalid")


@given(
    st.text(st.characters(exclude_categories=["Cs"], min_codepoint=1)),
    st.text(st.characters(exclude_categories=["Cs"])),
)
def test_a_successor_bounds_the_keys_of_a_prefix(prefix: str, other: str) -> None:
    """The keys between a prefix and its successor are exactly those with the prefix."""
    end = successor(prefix)
    for text in (prefix + other, other):
        between = text.encode() >= prefix.encode() and (end is None or text.encode() < end.encode())
        assert between == text.startswith(prefix)
