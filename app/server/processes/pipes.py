"""Three pipes between the parent and its workers. One closes when the parent ends. One reports that a worker is ready.
One selects the worker that logs why it cannot start."""

from __future__ import annotations

import os


class WorkerPipes:
    """The pipes, made by the parent before it forks. ``ready`` becomes readable when a worker is ready."""

    def __init__(self) -> None:
        # Nothing is written to this pipe.
        self._life_read, self._life_write = os.pipe()
        self.ready, self._ready_write = os.pipe()
        os.set_blocking(self.ready, False)
        self._turn, self._turn_write = os.pipe()
        os.set_blocking(self._turn, False)

    def become_worker(self) -> None:
        """Close the parent's end of the first pipe in the child, so that only the parent holds it open."""
        os.close(self._life_write)

    def report_ready(self) -> None:
        os.write(self._ready_write, b".")

    def let_one_report(self) -> None:
        """Allow one of the workers that are forked next to log why it cannot start: the others have the same reason."""
        self.may_report()
        os.write(self._turn_write, b".")

    def may_report(self) -> bool:
        """Whether this worker is the one that logs why it cannot start."""
        try:
            return bool(os.read(self._turn, 1))
        except BlockingIOError:
            return False

    def await_end_of_parent(self) -> None:
        os.read(self._life_read, 1)

    def close(self) -> None:
        """Close the pipes, in the parent."""
        for descriptor in (
            self._life_read, self._life_write, self.ready, self._ready_write, self._turn, self._turn_write,
        ):  # fmt: skip
            os.close(descriptor)
