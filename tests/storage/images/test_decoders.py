"""Decoder processes that are killed, hang, crash, or are too few."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from io import BytesIO

import psutil
import pytest

from app.faces.images import decoders as module
from app.faces.images.decoders import DecoderFailed, DecoderKilled, Decoders, DecodersBusy, DecoderTimeout
from app.faces.images.jobs import DecoderLimits, Drawn, Wanted
from app.faces.images.transform import Transform
from app.storage.bytes.backend import BlobMissing, Readable
from tests.process.running import PATIENCE_S, until
from tests.storage.images.pictures import picture

CONTENT = picture("PNG", (16, 16))


@pytest.fixture(scope="module")
def decoders() -> Iterator[Decoders]:
    """One decoder with ample time for each image."""
    decoders = Decoders(DecoderLimits(1_000_000, PATIENCE_S), processes=1, threads=4)
    yield decoders
    decoders.close()


def draw(decoders: Decoders, content: bytes = CONTENT) -> Drawn | str:
    with decoders.one() as decoder:
        return decoder.draw(
            Wanted(Transform(), "origin", negotiated=False), Readable(len(content), file=BytesIO(content))
        )


def pid_of(decoders: Decoders) -> int:
    with decoders.one() as decoder:
        return decoder.pid


def kill(pid: int) -> None:
    """Returns when the process is dead."""
    os.kill(pid, signal.SIGKILL)
    until(lambda: psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


class Interrupted:
    """An image before whose bytes something happens. The decoder then has the line that announces them."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self._chunks = iter([CONTENT])
        self._happens = happens

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = next(self._chunks)
        self._happens()
        return chunk

    def close(self) -> None:
        pass


def failure_of(decoders: Decoders, meanwhile: Callable[[int], None]) -> type[DecoderFailed]:
    """The failure of a job whose decoder is disturbed in the middle."""
    assert isinstance(draw(decoders), Drawn)
    pid = pid_of(decoders)
    source = Readable(len(CONTENT), chunks=Interrupted(lambda: meanwhile(pid)))
    with pytest.raises(DecoderFailed) as caught, decoders.one() as decoder:
        decoder.draw(Wanted(Transform(), "origin", negotiated=False), source)
    assert not psutil.pid_exists(pid)
    return type(caught.value)


@pytest.mark.parametrize(
    ("number", "failure"),
    [(signal.SIGKILL, DecoderKilled), (signal.SIGSEGV, DecoderFailed), (signal.SIGXCPU, DecoderTimeout)],
)
def test_the_end_of_a_decoder_is_reported(decoders: Decoders, number: int, failure: type[DecoderFailed]) -> None:
    assert failure_of(decoders, lambda pid: os.kill(pid, number)) is failure
    assert isinstance(draw(decoders), Drawn)


def test_a_decoder_that_hangs_is_killed() -> None:
    decoders = Decoders(DecoderLimits(1_000_000, 2.0), processes=1, threads=4)
    try:
        assert failure_of(decoders, lambda pid: os.kill(pid, signal.SIGSTOP)) is DecoderTimeout
        assert isinstance(draw(decoders), Drawn)
    finally:
        decoders.close()


def test_an_idle_decoder_that_died_is_replaced(decoders: Decoders) -> None:
    kill(pid_of(decoders))
    assert isinstance(draw(decoders), Drawn)


def test_after_a_broken_source_the_decoder_is_replaced(decoders: Decoders) -> None:
    class Broken:
        def __iter__(self) -> Iterator[bytes]:
            return self  # type: ignore[return-value]

        def __next__(self) -> bytes:
            raise BlobMissing

        def close(self) -> None:
            pass

    pid = pid_of(decoders)
    with pytest.raises(BlobMissing), decoders.one() as decoder:
        decoder.draw(Wanted(Transform(), "origin", negotiated=False), Readable(5, chunks=Broken()))
    assert pid_of(decoders) != pid
    assert isinstance(draw(decoders), Drawn)


def test_a_decoder_is_replaced_after_many_images(decoders: Decoders, monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise it takes 1,000 images.
    monkeypatch.setattr(module, "_MOST_JOBS", 2)
    kill(pid_of(decoders))
    pids = []
    for _ in range(4):
        pids.append(pid_of(decoders))
        draw(decoders)
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_a_request_that_waits_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One decoder and four threads: one may wait for long, the others for a moment."""
    # Those that may wait for a moment give up soon, and the one that may wait for long does not.
    monkeypatch.setattr(module, "_MOMENT_S", 0.05)
    monkeypatch.setattr(module, "_LONGEST_WAIT_S", PATIENCE_S)
    decoders = Decoders(DecoderLimits(1_000_000, PATIENCE_S), processes=1, threads=4)
    outcomes: list[object] = []

    def wait() -> None:
        try:
            outcomes.append(draw(decoders))
        except DecodersBusy as ex:
            outcomes.append(ex)

    with decoders.one():
        threads = [threading.Thread(target=wait) for _ in range(3)]
        for each in threads:
            each.start()
        until(lambda: len(outcomes) == 2)
        assert [type(each) for each in outcomes] == [DecodersBusy] * 2
    for each in threads:
        each.join(PATIENCE_S)
    assert isinstance(outcomes[2], Drawn)
    decoders.close()


def test_waiting_for_a_decoder_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # Both waits end soon.
    monkeypatch.setattr(module, "_MOMENT_S", 0.01)
    monkeypatch.setattr(module, "_LONGEST_WAIT_S", 0.05)
    decoders = Decoders(DecoderLimits(1_000_000, PATIENCE_S), processes=1, threads=4)
    with decoders.one(), pytest.raises(DecodersBusy), decoders.one():
        pass
    decoders.close()


def test_a_decoder_has_no_secret_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JWT_SECRET", "a secret")
    decoders = Decoders(DecoderLimits(1_000_000, PATIENCE_S), processes=1, threads=4)
    assert "a secret" not in psutil.Process(pid_of(decoders)).environ().values()
    decoders.close()


PARENT = """
import signal
from tests.storage.images.test_decoders import draw, pid_of
from app.faces.images.decoders import Decoders
from app.faces.images.jobs import DecoderLimits
decoders = Decoders(DecoderLimits(1_000_000, 60.0), processes=1, threads=4)
draw(decoders)
print(pid_of(decoders), flush=True)
# Until it is killed.
signal.pause()
"""


def test_decoders_end_with_their_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    decoder = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    decoder.wait(PATIENCE_S)
