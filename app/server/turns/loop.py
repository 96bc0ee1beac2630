"""Threads that take turns in waiting on connections.

With one thread for the network and others for the work, each request changes threads twice, which costs more than most
requests themselves (260 of 550 us of CPU time for the smallest response, with waitress's own loop). Here one thread,
the leader, waits on all connections and handles the next request itself. If a request takes long, another thread
becomes the leader, and the old one rests afterwards. So a short request never changes threads, and a long one never
blocks others. If requests mostly wait, for example for a remote database, the leader passes the lead on before it
begins a request, so that other threads can use the time.

There is one more thread than may run the application, so that one can always lead.
"""

from __future__ import annotations

import logging
import math
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from app.server.turns.readiness import Attendant, new_readiness
from app.server.turns.sampling import Sampling
from app.server.turns.waker import Waker

_log = logging.getLogger("portico.server")

# The leader loses the lead after this time in one turn. Each check costs 15 us, and runs only while there is work.
_LONGEST_TURN_S = 0.004
_QUIET_LOOKS = 3


class _LoopThread:
    """A thread of the loop. ``turn`` counts the events that it handled as the leader. ``attending``: it is handling
    one."""

    __slots__ = ("attending", "ident", "rest", "turn")

    def __init__(self, ident: int) -> None:
        self.ident = ident
        self.turn = 0
        self.attending = False
        self.rest = threading.Lock()
        self.rest.acquire()


_WEIGHT_OF_LAST = 0.1
"""The weight of the last interval between the starts of two requests in the moving average of these intervals."""

# The part of the longest wait that is allowed while requests are being refused.
_WHILE_REFUSING = 0.025

Job = Callable[[bool], None]
"""A function to call as soon as a thread is free. Its argument is whether the job has waited too long, so that it must
only refuse the request."""

_Waiting = tuple[float, Job, bool]
"""The time since which a job waits (``time.monotonic``), the job, and whether it must be done regardless of delay."""


