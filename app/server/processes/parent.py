"""``portico serve``: one listening socket, worker processes that share it, perhaps a companion to which they hand
connections over, and a parent that replaces those that die.

The parent forks before any thread or connection exists, so each worker makes its own application.
"""

from __future__ import annotations

import gc
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from app.server.capacity import make_capacity
from app.server.connection.server import WSGIApplication
from app.server.processes.affinity import keep_to_one_cpu
from app.server.processes.child import EXIT_NOT_STARTED, STOPPING, run_child
from app.server.processes.companion import Companion
from app.server.processes.open_files import raise_open_file_limit
from app.server.processes.pipes import WorkerPipes
from app.server.processes.worker import run_worker
from app.settings import Settings

logger = logging.getLogger("portico.server")

ApplicationFactory = Callable[[Settings], WSGIApplication]

_LOOK_S = 1.0
_SHORTEST_PAUSE_S = 0.5
# With longer pauses clients would wait too long if all workers die of the same cause.
_LONGEST_PAUSE_S = 5.0
# A worker that ran for this long did not die of the cause of its predecessor's death.
_STABLE_S = 60.0
_STOP_MARGIN_S = 5.0
# The bytes with which children report that they are ready.
_WORKER, _COMPANION = b"w", b"c"
_NEW_OBJECTS = 5000
"""How many objects are created between garbage collections of the youngest generation. Python's default of 700 took a
tenth of the CPU time of a request with a new document: parsing and planning creates thousands of objects that stay in
use."""


def serve(
    settings: Settings,
    make_application: ApplicationFactory,
    listener: socket.socket,
    *,
    companion: Companion | None = None,
    started: Callable[[], None] = lambda: None,
    look: Callable[[], None] = lambda: None,
) -> int:
    """Serve until SIGTERM, SIGINT or (unless it was ignored) SIGHUP. Returns the exit code, 0 for success.

    ``started`` is called once the first worker and the ``companion`` can answer, ``look`` about every second, both in
    the parent. A companion needs a system that can fork.
    """
    raise_open_file_limit()
    if not hasattr(os, "fork"):
        # Without fork there is a single process without a parent.
        run_worker(make_application, listener, settings, threading.Event().wait, started)
        return 0
    return _Parent(settings, make_application, listener, companion, started, look).run()


