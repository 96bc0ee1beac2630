"""Where answers are that clients have not read."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.server.capacity import Capacity, WorkerTotals
from app.server.connection.output import Output

LONG = bytes(range(256)) * 50_000


@pytest.fixture
def totals() -> WorkerTotals:
    return Capacity(1, 10 * len(LONG)).totals(0)


@pytest.fixture
def clients() -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    pairs = [socket.socketpair() for _ in range(3)]
    for ours, _ in pairs:
        ours.setblocking(False)
    yield pairs
    for each in pairs:
        for end in each:
            end.close()


def files() -> int:
    """How many files without a name this process has open."""
    found = 0
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found += "(deleted)" in os.readlink(each)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_unread_answers_are_in_memory_while_they_are_few(
    totals: WorkerTotals, clients: list[tuple[socket.socket, socket.socket]]
) -> None:
    outputs = [Output(ours, totals) for ours, _ in clients]
    before, kept = files(), []
    for each in outputs:
        each.add(LONG)
        each.send()
        kept.append(files() - before)
    # The third would be more than 32 MiB with the others.
    assert kept == [0, 0, 1]
    assert totals.bytes_held == sum(each.pending for each in outputs)
    for each, (_, theirs) in zip(outputs, clients, strict=True):
        received = bytearray()
        while len(received) < len(LONG):
            received += theirs.recv(1 << 20)
            each.send()
        assert received == LONG
    assert totals.bytes_held == 0
    assert files() == before


def test_an_answer_for_which_there_is_no_space_ends(clients: list[tuple[socket.socket, socket.socket]]) -> None:
    output = Output(clients[0][0], Capacity(1, 1000).totals(0))
    output.add(LONG)
    with pytest.raises(OSError, match="no space is left"):
        output.send()
