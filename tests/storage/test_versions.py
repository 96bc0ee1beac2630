"""Versions of objects in the REST API."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.storage.service import SERVICE, USER, Service, error, token, unique


@pytest.fixture
def bucket(service: Service) -> str:
    return service.bucket(versioning_status="ENABLED")


def listed(service: Service, bucket: str, credential: str = SERVICE, **wanted: Any) -> list[dict[str, Any]]:
    wanted = {"noncurrentVersions": "include", **wanted}
    answer = service.post(f"/object/list-v2/{bucket}", credential, json=wanted)
    answer.raise_for_status()
    return answer.json()["objects"]


def ids(service: Service, bucket: str, **wanted: Any) -> list[str]:
    return [each["versionId"] for each in listed(service, bucket, **wanted)]


def copy(service: Service, bucket: str, version: str, credential: str = SERVICE) -> requests.Response:
    names = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "k", "sourceVersionId": version}
    return service.post("/object/copy", credential, json=names, headers={"x-upsert": "true"})


def test_the_status_of_a_bucket_is_set(service: Service) -> None:
    status = "select versioning_status from storage.buckets where id = "
    bucket = service.bucket(versioning_status="ENABLED")
    assert service.sql(f"{status}'{bucket}'") == [["ENABLED"]]
    service.put(f"/bucket/{bucket}", json={"versioning_status": "SUSPENDED"}).raise_for_status()
    assert service.sql(f"{status}'{bucket}'") == [["SUSPENDED"]]
    refused = service.put(f"/bucket/{bucket}", json={"versioning_status": "DISABLED", "public": True})
    assert refused.status_code == 400
    assert service.get(f"/bucket/{bucket}").json()["public"] is False
    for wrong in ("enabled", "x"):
        assert error(service.put(f"/bucket/{bucket}", json={"versioning_status": wrong}))[2] == "InvalidRequest"
        refused = service.post("/bucket", json={"name": unique(), "versioning_status": wrong})
        assert error(refused)[2] == "InvalidRequest"


@pytest.mark.parametrize("status", ["DISABLED", None])
def test_a_bucket_without_versions_stays_one(service: Service, status: str | None) -> None:
    bucket = service.bucket(versioning_status=status)
    assert service.put(f"/bucket/{bucket}", json={"versioning_status": status}).status_code == 200
    service.upload(f"{bucket}/k").raise_for_status()
    service.put(f"/object/{bucket}/k", data=b"2").raise_for_status()
    service.delete(f"/object/{bucket}/k").raise_for_status()
    assert listed(service, bucket, deleteMarkers="include") == []


def test_versions_are_listed_read_and_restored(service: Service, bucket: str) -> None:
    service.upload(f"{bucket}/k", b"1", x_tags="n=1").raise_for_status()
    for body in (b"2", b"3"):
        service.put(f"/object/{bucket}/k", data=body).raise_for_status()
    third, second, first = ids(service, bucket)
    assert [each["isLatest"] for each in listed(service, bucket)] == [True, False, False]
    for path in ("/object/", "/object/authenticated/"):
        for version, body in ((first, b"1"), (second, b"2"), (third, b"3")):
            assert service.get(f"{path}{bucket}/k?versionId={version}").content == body
    info = service.get(f"/object/info/{bucket}/k?versionId={first}").json()
    assert (info["version"], info["tags"], info["size"]) == (first, {"n": "1"}, 1)
    copy(service, bucket, first).raise_for_status()
    assert service.get(f"/object/{bucket}/k").content == b"1"
    assert len(ids(service, bucket)) == 4
    assert error(service.get(f"/object/{bucket}/k?versionId=none"))[1:3] == ("404", "NoSuchVersion")
    assert error(copy(service, bucket, "none"))[1:3] == ("404", "NoSuchVersion")


def test_a_deleted_object_comes_back(service: Service, bucket: str) -> None:
    service.upload(f"{bucket}/k", b"1").raise_for_status()
    service.upload(f"{bucket}/other", b"1").raise_for_status()
    service.delete(f"/object/{bucket}", json={"prefixes": ["k"]}).raise_for_status()
    trash = listed(service, bucket, noncurrentVersions="exclude", deleteMarkers="only")
    assert [(each["name"], each["isLatest"], each["isDeleteMarker"]) for each in trash] == [("k", True, True)]
    assert error(service.get(f"/object/{bucket}/k?versionId={trash[0]['versionId']}"))[2] == "NoSuchVersion"
    service.delete(f"/object/{bucket}/k?versionId={trash[0]['versionId']}").raise_for_status()
    assert service.get(f"/object/{bucket}/k").content == b"1"
    assert listed(service, bucket, noncurrentVersions="exclude", deleteMarkers="only") == []
    [version] = ids(service, bucket, prefix="k")
    service.delete(f"/object/{bucket}/k?versionId={version}").raise_for_status()
    assert error(service.get(f"/object/{bucket}/k"))[2] == "NoSuchKey"
    assert error(service.delete(f"/object/{bucket}/k?versionId={version}"))[2] == "NoSuchVersion"


def test_versions_are_listed_in_pages(service: Service, bucket: str) -> None:
    for key in ("a", "b"):
        for body in (b"1", b"2"):
            service.put(f"/object/{bucket}/{key}", data=body).raise_for_status()
    everything, found, cursor = ids(service, bucket), [], {}
    while True:
        wanted = {"noncurrentVersions": "include", "limit": 1, **cursor}
        page = service.post(f"/object/list-v2/{bucket}", json=wanted).json()
        found += [each["versionId"] for each in page["objects"]]
        if not page["hasNext"]:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == everything
    assert ids(service, bucket, noncurrentVersions="only") == [everything[1], everything[3]]
    assert ids(service, bucket, prefix="a", exactMatch=True) == everything[:2]
    for wrong in ({"cursor": "eA=="}, {"with_delimiter": True}):
        wanted = {"noncurrentVersions": "include", **wrong}
        assert service.post(f"/object/list-v2/{bucket}", json=wanted).status_code == 400


def test_policies_decide_who_restores_and_deletes(service: Service, bucket: str) -> None:
    user = token(sub=USER)
    service.sql(
        f"create policy {unique('see')} on storage.objects for select to authenticated using (bucket_id = '{bucket}')"
    )
    service.upload(f"{bucket}/k", b"1").raise_for_status()
    service.put(f"/object/{bucket}/k", data=b"2").raise_for_status()
    second, first = ids(service, bucket)
    assert [each["versionId"] for each in listed(service, bucket, user)] == [second]
    for path in ("/object/", "/object/authenticated/", "/object/info/"):
        assert error(service.get(f"{path}{bucket}/k?versionId={first}", user))[2] == "NoSuchVersion"
    assert error(copy(service, bucket, first, user))[2] == "NoSuchVersion"
    assert error(service.delete(f"/object/{bucket}/k?versionId={first}", user))[2] == "NoSuchVersion"
    service.sql(
        f"create policy {unique('see')} on storage.versions for select to authenticated using (bucket_id = '{bucket}')"
    )
    assert service.get(f"/object/{bucket}/k?versionId={first}", user).content == b"1"
    assert error(copy(service, bucket, first, user))[2] == "AccessDenied"
    assert error(service.delete(f"/object/{bucket}/k?versionId={first}", user))[2] == "AccessDenied"
    service.delete(f"/object/{bucket}/k").raise_for_status()
    [marker] = ids(service, bucket, noncurrentVersions="exclude", deleteMarkers="only")
    assert error(service.delete(f"/object/{bucket}/k?versionId={marker}", user))[2] == "AccessDenied"
    assert error(service.get(f"/object/{bucket}/k"))[2] == "NoSuchKey"


def test_routes_of_the_current_version_refuse_others(service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k").raise_for_status()
    signed = service.post(f"/object/sign/{bucket}/k", json={"expiresIn": 60}).json()["signedURL"].partition("?")[2]
    paths = [f"/object/public/{bucket}/k", f"/object/info/public/{bucket}/k", f"/render/image/public/{bucket}/k"]
    for path in paths:
        assert error(service.get(f"{path}?versionId=x"))[2] == "FeatureNotEnabled", path
    assert error(service.get(f"/object/sign/{bucket}/k?{signed}&versionId=x", None))[2] == "FeatureNotEnabled"
    assert error(service.get(f"/object/{bucket}/k?versionId=x", None))[2] == "FeatureNotEnabled"
    body = {"expiresIn": 60, "versionId": "x"}
    assert error(service.post(f"/object/sign/{bucket}/k", json=body))[2] == "FeatureNotEnabled"
    names = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "l", "sourceVersionId": "x"}
    assert error(service.post("/object/move", json=names))[2] == "FeatureNotEnabled"
