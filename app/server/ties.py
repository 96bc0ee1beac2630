"""What ties the workers to their parent: a pipe whose end tells of the parent's, and one that tells it of readiness."""

from __future__ import annotations

import os


class Ties:
    """Made by the parent, before it forks. ``ready``: can be read when a worker has told that it is."""

    def __init__(self) -> None:
        # Nothing is ever written to it.
        self._life_read, self._life_write = os.pipe()
        self.ready, self._ready_write = os.pipe()
        os.set_blocking(self.ready, False)

    def become_worker(self) -> None:
        """Called by the child after the fork: only the parent may keep the pipe of its life open."""
        os.close(self._life_write)

    def tell_ready(self) -> None:
        os.write(self._ready_write, b".")

    def await_end_of_parent(self) -> None:
        os.read(self._life_read, 1)

    def close(self) -> None:
        """For the parent."""
        for descriptor in (self._life_read, self._life_write, self.ready, self._ready_write):
            os.close(descriptor)
