"""Versions of objects are not kept: a request for one is refused, instead of returning the current object."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.storage.service import Service, error

NOT_KEPT = (400, "400", "FeatureNotEnabled", "Versions of objects are not kept")


@pytest.mark.parametrize("status", ["ENABLED", "SUSPENDED", "enabled"])
def test_enabling_versions_is_refused(service: Service, status: str) -> None:
    assert error(service.post("/bucket", json={"name": "versions", "versioning_status": status})) == NOT_KEPT
    assert service.get("/bucket/versions").status_code == 400
    bucket = service.bucket(public=True)
    assert error(service.put(f"/bucket/{bucket}", json={"versioning_status": status, "public": False})) == NOT_KEPT
    assert service.get(f"/bucket/{bucket}").json()["public"] is True


@pytest.mark.parametrize("status", ["DISABLED", None])
def test_other_versioning_states_are_accepted(service: Service, status: str | None) -> None:
    bucket = service.bucket(versioning_status=status)
    assert service.put(f"/bucket/{bucket}", json={"versioning_status": status}).status_code == 200


def test_reading_a_version_is_refused(service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k").raise_for_status()
    token = service.post(f"/object/sign/{bucket}/k", json={"expiresIn": 60}).json()["signedURL"].partition("?")[2]
    paths = [f"/object/{bucket}/k", f"/object/public/{bucket}/k", f"/object/authenticated/{bucket}/k",
             f"/object/info/{bucket}/k", f"/object/info/public/{bucket}/k",
             f"/render/image/public/{bucket}/k"]  # fmt: skip
    for path in paths:
        assert error(service.get(f"{path}?versionId=x")) == NOT_KEPT, path
        assert service.request("HEAD", f"{path}?versionId=x").status_code == 400, path
        if "render" not in path:
            service.get(f"{path}?versionId=").raise_for_status()
    assert error(service.get(f"/object/sign/{bucket}/k?{token}&versionId=x", None)) == NOT_KEPT


def test_signing_copying_moving_and_deleting_a_version_is_refused(service: Service) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/k").raise_for_status()
    names = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "l"}

    def sent(path: str, **body: Any) -> requests.Response:
        return service.post(path, json=body)

    assert error(sent(f"/object/sign/{bucket}/k", expiresIn=60, versionId="x")) == NOT_KEPT
    assert error(sent("/object/copy", **names, sourceVersionId="x")) == NOT_KEPT
    assert error(sent("/object/move", **names, sourceVersionId="x")) == NOT_KEPT
    one = {"prefixes": [{"path": "k", "versionId": "x"}]}
    assert error(service.delete(f"/object/{bucket}", json=one))[2] == "InvalidRequest"
    assert service.get(f"/object/{bucket}/k").content == b"content"
    sent("/object/copy", **names, sourceVersionId=None).raise_for_status()


@pytest.mark.parametrize("option", ["noncurrentVersions", "deleteMarkers"])
def test_listing_versions_is_refused(service: Service, option: str) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/k").raise_for_status()

    def listed(wanted: str) -> requests.Response:
        return service.post(f"/object/list-v2/{bucket}", json={option: wanted})

    assert [each["name"] for each in listed("exclude").json()["objects"]] == ["k"]
    for wanted in ("include", "only"):
        assert error(listed(wanted)) == NOT_KEPT
