"""Runs several transfers at the same time."""

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
    """The result for one object. ``verified``: its MD5 was known and matched. ``why``: the reason of a failure, or
    ''."""

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
        """Set when running transfers must end."""

    def transfer(self, item: Item_contra, /) -> Transferred:
        """Transfer one object, unless the target has an equal one. Raises errors that affect all other objects too."""


def in_parallel(transfer: Transfer[Item_contra], items: Iterable[Item_contra], jobs: int) -> Iterator[Transferred]:
    """The result of each item, in the order in which they finish. At most ``jobs`` transfers run at a time.

    After an exception no other item is started, the transfer is stopped, and running items end before the exception
    propagates.
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
    """The result of ``act``, or the failure of this one object. Raises errors that affect all other objects too."""
    try:
        return act()
    except (PlaceUnusable, BackendFull, Unavailable):
        raise
    except PorticoError as ex:
        return Transferred(key, size, "failed", why=reason(ex))
