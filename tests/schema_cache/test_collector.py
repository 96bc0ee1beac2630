"""The garbage collector rests while a catalog or a schema is made, and works afterwards."""

from __future__ import annotations

import gc
from threading import Event, Thread

import pytest

from schema_cache.collector import collector_paused


def test_the_collector_works_again_when_the_last_thread_has_left() -> None:
    entered, leave = Event(), Event()

    def rest() -> None:
        with collector_paused:
            entered.set()
            leave.wait(30)

    thread = Thread(target=rest)
    with collector_paused:
        thread.start()
        assert entered.wait(30)
        assert not gc.isenabled()
    assert not gc.isenabled()
    leave.set()
    thread.join(30)
    assert gc.isenabled()


def test_the_collector_works_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"), collector_paused:
        raise ValueError("broken")
    assert gc.isenabled()
