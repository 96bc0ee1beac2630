"""``portico serve``: one listening socket, worker processes that share it, and a parent that keeps their number.

The parent forks before any thread or connection exists, so each worker makes its own application.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

from app.errors import PorticoError
from app.server.affinity import keep_to_one_cpu
from app.server.capacity import Capacity
from app.server.open_files import open_as_many_as_granted
from app.server.service import WSGIApplication
from app.server.worker import run_worker
from app.settings import Settings

logger = logging.getLogger("portico.server")

ApplicationFactory = Callable[[Settings], WSGIApplication]

_LOOK_S = 1.0
_BACKLOG = 1024
_EXIT_NOT_STARTED = 3
_SHORTEST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
# A worker that lived so long did not die of what its predecessor died of.
_STABLE_S = 60.0
_STOP_MARGIN_S = 5.0


class ServeError(RuntimeError):
    """The service cannot be started; the message tells the operator why."""


def listen(host: str, port: int) -> socket.socket:
    """Bind and listen on the first address of ``host``. Raises ServeError with what can be done about it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as ex:
        raise ServeError(f"the host {host} cannot be listened on: {ex.strerror}; check HOST") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and host == "::":
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as ex:
        listener.close()
        raise ServeError(_why_not(host, port, ex)) from None
    listener.setblocking(False)
    return listener


