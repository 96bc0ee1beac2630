"""Events and counts of versions: each delete marker, and each version that is deleted for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from app.storage.request_context import operator_context
from app.storage.upkeep.lifecycle import Lifecycle
from tests.process.running import until
from tests.storage.listening import Listening
from tests.storage.service import Service


class Heard(NamedTuple):
    type: str
    name: str
    version_id: str | None
    is_delete_marker: bool


class Watched:
    """A service whose events are received; a bucket that keeps versions."""

    def __init__(self, service: Service, plugin: Listening) -> None:
        self.service, self.plugin = service, plugin
        self.bucket = service.bucket(versioning_status="ENABLED")

    def write(self, key: str, *bodies: bytes) -> None:
        for body in bodies:
            self.service.put(f"/object/{self.bucket}/{key}", data=body).raise_for_status()

    def delete(self, key: str, version: str = "") -> None:
        parameters = {"versionId": version} if version else {}
        self.service.delete(f"/object/{self.bucket}/{key}", params=parameters).raise_for_status()

    def ids(self, key: str) -> list[str]:
        """The ids of the versions and markers of a key, the newest first."""
        wanted = {"prefix": key, "exactMatch": True, "noncurrentVersions": "include", "deleteMarkers": "include"}
        found = self.service.post(f"/object/list-v2/{self.bucket}", json=wanted).json()["objects"]
        return [each["versionId"] for each in found]

    def removals(self) -> set[Heard]:
        """The events of removals since the last call."""
        until(lambda: self.service.sql("select from storage.work where kind = 'post_event'") == [])
        heard, self.plugin.heard = self.plugin.heard, []
        return {
            Heard(each.type, each.name, each.version_id, each.is_delete_marker)
            for each in heard
            if not each.type.startswith("ObjectCreated:")
        }

    def counts(self) -> dict[str, int]:
        return dict(self.service.application.services.storage.version_counts.counts)


@pytest.fixture
def watched(own_service: Callable[..., Service]) -> Watched:
    plugin = Listening()
    return Watched(own_service(plugins={"listening": plugin}), plugin)


def test_markers_and_deleted_versions_have_events(watched: Watched) -> None:
    watched.write("k", b"1", b"2", b"3")
    third, second, first = watched.ids("k")
    assert watched.removals() == set()
    watched.delete("k")
    marker = watched.ids("k")[0]
    assert watched.removals() == {Heard("ObjectRemoved:DeleteMarkerCreated", "k", marker, False)}
    watched.delete("k", marker)
    assert watched.removals() == {Heard("ObjectRemoved:Delete", "k", marker, True)}
    watched.delete("k", first)
    assert watched.removals() == {Heard("ObjectRemoved:Delete", "k", first, False)}
    watched.delete("k", third)
    assert watched.removals() == {Heard("ObjectRemoved:Delete", "k", third, False)}
    assert watched.ids("k") == [second]
    assert watched.counts() == {"marked": 1, "undeleted": 1, "deleted": 2, "restored": 0}


def test_deletions_of_several_objects_have_the_id_of_their_markers(watched: Watched) -> None:
    for key in "ab":
        watched.write(key, b"1")
    watched.service.delete(f"/object/{watched.bucket}", json={"prefixes": ["a", "b"]}).raise_for_status()
    [marker] = {watched.ids(key)[0] for key in "ab"}
    assert watched.removals() == {Heard("ObjectRemoved:DeleteMarkerCreated", key, marker, False) for key in "ab"}
    assert watched.counts()["marked"] == 2


def test_an_emptied_bucket_reports_each_version(watched: Watched) -> None:
    watched.write("k", b"1", b"2")
    watched.write("deleted", b"1")
    watched.delete("deleted")
    versions = {("k", each, False) for each in watched.ids("k")}
    marker, version = watched.ids("deleted")
    versions |= {("deleted", marker, True), ("deleted", version, False)}
    watched.removals()
    watched.service.post(f"/bucket/{watched.bucket}/empty").raise_for_status()
    heard = watched.removals()
    [made] = [each for each in heard if each.type == "ObjectRemoved:DeleteMarkerCreated"]
    versions.add(("k", made.version_id or "", True))
    assert heard == {made, *(Heard("ObjectRemoved:Delete", *each) for each in versions)}
    assert watched.counts()["deleted"] == 3


def test_a_suspended_bucket_reports_the_version_null(watched: Watched) -> None:
    watched.service.put(f"/bucket/{watched.bucket}", json={"versioning_status": "SUSPENDED"}).raise_for_status()
    watched.write("k", b"1")
    watched.delete("k")
    assert watched.removals() == {Heard("ObjectRemoved:DeleteMarkerCreated", "k", "null", False)}
    watched.delete("k", "null")
    assert watched.removals() == {Heard("ObjectRemoved:Delete", "k", "null", True)}
    watched.write("k", b"2")
    watched.delete("k", "null")
    assert watched.removals() == {Heard("ObjectRemoved:Delete", "k", "null", False)}


def test_a_restored_version_is_a_copy(watched: Watched) -> None:
    watched.write("k", b"1", b"2")
    names = {"bucketId": watched.bucket, "sourceKey": "k", "destinationKey": "k"}
    version = {"sourceVersionId": watched.ids("k")[1]}
    headers = {"x-upsert": "true"}
    watched.service.post("/object/copy", json={**names, **version}, headers=headers).raise_for_status()
    until(lambda: "ObjectCreated:Copy" in [each.type for each in watched.plugin.heard])
    assert watched.counts()["restored"] == 1
    other = {**names, **version, "destinationKey": "other"}
    watched.service.post("/object/copy", json=other).raise_for_status()
    assert watched.counts()["restored"] == 1


def test_lifecycle_rules_report_what_they_delete(watched: Watched) -> None:
    service, bucket = watched.service, watched.bucket
    watched.write("old", b"1")
    watched.write("new", b"1", b"2")
    watched.write("gone", b"1")
    watched.delete("gone")
    current, older = watched.ids("new")
    gone_marker, gone = watched.ids("gone")
    watched.delete("gone", gone)
    watched.removals()
    service.sql(
        f"update storage.objects set updated_at = now() - interval '9 days' where name = 'old';"
        f" update storage.versions set archived_at = now() - interval '9 days';"
        f" update storage.lifecycle_clock set seen_at = clock_timestamp(), believed_at = 'epoch';"
        """ update storage.buckets set lifecycle = '[{"ID": "r", "Status": "Enabled", "Filter": {"Prefix": ""},"""
        """ "Expiration": {"Days": 7}, "NoncurrentVersionExpiration": {"NoncurrentDays": 7}}]'"""
        f" where id = '{bucket}'"
    )
    storage = service.application.services.storage
    Lifecycle(storage, operator_context(storage.contexts, "storage.lifecycle"), day_s=86_400.0).run()
    assert watched.ids("new") == [current]
    old_marker = watched.ids("old")[0]
    assert watched.removals() == {
        Heard("LifecycleExpiration:DeleteMarkerCreated", "old", old_marker, False),
        Heard("LifecycleExpiration:Delete", "new", older, False),
        Heard("LifecycleExpiration:Delete", "gone", gone_marker, True),
    }
