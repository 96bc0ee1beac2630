"""Shares one call of a function between threads that need its result at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedCall(Generic[T]):
    """Calls a function once for several threads; calls run one after the other.

    Each thread gets the result of a call that began after its request, never of a call that was already running, which
    may have missed a recent change. So at most one call runs and one waits, regardless of the number of threads.
    """

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._running = Lock()
        self._gathering = Lock()
        self._next: Future[T] | None = None

    def __call__(self) -> T:
        """The function's result. Raises its exception."""
        with self._gathering:
            leading = self._next is None
            future = self._next = self._next or Future()
        if leading:
            self._lead(future)
        return future.result()

    def _lead(self, future: Future[T]) -> None:
        try:
            with self._running:
                with self._gathering:
                    self._next = None
                future.set_result(self._function())
        except BaseException as ex:
            with self._gathering:
                if self._next is future:
                    self._next = None
            future.set_exception(ex)
