"""The decoder processes of a worker: a limited number, started when needed, and replaced when one dies."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.faces.images.jobs import DecoderLimits, Drawn, Wanted
from app.storage.bytes.backend import Readable

log = logging.getLogger("portico.storage")

_CHUNK = 256 * 1024
_MAX_REPLY_BYTES = 256 * 1024 * 1024
# A decoder is replaced after this number of jobs, which frees memory that a codec leaks.
_MOST_JOBS = 1000
# Every request may wait for _MOMENT_S, ten times the time of an ordinary image. A longer wait, up to _LONGEST_WAIT_S,
# needs one of a few places.
_MOMENT_S, _LONGEST_WAIT_S = 0.5, 5.0
_LONGEST_START_S, _DEATH_S = 30.0, 5.0
# A timeout of 0 would make the socket non-blocking.
_SHORTEST_S = 0.001
# Other environment variables are not passed to decoders: they include the service's secrets.
_PASSED_ON = ("PATH", "LANG", "LC_", "PYTHON", "LD_", "DYLD_", "COVERAGE_")


class DecoderFailed(Exception):
    """No reply: the decoder died."""


class DecoderKilled(DecoderFailed):
    """Something else on this machine killed the decoder, so the image may be valid."""


class DecoderTimeout(DecoderFailed):
    """The image took longer than allowed; its decoder was killed."""


class DecodersBusy(Exception):
    """No decoder became free in time."""


class Decoder:
    """One process, for one job at a time. After any error it cannot be used again and must be killed."""

    def __init__(self, limits: DecoderLimits) -> None:
        self._limits = limits
        self._jobs = 0
        self._socket, other_end = socket.socketpair()
        with other_end:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.faces.images.decoder", json.dumps(asdict(limits))],
                cwd="/",
                env=_environment(),
                stdin=other_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    @classmethod
    def started(cls, limits: DecoderLimits) -> Decoder:
        """A decoder that is ready. Raises DecoderFailed, and OSError."""
        decoder = cls(limits)
        try:
            decoder._receive(time.monotonic() + _LONGEST_START_S)
        except BaseException:
            decoder.kill()
            raise
        return decoder

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_fit(self) -> bool:
        """Whether the process runs and may take more jobs."""
        return self._jobs < _MOST_JOBS and self._process.poll() is None

    def draw(self, wanted: Wanted, source: Readable) -> Drawn | str:
        """The drawn image, or the reason why the image is refused.

        Raises DecoderFailed, and errors of reading ``source``.
        """
        self._jobs += 1
        self._send(wanted.encode(source.length))
        for chunk in _chunks(source):
            self._send(chunk)
        members, content = self._receive(time.monotonic() + self._limits.seconds)
        return Drawn(members["type"], content) if "type" in members else str(members["refused"])

    def kill(self) -> None:
        self._process.kill()
        self._socket.close()
        self._process.wait()

    def _send(self, data: bytes) -> None:
        with self._talking(self._limits.seconds):
            self._socket.sendall(data)

    def _receive(self, until: float) -> tuple[Mapping[str, Any], bytes]:
        received = bytearray()
        while (end := received.find(b"\n")) < 0:
            received += self._more(until)
        members = json.loads(received[:end])
        content = received[end + 1 :]
        if not 0 <= members["length"] <= _MAX_REPLY_BYTES:
            raise DecoderFailed
        while len(content) < members["length"]:
            content += self._more(until)
        return members, bytes(content)

    def _more(self, until: float) -> bytes:
        with self._talking(until - time.monotonic()):
            received = self._socket.recv(_CHUNK)
        if not received:
            raise self._death()
        return received

    @contextmanager
    def _talking(self, seconds: float) -> Iterator[None]:
        self._socket.settimeout(max(_SHORTEST_S, seconds))
        try:
            yield
        except TimeoutError:
            raise DecoderTimeout from None
        except OSError:
            raise self._death() from None

    def _death(self) -> DecoderFailed:
        """The error that fits the exit status of the process."""
        try:
            code = self._process.wait(_DEATH_S)
        except subprocess.TimeoutExpired:
            return DecoderFailed()
        if code == -signal.SIGXCPU:
            return DecoderTimeout()
        return DecoderKilled() if code in (-signal.SIGKILL, -signal.SIGTERM) else DecoderFailed()


class Decoders:
    """At most ``processes`` decoders. Requests that wait for a decoder or use one for longer than a moment occupy at
    most half of the ``threads``, so that other requests continue."""

    def __init__(self, limits: DecoderLimits, processes: int, threads: int) -> None:
        self._limits = limits
        self._free = threading.BoundedSemaphore(processes)
        self._long_waits = threading.Semaphore(max(0, threads // 2 - processes))
        self._idle: list[Decoder] = []
        self._is_closed = False

    @contextmanager
    def one(self) -> Iterator[Decoder]:
        """A decoder for exclusive use. Raises DecodersBusy. If the block raises, the decoder is replaced."""
        self._wait()
        try:
            decoder = self._fit_one()
            try:
                yield decoder
            except BaseException:
                decoder.kill()
                raise
            self._give_back(decoder)
        finally:
            self._free.release()

    def close(self) -> None:
        self._is_closed = True
        while self._idle:
            self._idle.pop().kill()

    def _wait(self) -> None:
        if self._free.acquire(timeout=_MOMENT_S):
            return
        if not self._long_waits.acquire(blocking=False):
            raise DecodersBusy
        try:
            if not self._free.acquire(timeout=_LONGEST_WAIT_S - _MOMENT_S):
                raise DecodersBusy
        finally:
            self._long_waits.release()

    def _fit_one(self) -> Decoder:
        while self._idle:
            decoder = self._idle.pop()
            if decoder.is_fit:
                return decoder
            decoder.kill()
        try:
            return Decoder.started(self._limits)
        except (OSError, DecoderFailed) as ex:
            log.error("no decoder of images can be started: %s", repr(ex))
            raise DecodersBusy from ex

    def _give_back(self, decoder: Decoder) -> None:
        if self._is_closed:
            decoder.kill()
        else:
            self._idle.append(decoder)


def _chunks(source: Readable) -> Iterator[bytes]:
    """The bytes of ``source``, at most ``source.length``."""
    if source.chunks is not None:
        yield from source.chunks
        return
    left = source.length
    while source.file is not None and left and (chunk := source.file.read(min(_CHUNK, left))):
        left -= len(chunk)
        yield chunk


def _environment() -> dict[str, str]:
    passed = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    package_parent = str(Path(__file__).resolve().parents[3])
    return passed | {"PYTHONPATH": os.pathsep.join(filter(None, [package_parent, passed.get("PYTHONPATH")]))}
