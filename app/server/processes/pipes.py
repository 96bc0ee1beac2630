"""Three pipes between the parent and its children. One closes when the parent ends. One reports which kinds of children
are ready. One selects the child that logs why it cannot start."""

from __future__ import annotations

import os


class WorkerPipes:
    """The pipes, made by the parent before it forks. ``ready`` becomes readable when a child is ready: its mark."""

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

    def report_ready(self, mark: bytes) -> None:
        """Report that a child is ready; ``mark`` is the byte of its kind."""
        os.write(self._ready_write, mark)

    def let_one_report(self) -> None:
        """Allow one of the children that are forked next to log why it cannot start: the others have the same
        reason."""
        self.may_report()
        os.write(self._turn_write, b".")

    def may_report(self) -> bool:
        """Whether this child is the one that logs why it cannot start."""
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
