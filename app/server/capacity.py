"""Totals over all workers of a service, in memory that they share.

Each worker writes only to its own part, so no lock between processes is needed.
"""

from __future__ import annotations

import mmap
import sys
import threading

from app.settings import Settings

_WORD = 8
_CONNECTIONS, _BYTES, _POOLS = 0, 1, 2
_OPEN, _REFUSED, _WORDS_OF_POOL = 0, 1, 2
_ABSENT = -1


class Capacity:
    """The shared memory, made before the workers are forked. ``space``: how many bytes of request and response bodies
    all workers may keep in files; ``pools``: the number of connection pools of each worker."""

    def __init__(self, workers: int, space: int, pools: int = 1) -> None:
        self._size = _POOLS + pools * _WORDS_OF_POOL
        self._memory = mmap.mmap(-1, max(1, workers) * self._size * _WORD)
        self._words = memoryview(self._memory).cast("q")
        self._workers = workers
        self.space = space
        for number in range(workers):
            self.vacate(number)

    def totals(self, number: int) -> WorkerTotals:
        return WorkerTotals(self, self._words, number * self._size)

    def vacate(self, number: int) -> None:
        """Reset the part of a worker that has ended."""
        at = number * self._size
        self._words[at + _CONNECTIONS] = _ABSENT
        for word in range(_BYTES, self._size):
            self._words[at + word] = 0

    def fewest_connections(self) -> int:
        """The number of connections of the worker that has the fewest."""
        return min(self._connections(), default=0)

    def even_share(self) -> int:
        """The number of connections that each worker would have if all had the same, rounded up."""
        counts = self._connections()
        return -(-sum(counts) // max(1, len(counts)))

    def _connections(self) -> list[int]:
        return [count for count in self._all(_CONNECTIONS) if count != _ABSENT]

    def bytes_held(self) -> int:
        return sum(self._all(_BYTES))

    def share_of_pool(self, words: int) -> int:
        """How many connections a worker may keep in the pool whose words begin at ``words``. Without a limit, unless a
        server refused a worker a connection; then the same number for each worker, rounded up."""
        if not any(self._all(words + _REFUSED)):
            return sys.maxsize
        return max(1, -(-sum(self._all(words + _OPEN)) // self._workers))

    def _all(self, word: int) -> list[int]:
        return [self._words[number * self._size + word] for number in range(self._workers)]


def make_capacity(settings: Settings, workers: int) -> Capacity:
    """The capacity of a service, with a pool for its database, one for each replica, and one for service_role if it has
    its own."""
    pools = 1 + len(settings.database_read_urls) + bool(settings.service_database_url)
    return Capacity(workers, settings.transfer_space, pools)


class WorkerTotals:
    """One worker's part of the shared memory; its threads share it."""

    def __init__(self, capacity: Capacity, words: memoryview[int], at: int) -> None:
        self._capacity = capacity
        self._words = words
        self._at = at
        self._lock = threading.Lock()

    @property
    def connections(self) -> int:
        return self._words[self._at + _CONNECTIONS]

    @connections.setter
    def connections(self, count: int) -> None:
        self._words[self._at + _CONNECTIONS] = count

    @property
    def bytes_held(self) -> int:
        """How many bytes of request and response bodies this worker keeps."""
        return self._words[self._at + _BYTES]

    def has_more_than_another(self) -> bool:
        """Whether some worker has fewer connections than this one."""
        return self.connections > self._capacity.fewest_connections()

    def surplus(self) -> int:
        """How many connections this worker should close in favour of others: none unless it has a tenth more than its
        share."""
        share = self._capacity.even_share()
        surplus = self.connections - share
        return surplus if surplus * 10 > share else 0

    def database_surplus(self, pool: int, count: int, was_refused: bool) -> int:
        """Publish how many connections this worker has in a pool, and whether a server recently refused it one. Returns
        how many it should close in favour of other workers. ``pool`` is the pool's number."""
        words = _POOLS + pool * _WORDS_OF_POOL
        self._words[self._at + words + _OPEN] = count
        self._words[self._at + words + _REFUSED] = was_refused
        return max(0, count - self._capacity.share_of_pool(words))

    def charge(self, size: int) -> bool:
        """Add ``size`` bytes that a connection keeps. Returns whether there is space for them in files."""
        with self._lock:
            self._words[self._at + _BYTES] += size
        return self._capacity.bytes_held() <= self._capacity.space

    def refund(self, size: int) -> None:
        with self._lock:
            self._words[self._at + _BYTES] -= size
