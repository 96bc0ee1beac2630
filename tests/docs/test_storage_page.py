"""The page on the storage: its receiver gets the events that the page shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.docs.blocks import all_blocks, blocks
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service

PATIENCE_S = 20


def test_the_receiver_gets_events(own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBHOOK_KEY", "the key")
    (block,) = blocks("docs/storage.md", "python")
    found: dict[str, Any] = {}
    exec(block.text.replace("9000", "0"), found)
    with found["receiver"] as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        service = own_service(webhook_url=f"http://127.0.0.1:{receiver.server_port}/", webhook_key="the key")
        bucket = service.bucket()
        service.upload(f"{bucket}/one.txt").raise_for_status()
        listed = found["events"].get(timeout=PATIENCE_S)
        service.post("/object/move", json={"bucketId": bucket, "sourceKey": "one.txt", "destinationKey": "two.txt"})
        moved = [found["events"].get(timeout=PATIENCE_S) for _ in range(2)]
        service.delete(f"/object/{bucket}/two.txt").raise_for_status()
        gone = found["events"].get(timeout=PATIENCE_S)
        receiver.shutdown()
    shown = next(json.loads(each.text) for each in all_blocks("docs/storage.md") if each.language == "json")["event"]
    assert listed.keys() == shown.keys()
    assert listed["payload"].keys() == shown["payload"].keys()
    assert listed["payload"]["metadata"].keys() >= shown["payload"]["metadata"].keys()
    assert (listed["type"], listed["payload"]["name"]) == ("ObjectCreated:Post", "one.txt")
    assert {each["type"] for each in moved} == {"ObjectRemoved:Move", "ObjectCreated:Move"}
    (created,) = (each["payload"] for each in moved if each["type"] == "ObjectCreated:Move")
    assert (created["name"], created["oldObject"]["name"]) == ("two.txt", "one.txt")
    assert gone["type"] == "ObjectRemoved:Delete"
