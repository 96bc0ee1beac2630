"""A relay in front of the service that breaks connections at random."""

from __future__ import annotations

import random
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class BreakingRelay:
    """Passes on what clients send, and cuts most connections after at most ``most`` bytes of it."""

    def __init__(self, target: tuple[str, int], most: int, seed: int) -> None:
        self._target = target
        self._most = most
        self._random = random.Random(seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.broken = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                budget = self._random.randrange(self._most) if self._random.random() < 0.8 else 1 << 40
                arguments = near, far, budget, self._random.random() < 0.5
                threading.Thread(target=self._pass_on, args=arguments, daemon=True).start()
                threading.Thread(target=_pass_back, args=(far, near), daemon=True).start()

    def _pass_on(self, near: socket.socket, far: socket.socket, budget: int, with_reset: bool) -> None:
        with suppress(OSError):
            while budget and (data := near.recv(min(65536, budget))):
                far.sendall(data)
                budget -= len(data)
        if not budget:
            self.broken += 1
            if with_reset:
                with suppress(OSError):
                    near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        for end in (far, near):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def _pass_back(far: socket.socket, near: socket.socket) -> None:
    with suppress(OSError):
        while data := far.recv(65536):
            near.sendall(data)
    with suppress(OSError):
        near.shutdown(socket.SHUT_WR)


@contextmanager
def breaking(target: tuple[str, int], *, most: int, seed: int = 1) -> Iterator[BreakingRelay]:
    """A relay to ``target`` while the block runs."""
    relay = BreakingRelay(target, most, seed)
    try:
        yield relay
    finally:
        relay.close()
