"""Reports which sockets are ready. It uses epoll directly, which is faster than ``selectors``, as each request needs
it; and ``selectors`` where there is no epoll."""

from __future__ import annotations

import select
import selectors
import socket
from collections.abc import Iterable
from operator import itemgetter
from selectors import EVENT_READ, EVENT_WRITE
from typing import Protocol

_MOST_EVENTS = 100
_DESCRIPTOR = itemgetter(0)


class Attendant(Protocol):
    """The object that is registered with each socket."""

    def attend(self) -> None:
        """Handle the socket, which was ready when the leader checked; another thread may have been faster."""


class Readiness(Protocol):
    """``is_live``: a change of the registrations affects a thread that already waits."""

    is_live: bool

    def watch(self, sock: socket.socket, before: int, events: int, attendant: Attendant) -> None:
        """Make ``wait`` return ``attendant`` for ``events`` of ``sock``: EVENT_READ, EVENT_WRITE or 0 for none.
        ``before``: the events registered so far."""

    def wait(self, timeout: float | None) -> Iterable[Attendant]:
        """The attendants of sockets that are ready, after at most ``timeout`` seconds."""


def new_readiness() -> Readiness:
    return _ByEpoll() if hasattr(select, "epoll") else _BySelector()


class _ByEpoll:
    is_live = True

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._events = {EVENT_READ: select.EPOLLIN, EVENT_WRITE: select.EPOLLOUT}
        self._attendants: dict[int, Attendant] = {}
        self._poll = self._epoll.poll
        self._attendant_of = self._attendants.get

    def watch(self, sock: socket.socket, before: int, events: int, attendant: Attendant) -> None:
        descriptor = sock.fileno()
        if not events:
            self._epoll.unregister(descriptor)
            del self._attendants[descriptor]
            return
        self._attendants[descriptor] = attendant
        change = self._epoll.modify if before else self._epoll.register
        change(descriptor, self._events[events])

    def wait(self, timeout: float | None) -> Iterable[Attendant]:
        # A socket that was unregistered in the meantime has no attendant.
        return filter(None, map(self._attendant_of, map(_DESCRIPTOR, self._poll(timeout, _MOST_EVENTS))))


class _BySelector:
    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self.is_live = isinstance(self._selector, getattr(selectors, "KqueueSelector", ()))

    def watch(self, sock: socket.socket, before: int, events: int, attendant: Attendant) -> None:
        if not before:
            self._selector.register(sock, events, attendant)
        elif not events:
            self._selector.unregister(sock)
        else:
            self._selector.modify(sock, events, attendant)

    def wait(self, timeout: float | None) -> Iterable[Attendant]:
        return [key.data for key, _ in self._selector.select(timeout)]
