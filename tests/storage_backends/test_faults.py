"""Servers that go down: at the start, during a put, during a read."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO

import pytest

from app.storage.bytes.backend import Backend, BackendUnavailable
from tests.storage_backends.places import KINDS, Places
from tests.storage_backends.severable import SeverableRelay
from tests.storage_backends.streams import MIB, Generated, received


@dataclass(frozen=True)
class Line:
    """A backend whose server is behind a relay."""

    backend: Backend
    relay: SeverableRelay


@pytest.fixture(params=[kind for kind in KINDS if kind != "file"])
def line(request: pytest.FixtureRequest, places: Places) -> Iterator[Line]:
    place = places.get(request.param)
    relay = SeverableRelay(place.port)
    with place.behind(relay.port).backend() as backend:
        yield Line(backend, relay)
    relay.sever()


class CutAfter:
    """A source of ``size`` bytes that runs a function when half of them have been read."""

    def __init__(self, size: int, act: Callable[[], None]) -> None:
        self._first = Generated(size // 2, act)
        self._second = Generated(size - size // 2)

    def read(self, size: int = -1, /) -> bytes:
        return self._first.read(size) or self._second.read(size)


@pytest.mark.parametrize(
    "use",
    [
        lambda backend: backend.put("away", BytesIO(b"x")),
        lambda backend: backend.open_read("away", 0, 1),
        lambda backend: list(backend.list()),
        lambda backend: backend.delete_many(["away"]),
        lambda backend: backend.copy("away", "copy"),
    ],
    ids=["put", "open_read", "list", "delete_many", "copy"],
)
def test_an_unreachable_server_is_reported(line: Line, use: Callable[[Backend], object]) -> None:
    line.relay.sever()
    with pytest.raises(BackendUnavailable) as caught:
        use(line.backend)
    assert caught.value.message == "The storage is not available"
    assert caught.value.__cause__ is not None


def test_a_server_lost_during_a_put_leaves_nothing(line: Line, folder: str) -> None:
    with pytest.raises(BackendUnavailable):
        line.backend.put(f"{folder}blob", CutAfter(20 * MIB, line.relay.sever))
    line.relay.restore()
    gc.collect()
    assert line.backend.stat(f"{folder}blob") is None
    assert list(line.backend.list(folder)) == []


def test_a_put_that_could_not_be_cancelled_is_not_completed_later(line: Line, folder: str) -> None:
    class Interrupted(Exception):
        pass

    def interrupt() -> None:
        line.relay.sever()
        raise Interrupted

    # The error keeps the writer alive; when it is collected, the writer closes itself, which completes an upload.
    with pytest.raises(Interrupted) as caught:
        line.backend.put(f"{folder}blob", Generated(20 * MIB, interrupt))
    line.relay.restore()
    del caught
    gc.collect()
    assert line.backend.stat(f"{folder}blob") is None


def test_a_server_lost_during_a_read_is_reported(line: Line, folder: str) -> None:
    size = 40 * MIB
    line.backend.put(f"{folder}blob", Generated(size), size=size)
    readable = line.backend.open_read(f"{folder}blob", 0, size)
    assert readable.chunks
    next(readable.chunks)
    line.relay.sever()
    with pytest.raises(BackendUnavailable):
        received(readable)
    line.relay.restore()
    readable = line.backend.open_read(f"{folder}blob", 0, 1000)
    assert received(readable) == Generated(1000).read()
