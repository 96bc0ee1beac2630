"""A backend on a place of each kind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from app.storage.bytes.backend import Backend
from tests.storage_backends.places import KINDS, Place, Places


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with ExitStack() as exits:
        yield Places(tmp_path_factory.mktemp("places"), exits)


@pytest.fixture(scope="session", params=KINDS)
def place(request: pytest.FixtureRequest, places: Places) -> Place:
    """One place of each kind, as parameters."""
    return places.get(request.param)


@pytest.fixture(scope="session")
def backend(place: Place) -> Iterator[Backend]:
    """The backend on a place of each kind, as parameters. All tests share it, and each uses its own keys."""
    with place.backend() as backend:
        yield backend


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> str:
    """A prefix of keys that no other test uses, ending with a slash."""
    return f"{request.node.name.partition('[')[0]}-{os.urandom(4).hex()}/"
