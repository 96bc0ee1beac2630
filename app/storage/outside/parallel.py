"""Many transfers at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Literal, TypeVar

from app.errors import PorticoError, Unavailable
from app.storage.bytes.backend import BackendFull
from app.storage.outside.place import PlaceUnusable
from app.storage.outside.reasons import reason

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Transferred:
    """What became of an object. ``verified``: its MD5 was known and right. ``why`` it failed, '' if it did not."""

    key: str
    size: int
    done: Literal["copied", "there", "failed"]
    verified: bool = False
    why: str = ""


def in_parallel(
    act: Callable[[T], Transferred], items: Iterable[T], jobs: int, stop: threading.Event
) -> Iterator[Transferred]:
    """What ``act`` gives for each item, in the order in which they are done, at most ``jobs`` at a time.

    After an exception no other item is begun, ``stop`` is set, and what is running ends before the exception leaves.
    """
    running: set[Future[Transferred]] = set()
    with ThreadPoolExecutor(jobs, "transfer") as pool:
        try:
            for item in items:
                if len(running) == jobs:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (each.result() for each in done)
                running.add(pool.submit(act, item))
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        except BaseException:
            stop.set()
            raise


def attempted(key: str, size: int, act: Callable[[], Transferred]) -> Transferred:
    """What ``act`` gives, or the failure of this one object. Raises what concerns the others too."""
    try:
        return act()
    except (PlaceUnusable, BackendFull, Unavailable):
        raise
    except PorticoError as ex:
        return Transferred(key, size, "failed", why=reason(ex))
