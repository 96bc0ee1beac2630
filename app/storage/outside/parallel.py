"""Many transfers at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from app.errors import PorticoError, Unavailable
from app.storage.bytes.backend import BackendFull
from app.storage.outside.place import PlaceUnusable
from app.storage.outside.reasons import reason

Item_contra = TypeVar("Item_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Transferred:
    """What became of an object. ``verified``: its MD5 was known and right. ``why`` it failed, '' if it did not."""

    key: str
    size: int
    done: Literal["copied", "there", "failed"]
    verified: bool = False
    why: str = ""


class Sized(Protocol):
    """An object to transfer, with its size in bytes."""

    @property
    def size(self) -> int: ...


class Transfer(Protocol[Item_contra]):
    """An import or an export. ``dry_run``: nothing is written."""

    @property
    def dry_run(self) -> bool: ...

    @property
    def stop(self) -> threading.Event:
        """Set when what is running is to end."""
        ...

    def transfer(self, item: Item_contra, /) -> Transferred:
        """Transfer one object, unless it is there and equal. Raises what concerns the others too."""
        ...


def in_parallel(transfer: Transfer[Item_contra], items: Iterable[Item_contra], jobs: int) -> Iterator[Transferred]:
    """What became of each item, in the order in which they are done, at most ``jobs`` at a time.

    After an exception no other item is begun, the transfer is stopped, and what is running ends before the exception
    leaves.
    """
    running: set[Future[Transferred]] = set()
    with ThreadPoolExecutor(jobs, "transfer") as pool:
        try:
            for item in items:
                if len(running) == jobs:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (each.result() for each in done)
                running.add(pool.submit(transfer.transfer, item))
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        except BaseException:
            transfer.stop.set()
            raise


def attempted(key: str, size: int, act: Callable[[], Transferred]) -> Transferred:
    """What ``act`` gives, or the failure of this one object. Raises what concerns the others too."""
    try:
        return act()
    except (PlaceUnusable, BackendFull, Unavailable):
        raise
    except PorticoError as ex:
        return Transferred(key, size, "failed", why=reason(ex))
