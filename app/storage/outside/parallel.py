"""Runs several transfers at the same time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from app.errors import PorticoError, Unavailable
from app.storage.bytes.backend import BackendFull
from app.storage.outside.place import OutsidePlace, PlaceUnusable
from app.storage.outside.reasons import reason
from app.storage.request_context import RequestContext
from app.storage.storage import Storage

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Transferred:
    """The result for one object. ``verified``: its MD5 was known and matched. ``why``: the reason of a failure, or
    ''."""

    key: str
    size: int
    done: Literal["copied", "there", "failed"]
    verified: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Transfer(ABC, Generic[Item]):
    """An import or an export between a place and the objects of a bucket whose keys begin with ``prefix``; keys in the
    place do not include it. ``dry_run``: nothing is written. ``stop`` is set when running transfers must end."""

    storage: Storage
    request: RequestContext
    place: OutsidePlace
    bucket: str
    prefix: str
    dry_run: bool
    stop: threading.Event = field(default_factory=threading.Event, init=False)

    @abstractmethod
    def transfer(self, item: Item) -> Transferred:
        """Transfer one object, unless the target has an equal one. Raises errors that affect all other objects too."""


def in_parallel(transfer: Transfer[Item], items: Iterable[Item], jobs: int) -> Iterator[Transferred]:
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