@dataclass(slots=True)
class _Child:
    """A child process and its successors. ``serve`` runs in the process, and calls its argument when it is ready;
    ``ended`` is called in the parent. ``mark``: the byte of its kind; ``name`` is for the log."""

    name: str
    mark: bytes
    serve: Callable[[Callable[[], None]], None]
    ended: Callable[[int], None]
    pid: int = 0
    born: float = 0.0
    restart_at: float = 0.0
    pause: float = 0.0

    def record_end(self) -> float:
        """Record that the process has ended. Returns the seconds until it is replaced, more than 0 only in a crash
        loop."""
        now = time.monotonic()
        self.pid = 0
        is_stable = now - self.born > _STABLE_S
        self.pause = 0.0 if is_stable else min(max(self.pause * 2, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S)
        wait = 0.0 if self.pause <= _SHORTEST_PAUSE_S else self.pause
        self.restart_at = now + wait
        return wait


@dataclass
class _Parent:
    settings: Settings
    make_application: ApplicationFactory
    listener: socket.socket
    companion: Companion | None
    started: Callable[[], None]
    look: Callable[[], None]
    _children: list[_Child] = field(default_factory=list)
    _unready: set[bytes] = field(default_factory=set)
    _is_ready: bool = False
    _stop_signals: int = 0
    _exit_code: int = 0

    def run(self) -> int:
        self._capacity = make_capacity(self.settings, self.settings.workers)
        self._children = [self._worker(number) for number in range(self.settings.workers)]
        if self.companion is not None:
            self._children.append(self._companion(self.companion))
        self._unready = {each.mark for each in self._children}
        with closing(WorkerPipes()) as self._pipes, self._signals() as self._wake, _memory_shared():
            while not self._stop_signals and self._exit_code == 0:
                self._fork_missing()
                self._wait(_LOOK_S)
                self._reap()
                if not self._stop_signals:
                    self.look()
            return self._stop()

    def _worker(self, number: int) -> _Child:
        vacate = partial(self._capacity.vacate, number)
        return _Child(f"worker {number + 1}", _WORKER, partial(self._serve, number), lambda _code: vacate())

    def _companion(self, companion: Companion) -> _Child:
        handing_over = companion.handing_over

        def ended(code: int) -> None:
            handing_over.close()
            if code == EXIT_NOT_STARTED:
                # Its successor will not start either, for the same reason.
                handing_over.drop()

        return _Child(f"the process of {handing_over.what}", _COMPANION, partial(self._serve_beside, companion), ended)

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Handle the stop signals and SIGCHLD. Yields a descriptor that becomes readable after each signal."""
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        old_wakeup = signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        # nohup(1) makes the process ignore SIGHUP; respect that.
        handled = [number for number in STOPPING if number != signal.SIGHUP or not _is_ignored(number)]
        old = {number: signal.signal(number, self._on_stop) for number in handled}
        old[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        try:
            yield wake_read
        finally:
            signal.set_wakeup_fd(old_wakeup)
            for number, handler in old.items():
                signal.signal(number, handler)
            os.close(wake_read)
            os.close(wake_write)

    def _on_stop(self, number: int, _frame: FrameType | None) -> None:
        self._stop_signals += 1

    def _fork_missing(self) -> None:
        missing = [each for each in self._children if each.pid == 0 and time.monotonic() >= each.restart_at]
        if missing:
            self._pipes.let_one_report()
        for child in missing:
            self._fork(child)

    def _fork(self, child: _Child) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # A signal between fork and the child's own handlers must not run the parent's.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        pid = os.fork()
        if pid == 0:
            run_child(child.name, child.mark, self.settings, self._pipes, child.serve)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        child.pid, child.born = pid, time.monotonic()

    def _serve(self, number: int, ready: Callable[[], None]) -> None:
        """Run a worker, in the child process."""
        if self.settings.pin_workers:
            keep_to_one_cpu(number + 1)
        totals = self._capacity.totals(number)
        handing_over = self.companion.handing_over if self.companion else None
        gone = self._pipes.await_end_of_parent
        run_worker(self.make_application, self.listener, self.settings, gone, ready, totals, handing_over)

    def _serve_beside(self, companion: Companion, ready: Callable[[], None]) -> None:
        """Run the companion, in the child process."""
        # While it is open, clients can connect.
        self.listener.close()
        companion.run(self._pipes.await_end_of_parent, ready)

    def _wait(self, seconds: float) -> None:
        pauses = [child.restart_at - time.monotonic() for child in self._children if child.pid == 0]
        timeout = max(0.0, min([seconds, *pauses]))
        for descriptor in select.select([self._wake, self._pipes.ready], [], [], timeout)[0]:
            received = os.read(descriptor, 4096)
            if descriptor == self._pipes.ready and not self._is_ready:
                self._unready -= {bytes((mark,)) for mark in received}
                self._is_ready = not self._unready
                if self._is_ready:
                    self.started()

    def _reap(self) -> None:
        for child in self._children:
            if child.pid:
                pid, status = os.waitpid(child.pid, os.WNOHANG)
                if pid:
                    self._handle_end(child, os.waitstatus_to_exitcode(status))

    def _handle_end(self, child: _Child, code: int) -> None:
        child.ended(code)
        pid, wait = child.pid, child.record_end()
        if self._stop_signals:
            return
        if code == EXIT_NOT_STARTED and not self._is_ready:
            # The first children could not start, so another attempt would not help.
            self._exit_code = 1
            return
        what = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        again = f"in {wait:g} s" if wait else "now"
        logger.warning("%s (process %d) %s; another one starts %s", child.name, pid, what, again)

    def _stop(self) -> int:
        # Read before the listener closes: a signal that arrives after that must count as another one.
        first_signals = max(self._stop_signals, 1)
        self.listener.close()
        if self.companion is not None:
            self.companion.handing_over.close()
        self._signal_all(signal.SIGTERM)
        until = time.monotonic() + self.settings.shutdown_grace_s + _STOP_MARGIN_S
        while any(child.pid for child in self._children):
            self._wait(_LOOK_S)
            self._reap_stopping()
            if time.monotonic() > until or self._stop_signals > first_signals:
                logger.warning("requests that are still running are cut off")
                self._signal_all(signal.SIGKILL)
                until = time.monotonic() + _STOP_MARGIN_S
                first_signals = self._stop_signals
        return self._exit_code

    def _reap_stopping(self) -> None:
        for child in self._children:
            if child.pid and os.waitpid(child.pid, os.WNOHANG)[0]:
                child.pid = 0

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self._children:
            if child.pid:
                os.kill(child.pid, number)


@contextmanager
def _memory_shared() -> Iterator[None]:
    """Keep the modules imported so far in memory that the workers share: their garbage collection does not touch it.
    Collections also run less often than usual."""
    gc.collect()
    gc.freeze()
    usual = gc.get_threshold()
    gc.set_threshold(max(_NEW_OBJECTS, usual[0]), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _is_ignored(number: signal.Signals) -> bool:
    return signal.getsignal(number) is signal.SIG_IGN