class Loop:
    """``threads``: how many may run the application at a time; ``waiting_limit``: how many requests may wait.

    ``waiting_s``: a request is refused if it would wait longer. Its wait is estimated from the interval between the
    starts of recent requests, and from how long the first one in the queue has waited. A request that has waited
    longer, because requests have become slow, is refused when its turn comes. As many requests as there are threads may
    always wait.

    So a burst is absorbed. But if more requests arrive than can be answered, a long queue only delays all of them: for
    ``waiting_s`` after a refusal, only a small part of that wait is allowed.
    """

    def __init__(self, threads: int, waiting_limit: int, waiting_s: float) -> None:
        self._readiness = new_readiness()
        self._threads = threads
        self._waiting_limit = waiting_limit
        self._waiting_s = waiting_s
        self._interval = self._taken_at = 0.0
        self._refused_at = -math.inf
        self._lock = threading.Lock()
        self._resting: list[_LoopThread] = []
        self._waiting: deque[_Waiting] = deque()
        self._leader: _LoopThread | None = None
        self._closed = False
        self._alive = 0
        self._waker = Waker(self._readiness)
        self._pause: tuple[float, Callable[[], None]] | None = None
        self._watched = False
        self._active = threading.Event()
        self.sampling = Sampling()

    def start(self) -> None:
        self._alive = self._threads + 1
        for number in range(self._alive):
            threading.Thread(target=self._work, name=f"worker-{number}", daemon=True).start()
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def close(self) -> None:
        """Let the threads end. A thread that runs the application ends when the application returns."""
        self._closed = True
        with self._lock:
            loop_threads, self._resting = self._resting, []
        for loop_thread in loop_threads:
            loop_thread.rest.release()
        self._waker.wake()
        self._active.set()

    def watch(self, sock: socket.socket, before: int, events: int, attendant: Attendant) -> None:
        """Let ``attendant`` handle ``events`` of ``sock``. ``before``: the events registered so far. 0 means none."""
        self._readiness.watch(sock, before, events, attendant)
        if not self._readiness.is_live:
            self._waker.wake()

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        """Let the leader call ``act`` after ``seconds``. There is one such call at a time."""
        self._pause = (time.monotonic() + seconds, act)
        leader = self._leader
        if leader is None or leader.ident != threading.get_ident():
            # This thread has lost the lead, and the new leader may already wait without a timeout.
            self._waker.wake()

    # Working

    def claim(self, job: Job, *, must_wait: bool = False) -> bool:
        """Whether this thread may run the application now. If not, a thread calls ``job`` as soon as one is free.

        Unless it ``must_wait``, raises Overloaded if too many requests already wait, or this one would wait too long.
        """
        leader = self._leader
        if leader is None or leader.ident != threading.get_ident():
            return True
        if self._resting and not self.sampling.mostly_waits:
            return True
        with self._lock:
            if not self._resting:
                now = time.monotonic()
                if not must_wait and self._is_overloaded(now):
                    self._refused_at = now
                    raise Overloaded
                self._waiting.append((now, job, must_wait or len(self._waiting) < self._threads))
                return False
            self._pass_on()
            return True

    def _is_overloaded(self, now: float) -> bool:
        waiting = len(self._waiting)
        if waiting < self._threads:
            return waiting >= self._waiting_limit
        longest = max(now - self._waiting[0][0], waiting * self._interval)
        is_refusing = now - self._refused_at < self._waiting_s
        allowed = self._waiting_s * _WHILE_REFUSING if is_refusing else self._waiting_s
        return waiting >= self._waiting_limit or longest > allowed

    def _take(self) -> Callable[[], None]:
        """Take the first job of the queue. The interval between two calls is averaged, to estimate later waits."""
        since, job, must_wait = self._waiting.popleft()
        now = time.monotonic()
        if not must_wait and now - since > self._waiting_s:
            self._refused_at = now
            return partial(job, True)
        if self._taken_at:
            self._interval += (now - self._taken_at - self._interval) * _WEIGHT_OF_LAST
        self._taken_at = now if self._waiting else 0.0
        return partial(job, False)

    # Leading

    def _work(self) -> None:
        loop_thread = _LoopThread(threading.get_ident())
        while not self._closed:
            job = self._next(loop_thread)
            if self._leader is loop_thread:
                self._lead(loop_thread)
            elif job is not None:
                guarded(job)
        with self._lock:
            self._alive -= 1
            is_last = not self._alive
        if is_last:
            self._waker.close()

    def _next(self, loop_thread: _LoopThread) -> Callable[[], None] | None:
        with self._lock:
            if self._leader is None:
                self._leader = loop_thread
                return None
            if self._waiting:
                return self._take()
            if self._closed:
                return None
            self._resting.append(loop_thread)
        loop_thread.rest.acquire()
        return None

    def _lead(self, loop_thread: _LoopThread) -> None:
        wait = self._readiness.wait
        while not self._closed:
            for attendant in wait(None if self._pause is None else self._timeout()):
                loop_thread.turn += 1
                loop_thread.attending = True
                if not self._watched:
                    self._watched = True
                    self._active.set()
                guarded(attendant.attend)
                loop_thread.attending = False
                if self._leader is not loop_thread:
                    return
            if self._pause is not None:
                self._end_pause()

    def _pass_on(self) -> None:
        self._leader = self._resting.pop()
        self._leader.rest.release()

    def _timeout(self) -> float | None:
        pause = self._pause
        return None if pause is None else max(0.0, pause[0] - time.monotonic())

    def _end_pause(self) -> None:
        pause = self._pause
        if pause is not None and time.monotonic() >= pause[0]:
            self._pause = None
            guarded(pause[1])

    def _watch(self) -> None:
        """Replace a leader that handles one event for too long."""
        while not self._closed:
            self._active.wait()
            self._active.clear()
            quiet = 0
            while quiet < _QUIET_LOOKS:
                loop_thread = self._leader
                turn = loop_thread.turn if loop_thread is not None else 0
                time.sleep(_LONGEST_TURN_S)
                if loop_thread is None or loop_thread is not self._leader or loop_thread.turn != turn:
                    quiet = 0
                elif loop_thread.attending:
                    quiet = 0
                    self._depose(loop_thread, turn)
                else:
                    quiet += 1
            self._watched = False
            # The leader may have begun an event before it could see that ``_watched`` is False.
            if _is_attending(self._leader):
                self._watched = True
                self._active.set()

    def _depose(self, loop_thread: _LoopThread, turn: int) -> None:
        with self._lock:
            if self._leader is loop_thread and loop_thread.turn == turn and loop_thread.attending and self._resting:
                self._pass_on()


class Overloaded(Exception):
    """The queue of requests that wait for a thread is full."""


def _is_attending(loop_thread: _LoopThread | None) -> bool:
    return loop_thread is not None and loop_thread.attending


def guarded(act: Callable[[], None]) -> None:
    """Call ``act`` and log its exception, because the thread has other connections to serve."""
    try:
        act()
    except Exception:
        _log.exception("a connection failed")