def address_of(listener: socket.socket) -> str:
    """The URL under which a listening socket is reached from this machine."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    settings: Settings,
    make_application: ApplicationFactory,
    listener: socket.socket,
    *,
    started: Callable[[], None] = lambda: None,
    look: Callable[[], None] = lambda: None,
) -> int:
    """Serve until SIGTERM, SIGINT or (unless it was ignored) SIGHUP; the exit code is 0 when all went as it should.

    ``started`` is called once the first worker can answer, ``look`` about every second; both in the parent.
    """
    open_as_many_as_granted()
    if not hasattr(os, "fork"):
        # No other process whose end there would be to wait for.
        run_worker(make_application, listener, settings, threading.Event().wait, started)
        return 0
    return _Parent(settings, make_application, listener, started, look).run()


@dataclass(slots=True)
class _Worker:
    number: int
    pid: int = 0
    born: float = 0.0
    restart_at: float = 0.0
    pause: float = 0.0


@dataclass
class _Parent:
    settings: Settings
    make_application: ApplicationFactory
    listener: socket.socket
    started: Callable[[], None]
    look: Callable[[], None]
    _workers: list[_Worker] = field(default_factory=list)
    _is_ready: bool = False
    _stop_signals: int = 0
    _exit_code: int = 0

    def run(self) -> int:
        self._workers = [_Worker(number) for number in range(1, self.settings.workers + 1)]
        self._capacity = Capacity(self.settings.workers, self.settings.transfer_space)
        # Workers see the end of the parent as the end of this pipe; nothing is ever written to it.
        self._life_read, self._life_write = os.pipe()
        self._ready_read, self._ready_write = os.pipe()
        self._wake_read, self._wake_write = os.pipe()
        for descriptor in (self._ready_read, self._wake_read, self._wake_write):
            os.set_blocking(descriptor, False)
        old_wakeup = signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        # nohup(1) has hangups ignored for us.
        heeded = [number for number in _STOPPING if number != signal.SIGHUP or not _is_ignored(number)]
        old = {number: signal.signal(number, self._on_stop) for number in heeded}
        old[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        gc.collect()
        # What was imported so far stays shared with the workers: their collections do not touch it.
        gc.freeze()
        try:
            while not self._stop_signals and self._exit_code == 0:
                self._fork_missing()
                self._wait(_LOOK_S)
                self._reap()
                if not self._stop_signals:
                    self.look()
            return self._stop()
        finally:
            gc.unfreeze()
            signal.set_wakeup_fd(old_wakeup)
            for number, handler in old.items():
                signal.signal(number, handler)
            for descriptor in (self._life_read, self._life_write, self._ready_read, self._ready_write):
                os.close(descriptor)
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _on_stop(self, number: int, _frame: FrameType | None) -> None:
        self._stop_signals += 1

    def _fork_missing(self) -> None:
        for worker in self._workers:
            if worker.pid == 0 and time.monotonic() >= worker.restart_at:
                self._fork(worker)

    def _fork(self, worker: _Worker) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # A signal between fork and the child's own handlers must not run the parent's.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        pid = os.fork()
        if pid == 0:
            self._be_worker(worker)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        worker.pid, worker.born = pid, time.monotonic()

    def _be_worker(self, worker: _Worker) -> None:
        code = 1
        is_ready = False

        def ready() -> None:
            nonlocal is_ready
            is_ready = True
            os.write(self._ready_write, b".")

        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # Ctrl-C goes to the whole group of processes; the parent decides what it means.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
            os.close(self._life_write)
            if self.settings.pin_workers:
                keep_to_one_cpu(worker.number)
            seat = self._capacity.seat(worker.number - 1)
            run_worker(self.make_application, self.listener, self.settings, self._await_end_of_parent, ready, seat)
            code = 0
        except Exception as ex:
            foreseen = isinstance(ex, ValueError | RuntimeError | PorticoError)
            if foreseen and not is_ready and not self.settings.show_sql:
                logger.error("worker %d cannot start: %s", worker.number, _with_hint(ex))
            else:
                logger.exception("worker %d ended", worker.number)
            code = 1 if is_ready else _EXIT_NOT_STARTED
        finally:
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
            # The parent's clean-up, such as that of open files and exit handlers, is not the child's to do.
            os._exit(code)

    def _await_end_of_parent(self) -> None:
        os.read(self._life_read, 1)

    def _wait(self, seconds: float) -> None:
        pauses = [worker.restart_at - time.monotonic() for worker in self._workers if worker.pid == 0]
        timeout = max(0.0, min([seconds, *pauses]))
        for descriptor in select.select([self._wake_read, self._ready_read], [], [], timeout)[0]:
            os.read(descriptor, 4096)
            if descriptor == self._ready_read and not self._is_ready:
                self._is_ready = True
                self.started()

    def _reap(self) -> None:
        for worker in self._workers:
            if worker.pid:
                pid, status = os.waitpid(worker.pid, os.WNOHANG)
                if pid:
                    self._bury(worker, os.waitstatus_to_exitcode(status))

    def _bury(self, worker: _Worker, code: int) -> None:
        self._capacity.vacate(worker.number - 1)
        lived = time.monotonic() - worker.born
        pid, worker.pid = worker.pid, 0
        if self._stop_signals:
            return
        if code == _EXIT_NOT_STARTED and not self._is_ready:
            # The first workers could not even start: nothing gets better by trying again.
            self._exit_code = 1
            return
        worker.pause = 0.0 if lived > _STABLE_S else min(max(worker.pause * 2, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S)
        # The first replacement comes at once; only a crash loop has to wait.
        wait = 0.0 if worker.pause <= _SHORTEST_PAUSE_S else worker.pause
        worker.restart_at = time.monotonic() + wait
        what = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        again = f"in {wait:g} s" if wait else "now"
        logger.warning("worker %d (process %d) %s; another one starts %s", worker.number, pid, what, again)

    def _stop(self) -> int:
        # Counted before anybody can see that we stop, and signals again because of it.
        first_signals = max(self._stop_signals, 1)
        self.listener.close()
        self._signal_all(signal.SIGTERM)
        until = time.monotonic() + self.settings.shutdown_grace_s + _STOP_MARGIN_S
        while any(worker.pid for worker in self._workers):
            self._wait(_LOOK_S)
            self._reap_stopping()
            if time.monotonic() > until or self._stop_signals > first_signals:
                logger.warning("requests that are still running are cut off")
                self._signal_all(signal.SIGKILL)
                until = time.monotonic() + _STOP_MARGIN_S
                first_signals = self._stop_signals
        return self._exit_code

    def _reap_stopping(self) -> None:
        for worker in self._workers:
            if worker.pid and os.waitpid(worker.pid, os.WNOHANG)[0]:
                worker.pid = 0

    def _signal_all(self, number: signal.Signals) -> None:
        for worker in self._workers:
            if worker.pid:
                os.kill(worker.pid, number)


_STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)


def _is_ignored(number: signal.Signals) -> bool:
    return signal.getsignal(number) is signal.SIG_IGN


def _with_hint(ex: Exception) -> str:
    hint = ex.hint if isinstance(ex, PorticoError) else None
    return f"{str(ex).rstrip('.')}. {hint}" if hint else str(ex)


def _why_not(host: str, port: int, ex: OSError) -> str:
    if ex.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use by another process; choose another with --port"
    if ex.errno == errno.EACCES:
        return f"port {port} may not be used by this user; choose one above 1023 with --port"
    if ex.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; check --host"
    return f"port {port} of {host} cannot be listened on: {ex.strerror}"
