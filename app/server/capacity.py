"""Totals over all workers of a service, in memory that they share.

Each worker writes to its own seat only, so no lock between processes is needed.
"""

from __future__ import annotations

import mmap
import sys
import threading

_WORD = 8
_CONNECTIONS, _BYTES, _DATABASE, _REFUSED, _WORDS = 0, 1, 2, 3, 4
_ABSENT = -1


class Capacity:
    """Made before the workers are forked. ``space``: how many bytes of bodies and answers they may keep in files."""

    def __init__(self, workers: int, space: int) -> None:
        self._memory = mmap.mmap(-1, max(1, workers) * _WORDS * _WORD)
        self._words = memoryview(self._memory).cast("q")
        self._workers = workers
        self.space = space
        for number in range(workers):
            self.vacate(number)

    def seat(self, number: int) -> Seat:
        return Seat(self, self._words, number)

    def vacate(self, number: int) -> None:
        """Reset the seat of a worker that has ended."""
        self._words[number * _WORDS + _CONNECTIONS] = _ABSENT
        for word in (_BYTES, _DATABASE, _REFUSED):
            self._words[number * _WORDS + word] = 0

    def fewest_connections(self) -> int:
        """The number of connections of the worker that has fewest."""
        return min(self._connections(), default=0)

    def even_share(self) -> int:
        """The number of connections that each worker would have if all had the same, rounded up."""
        counts = self._connections()
        return -(-sum(counts) // max(1, len(counts)))

    def _connections(self) -> list[int]:
        counts = (self._words[number * _WORDS + _CONNECTIONS] for number in range(self._workers))
        return [count for count in counts if count != _ABSENT]

    def bytes_held(self) -> int:
        return sum(self._all(_BYTES))

    def share_of_database(self) -> int:
        """How many database connections a worker may keep while another gets none: as many as all would have if they
        had the same number, rounded up; without a bound if no worker was refused one."""
        if not any(self._all(_REFUSED)):
            return sys.maxsize
        return max(1, -(-sum(self._all(_DATABASE)) // self._workers))

    def _all(self, word: int) -> list[int]:
        return [self._words[number * _WORDS + word] for number in range(self._workers)]


class Seat:
    """One worker's part of the memory; shared by its threads."""

    def __init__(self, capacity: Capacity, words: memoryview[int], number: int) -> None:
        self._capacity = capacity
        self._words = words
        self._at = number * _WORDS
        self._lock = threading.Lock()

    @property
    def connections(self) -> int:
        return self._words[self._at + _CONNECTIONS]

    @connections.setter
    def connections(self, count: int) -> None:
        self._words[self._at + _CONNECTIONS] = count

    @property
    def bytes_held(self) -> int:
        """How many bytes of bodies and answers this worker keeps."""
        return self._words[self._at + _BYTES]

    def has_more_than_another(self) -> bool:
        """Whether some worker has fewer connections than this one."""
        return self.connections > self._capacity.fewest_connections()

    def surplus(self) -> int:
        """How many connections this worker should give to others: none unless it has a tenth more than its share."""
        share = self._capacity.even_share()
        surplus = self.connections - share
        return surplus if surplus * 10 > share else 0

    def database_surplus(self, count: int, was_refused: bool) -> int:
        """Show the other workers how many database connections this one has, and whether it was refused one of late;
        how many it should give up for them."""
        self._words[self._at + _DATABASE] = count
        self._words[self._at + _REFUSED] = was_refused
        return max(0, count - self._capacity.share_of_database())

    def charge(self, size: int) -> bool:
        """Count ``size`` bytes that a connection keeps; whether there would be space for them in files."""
        with self._lock:
            self._words[self._at + _BYTES] += size
        return self._capacity.bytes_held() <= self._capacity.space

    def refund(self, size: int) -> None:
        with self._lock:
            self._words[self._at + _BYTES] -= size
