"""Two pipes between the parent and its workers: one closes when the parent ends, the other reports readiness."""

from __future__ import annotations

import os


class Ties:
    """The pipes, made by the parent before it forks. ``ready`` becomes readable when a worker is ready."""

    def __init__(self) -> None:
        # Nothing is ever written to it.
        self._life_read, self._life_write = os.pipe()
        self.ready, self._ready_write = os.pipe()
        os.set_blocking(self.ready, False)

    def become_worker(self) -> None:
        """Close the parent's end of the first pipe in the child, so that only the parent holds it open."""
        os.close(self._life_write)

    def report_ready(self) -> None:
        os.write(self._ready_write, b".")

    def await_end_of_parent(self) -> None:
        os.read(self._life_read, 1)

    def close(self) -> None:
        """Close both pipes, in the parent."""
        for descriptor in (self._life_read, self._life_write, self.ready, self._ready_write):
            os.close(descriptor)
