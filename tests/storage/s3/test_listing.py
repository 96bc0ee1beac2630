"""Listings against a plain model: prefixes, delimiters, markers, pages and encodings."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.storage.s3.clients import code_of
from tests.storage.service import Service

KEYS = sorted(
    ["a", "a/", "a/1", "a/2", "a/b/c", "a0", "b//x", "b/y", "c x/1", "c x/2", "c+", "d-e-1", "d-e-2", "d-f", "z'(1)"]
)


@pytest.fixture(scope="module")
def filled(s3_service: Service) -> str:
    bucket = s3_service.bucket()
    values = ", ".join("('{}', '{}', '{{}}')".format(bucket, key.replace("'", "''")) for key in KEYS)
    s3_service.sql(f"insert into storage.objects (bucket_id, name, metadata) values {values}")
    return bucket


def model(prefix: str, delimiter: str, after: str) -> list[tuple[str, bool]]:
    """The entries that a listing has: keys and common prefixes, in order."""
    entries: dict[tuple[str, bool], None] = {}
    for key in KEYS:
        if not key.startswith(prefix):
            continue
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        entry = (key, False) if end < 0 else (key[: end + len(delimiter)], True)
        if key > after and not (entry[1] and after == entry[0]):
            entries[entry] = None
    return list(entries)


CASES = [(p, d, "") for p in ("", "a", "a/", "b/", "c", "d-", "none") for d in ("", "/", "-", "b/")] + [
    ("", "", "a/1"), ("", "/", "a/"), ("", "/", "a/1"), ("a/", "/", "a/1"), ("", "-", "d-"), ("", "/", "zz"),
    ("b", "/", "a"), ("", "/", "c+"),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_both_versions_list_all_pages(s3: Any, filled: str, size: int) -> None:
    for prefix, delimiter, after in CASES:
        wanted = model(prefix, delimiter, after)
        more = {"Prefix": prefix, "Delimiter": delimiter, "Bucket": filled}
        second = s3.get_paginator("list_objects_v2").paginate(
            **more, **({"StartAfter": after} if after else {}), PaginationConfig={"PageSize": size}
        )
        assert entries(second, size) == wanted, (prefix, delimiter, after)
        if size == 1:
            continue
        first = s3.get_paginator("list_objects").paginate(**more, Marker=after, PaginationConfig={"PageSize": size})
        assert entries(first, size) == wanted, (prefix, delimiter, after)


def entries(pages: Any, size: int) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    for page in pages:
        objects = [(each["Key"], False) for each in page.get("Contents", ())]
        folders = [(each["Prefix"], True) for each in page.get("CommonPrefixes", ())]
        assert len(objects) + len(folders) <= size
        found += sorted(objects + folders)
    return found


def test_keys_are_encoded_on_request(s3_service: Service, s3: Any, filled: str) -> None:
    url = s3.generate_presigned_url(
        "list_objects_v2",
        {"Bucket": filled, "Prefix": "c", "EncodingType": "url", "StartAfter": "c x", "Delimiter": "+"},
    )
    body = s3_service.session.get(url, timeout=30).text
    assert "<Key>c%20x/1</Key>" in body
    assert "<Prefix>c%2B</Prefix>" in body
    assert "<Delimiter>%2B</Delimiter>" in body
    assert "<StartAfter>c%20x</StartAfter>" in body


def test_limits_of_listings_are_checked(s3: Any, filled: str) -> None:
    empty = s3.list_objects_v2(Bucket=filled, MaxKeys=0)
    assert (empty["KeyCount"], empty["IsTruncated"], empty["MaxKeys"]) == (0, False, 0)
    assert s3.list_objects_v2(Bucket=filled, MaxKeys=5000)["MaxKeys"] == 1000
    for wrong in ({"MaxKeys": -1}, {"ContinuationToken": "nonsense"}):
        with pytest.raises(ClientError) as caught:
            s3.list_objects_v2(Bucket=filled, **wrong)
        assert code_of(caught.value) == (400, "InvalidArgument")


def test_owners_are_listed(s3: Any, filled: str) -> None:
    first = s3.list_objects(Bucket=filled)["Contents"]
    assert {each["Owner"]["ID"] for each in first} == {"service_role"}
    assert all("Owner" not in each for each in s3.list_objects_v2(Bucket=filled)["Contents"])
    asked = s3.list_objects_v2(Bucket=filled, FetchOwner=True)["Contents"]
    assert {each["Owner"]["ID"] for each in asked} == {"service_role"}


def test_an_empty_token_means_the_first_page(s3: Any, filled: str) -> None:
    page = s3.list_objects_v2(Bucket=filled, ContinuationToken="")
    assert (page["ContinuationToken"], [each["Key"] for each in page["Contents"]]) == ("", KEYS)


def test_each_object_has_one_version(s3: Any, filled: str) -> None:
    page = s3.list_object_versions(Bucket=filled, Prefix="a", MaxKeys=2)
    assert [(each["Key"], each["VersionId"], each["IsLatest"]) for each in page["Versions"]] == [
        ("a", "null", True), ("a/", "null", True)
    ]  # fmt: skip
    assert page["IsTruncated"]
    following = s3.list_object_versions(Bucket=filled, Prefix="a", KeyMarker=page["NextKeyMarker"])
    assert [each["Key"] for each in following["Versions"]] == ["a/1", "a/2", "a/b/c", "a0"]
