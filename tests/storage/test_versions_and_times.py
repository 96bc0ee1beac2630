"""The versions of objects, and the times in their metadata."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from app.storage.bytes.blobs import is_version, new_version
from app.times import now_as_json


def test_a_version_is_a_random_uuid() -> None:
    versions = [new_version() for _ in range(1000)]
    assert len(set(versions)) == 1000
    read = [uuid.UUID(each) for each in versions]
    assert {(each.version, each.variant) for each in read} == {(4, uuid.RFC_4122)}
    assert list(map(str, read)) == versions
    assert all(map(is_version, versions))


def test_the_time_has_milliseconds_and_a_zone() -> None:
    before = datetime.now(UTC)
    text = now_as_json()
    assert len(text) == len("2026-11-27T19:03:16.123Z")
    assert before.timestamp() - 0.001 < datetime.fromisoformat(text).timestamp() <= datetime.now(UTC).timestamp()
