"""The whole API on each kind of backend, with a real server of its kind."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from app.storage.bytes.blobs import DERIVED, PREFIX, blob_key, new_version
from app.storage.upkeep.sweep import Sweep
from app.storage.upkeep.work import WorkList
from tests.process.running import until
from tests.storage.images.pictures import opened, picture
from tests.storage.service import Service, error
from tests.storage_backends.conftest import place as place
from tests.storage_backends.conftest import places as places
from tests.storage_backends.places import Place


def test_an_image_is_rendered_from_and_kept_in_the_backend(
    place: Place, own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    service = own_service(storage_url=place.url, replaced_bytes_grace_s=0.0)
    storage = service.application.services.storage
    path = f"{service.bucket()}/a.jpg"
    service.upload(path, picture(size=(400, 300))).raise_for_status()
    first, again = (service.get(f"/render/image/authenticated/{path}?width=40") for _ in range(2))
    assert opened(first.content).size == (40, 30)
    assert again.content == first.content
    (kept,) = storage.backend.list(DERIVED)
    assert first.headers["etag"].strip('"') in kept.key
    service.delete(f"/object/{path}").raise_for_status()
    # Some servers keep times by another clock.
    service.sql("update storage.work set due_at = now() - interval '1 hour'")
    storage.background.work_now()
    # The service's own thread may be at it, too.
    until(lambda: not service.sql("select from storage.work where kind = 'delete_blob'"))
    assert list(storage.backend.list(DERIVED)) == []


def test_objects_live_and_are_swept_on_each_backend(
    place: Place, own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    service = own_service(storage_url=place.url, replaced_bytes_grace_s=0.0)
    storage = service.application.services.storage
    bucket = service.bucket()
    contents = {"empty": b"", "small": b"0123456789", "large": os.urandom(9 * 1024 * 1024)}
    for key, content in contents.items():
        service.put(f"/object/{bucket}/{key}", data=content).raise_for_status()
        answer = service.get(f"/object/{bucket}/{key}")
        assert answer.content == content
        assert answer.headers["content-length"] == str(len(content))
    ranged = service.get(f"/object/{bucket}/large", headers={"range": "bytes=8388600-8388615"})
    assert (ranged.status_code, ranged.content) == (206, contents["large"][8388600:8388616])
    keys = {"bucketId": bucket, "sourceKey": "large"}
    service.post("/object/copy", json={**keys, "destinationKey": "copy"}).raise_for_status()
    service.post("/object/move", json={**keys, "destinationKey": "moved"}).raise_for_status()
    service.put(f"/object/{bucket}/copy", data=b"replaced").raise_for_status()
    service.delete(f"/object/{bucket}/small").raise_for_status()
    assert service.get(f"/object/{bucket}/moved").content == contents["large"]
    assert service.get(f"/object/{bucket}/copy").content == b"replaced"
    assert error(service.get(f"/object/{bucket}/small"))[2] == "NoSuchKey"

    work = WorkList(storage.database, storage.contexts, lambda: storage.backend, (), storage.features, grace_s=0.0)
    service.sql("update storage.work set due_at = now() - interval '1 hour'")
    # Some servers keep times in whole seconds, or by another clock.
    sweep = Sweep(storage.database, storage.contexts, storage.backend, work, older_than_s=-60.0)
    # Deletes the orphans of other tests with the same storage.
    sweep.run(delete=True)
    orphan = blob_key(new_version())
    storage.backend.put(orphan, io.BytesIO(b"left behind"))
    looked = sweep.run(delete=False)
    assert (looked.orphans, looked.orphan_bytes) == (1, 11)
    sweep.run(delete=True)
    found = {blob.key for blob in storage.backend.list(PREFIX)}
    rows = service.sql("select version from storage.objects")
    assert found == {blob_key(version) for (version,) in rows}
    assert list(sweep.rows_without_bytes()) == []
    young = Sweep(storage.database, storage.contexts, storage.backend, work, older_than_s=3600.0)
    storage.backend.put(orphan, io.BytesIO(b"under way"))
    assert young.run(delete=True).orphans == 0
    assert storage.backend.stat(orphan) == 9
    assert all(blob.modified > datetime.now(UTC) - timedelta(hours=1) for blob in storage.backend.list(PREFIX))
    storage.backend.delete_many([orphan])
    storage.backend.delete_many([blob_key(version) for (version,) in rows])
