"""The page on images: its lines for a client draw images."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.docs.blocks import blocks
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.images.pictures import opened, picture
from tests.storage.service import SERVICE, Service


def test_the_lines_for_a_client_work(own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("supabase")
    service = own_service()
    service.post("/bucket", json={"name": "pictures", "public": True}).raise_for_status()
    service.upload("pictures/harbour.jpg", picture(size=(2000, 1500))).raise_for_status()
    monkeypatch.setenv("SERVICE_ROLE_KEY", SERVICE)
    (block,) = blocks("docs/images.md", "python")
    found: dict[str, object] = {}
    try:
        exec(block.text.replace("http://127.0.0.1:8000", service.url), found)
    finally:
        found["client"].storage.session.close()  # type: ignore[attr-defined]
    assert opened(found["thumbnail"]).size == (200, 150)  # type: ignore[arg-type]
    assert opened(httpx.get(str(found["public"])).content).size == (1200, 900)
    signed = found["signed"]
    assert isinstance(signed, dict)
    assert opened(httpx.get(signed["signedURL"]).content).size == (800, 600)
