"""Each hook of the storage API, by a plugin as a stranger writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.storage.outside.place import open_place
from plugins.storage.file import FolderBackend
from portico import EventReceiver, PlaceOptions, PlaceUnusable, UploadRefused, hookimpl, plugin_manager
from tests.process.running import until
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service, error

BUCKET = "insert into storage.buckets (id, name) values ('b', 'b')"


def test_hook_storage_backend(own_service: Callable[..., Service], tmp_path: Path) -> None:
    class Folders:
        @hookimpl
        def storage_backend(self, url: str) -> Any:
            return FolderBackend(tmp_path / "mine") if url == "house:" else None

    service = own_service(plugins={"house": Folders}, storage_url="house:")
    service.sql(BUCKET)
    assert service.upload("b/a.txt", b"hello").status_code == 200
    assert service.get("/object/b/a.txt").content == b"hello"
    assert [each.read_bytes() for each in (tmp_path / "mine").rglob("*") if each.is_file()] == [b"hello"]


def test_hook_storage_place() -> None:
    class Tapes:
        @hookimpl
        def storage_place(self, url: str, options: PlaceOptions) -> Any:
            return (url, options.endpoint) if url.startswith("tape:") else None

    opened = open_place(plugin_manager({"house": Tapes}), "tape:7", PlaceOptions(endpoint="drive"))
    assert opened == ("tape:7", "drive")
    with pytest.raises(PlaceUnusable, match="no plugin for the scheme 'disk'"):
        open_place(plugin_manager({"house": Tapes}), "disk://7", PlaceOptions())


def test_hook_object_event_receivers(own_service: Callable[..., Service]) -> None:
    reported: list[tuple[str, str]] = []

    class Receivers:
        @hookimpl
        def object_event_receivers(self) -> Any:
            return [EventReceiver("house", lambda event: reported.append((event.type, event.name)))]

    service = own_service(plugins={"house": Receivers})
    service.sql(BUCKET)
    assert service.upload("b/a.txt").status_code == 200
    until(lambda: reported == [("ObjectCreated:Post", "a.txt")])


def test_hook_object_checks(own_service: Callable[..., Service]) -> None:
    class Checks:
        @hookimpl
        def object_checks(self) -> Any:
            return [self.check]

        def check(self, upload: Any) -> None:
            if upload.key.endswith(".exe"):
                raise UploadRefused("No programs, please")

    service = own_service(plugins={"house": Checks})
    service.sql(BUCKET)
    assert service.upload("b/a.txt").status_code == 200
    assert error(service.upload("b/a.exe"))[3] == "No programs, please"
