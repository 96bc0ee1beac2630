"""Small objects that were read stay in memory; the database still decides about each request."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from app.hooks import hookimpl
from app.storage.bytes.backend import Readable
from app.storage.bytes.blobs import blob_key
from app.storage.bytes.small_blobs import MAX_SMALL_BLOB_BYTES, SmallBlobs
from app.storage.bytes.transfer import FetchedChunks
from plugins.storage.file import FolderBackend
from tests.storage.service import ANON, Service, error


class Counting(FolderBackend):
    """Counts how often the bytes of an object are opened. Like a cloud it gives chunks if ``is_remote``."""

    def __init__(self, root: Path, is_remote: bool) -> None:
        super().__init__(root)
        self.opened = 0
        self._is_remote = is_remote

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        self.opened += 1
        found = super().open_read(key, start, end)
        if not self._is_remote:
            return found
        assert found.file is not None
        return Readable(found.length, chunks=FetchedChunks(found.file, found.length, nullcontext()))


class CountingPlugin:
    def __init__(self, backend: Counting) -> None:
        self.backend = backend

    @hookimpl
    def storage_backend(self, url: str) -> Counting | None:
        return self.backend if url.startswith("counting:") else None


Opened = Callable[..., tuple[Service, Counting]]


@pytest.fixture(params=[False, True], ids=["file", "chunks"])
def opened(request: pytest.FixtureRequest, own_service: Callable[..., Service], tmp_path: Path) -> Opened:
    """A service, and what counts the reads of its bytes."""

    def open_(**settings: object) -> tuple[Service, Counting]:
        backend = Counting(tmp_path / "counting", request.param)
        service = own_service(plugins={"it": CountingPlugin(backend)}, storage_url="counting:", **settings)
        return service, backend

    return open_


def test_the_bytes_are_read_once(opened: Opened) -> None:
    service, backend = opened()
    path = f"/object/{service.bucket()}/k"
    content = bytes(range(256)) * (MAX_SMALL_BLOB_BYTES // 256)
    service.put(path, data=content).raise_for_status()
    for _ in range(3):
        assert service.get(path).content == content
    assert backend.opened == 1
    part = service.get(path, headers={"range": "bytes=250-259"})
    assert (part.status_code, part.content) == (206, content[250:260])
    assert part.headers["content-range"] == f"bytes 250-259/{MAX_SMALL_BLOB_BYTES}"
    assert service.get(path, headers={"range": "bytes=-5"}).content == content[-5:]
    assert backend.opened == 1


def test_a_range_is_not_cached_as_the_whole(opened: Opened) -> None:
    service, backend = opened()
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=b"0123456789").raise_for_status()
    for wanted in ("bytes=2-4", "bytes=2-", "bytes=0-4"):
        service.get(path, headers={"range": wanted}).raise_for_status()
    assert service.get(path).content == b"0123456789"
    assert backend.opened == 4


def test_bytes_cut_short_are_not_kept(opened: Opened, tmp_path: Path) -> None:
    service, _ = opened()
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=b"0123456789").raise_for_status()
    ((version,),) = service.sql("select version from storage.objects")
    blob = tmp_path / "counting" / blob_key(version)
    blob.write_bytes(b"0123")
    service.get(path)
    blob.write_bytes(b"0123456789")
    assert service.get(path).content == b"0123456789"


def test_the_database_is_asked_each_time(opened: Opened) -> None:
    service, backend = opened()
    bucket = service.bucket(public=True)
    path, public = f"/object/{bucket}/k", f"/object/public/{bucket}/k"
    service.put(path, data=b"first").raise_for_status()
    assert service.get(public, ANON).content == b"first"
    service.put(path, data=b"second").raise_for_status()
    assert service.get(public, ANON).content == b"second"
    service.request("PUT", f"/bucket/{bucket}", json={"public": False}).raise_for_status()
    assert error(service.get(public, ANON))[2] == "NoSuchBucket"
    assert error(service.get(f"/object/authenticated/{bucket}/k", ANON))[2] == "NoSuchKey"
    assert service.get(path).content == b"second"
    assert backend.opened == 2
    service.delete(path).raise_for_status()
    assert error(service.get(path))[2] == "NoSuchKey"


@pytest.mark.parametrize(
    ("size", "settings"), [(MAX_SMALL_BLOB_BYTES + 1, {}), (MAX_SMALL_BLOB_BYTES, {"object_cache": 0})]
)
def test_other_objects_are_read_each_time(opened: Opened, size: int, settings: dict[str, object]) -> None:
    service, backend = opened(**settings)
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=bytes(size)).raise_for_status()
    for _ in range(3):
        assert service.get(path).content == bytes(size)
    assert backend.opened == 3


def test_rendered_images_are_read_once(opened: Opened) -> None:
    service, backend = opened()
    path = f"{service.bucket()}/k"
    image = BytesIO()
    Image.new("RGB", (40, 20), "red").save(image, "PNG")
    service.upload(path, image.getvalue(), content_type="image/png").raise_for_status()
    drawn = [service.get(f"/render/image/authenticated/{path}?width=10") for _ in range(2)]
    before = backend.opened
    drawn += [service.get(f"/render/image/authenticated/{path}?width=10") for _ in range(2)]
    assert [each.status_code for each in drawn] == [200] * 4
    assert len({each.content for each in drawn}) == 1
    assert backend.opened == before


def test_cached_objects_take_no_more_than_the_limit() -> None:
    blobs = SmallBlobs(1024 * 1024)
    for number in range(5000):
        blobs.keep(str(number), bytes(number % MAX_SMALL_BLOB_BYTES))
    kept = [found for number in range(5000) if (found := blobs.find(str(number))) is not None]
    assert len(kept) > 150
    assert sum(map(len, kept)) <= 1024 * 1024
