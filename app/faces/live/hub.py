"""The viewers of live queries. Each query runs once for all its viewers, when something that it reads has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future
from contextlib import asynccontextmanager, suppress

from app.faces.live.changes import Changes
from app.faces.live.places import LivePlace, Places, who_calls
from app.faces.live.queries import LiveAnswer, LiveQuery, Queries

_SHORTEST_S = 1.0
"""The shortest pause between runs of a query, in seconds."""
_REST = 5
"""A query pauses for at least this multiple of its own duration, so that a few slow queries do not occupy all
threads."""
_LONGEST_S = 60.0
"""The longest time between runs of a query, in seconds, since policies may read tables that it does not name, and a
session may disable a trigger."""


class Viewer:
    """One viewer of a query. If it has not taken an answer when the next one comes, it gets only the newer one."""

    def __init__(self) -> None:
        self._latest: bytes | None = None
        self._news = asyncio.Event()
        self.has_answer = False
        self.is_over = False

    def send(self, body: bytes) -> None:
        self._latest, self.has_answer = body, True
        self._news.set()

    def end(self) -> None:
        self.is_over = True
        self._news.set()

    async def next(self, seconds: float) -> bytes | None:
        """The next answer; None if there is none within ``seconds``, and after the last one."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return None
        self._news.clear()
        body, self._latest = self._latest, None
        return body


class Watch:
    """A query, its last answer, and its viewers."""

    def __init__(self, query: LiveQuery) -> None:
        self.query = query
        self.viewers: set[Viewer] = set()
        self.reads: frozenset[int] | None = None
        self.last: bytes | None = None
        self.changed = asyncio.Event()
        self.is_running = False
        self.was_answered = False
        self.task: asyncio.Task[None] | None = None
        self.run: Future[LiveAnswer] | None = None

    @property
    def is_in_database(self) -> bool:
        """Whether a thread is running the query. The run cannot be cancelled."""
        return self.run is not None and self.run.running()

    def concerns(self, tables: frozenset[int] | None) -> bool:
        return tables is None or self.reads is None or not self.reads.isdisjoint(tables)


class Hub:
    """All watched queries. It is used only in the thread of the event loop. ``poll_s``: the interval between runs of
    queries that read something without a trigger. ``places``: the places of viewers. ``ran`` is called after each
    run."""

    def __init__(
        self, queries: Queries, executor: Executor, *, poll_s: float, places: Places, ran: Callable[[LiveAnswer], None]
    ) -> None:
        self._queries = queries
        self._places = places
        self._ran = ran
        self._executor = executor
        self._poll_s = poll_s
        self._watches: dict[tuple[str, ...], Watch] = {}
        self._changes: Changes | None = None
        self.is_closed = False

    def hear(self, changes: Changes) -> None:
        self._changes = changes

    @property
    def viewers(self) -> int:
        """The number of places that are taken."""
        return self._places.taken

    @property
    def queries(self) -> int:
        """The number of different queries that are watched."""
        return len(self._watches)

    @property
    def hears(self) -> bool:
        """Whether changes are reported now."""
        return self._changes is not None and self._changes.is_listening

    def take_place(self, query: LiveQuery, address: str) -> LivePlace:
        """A place for a viewer of the query. Raises Unavailable if there is none."""
        return self._places.take(who_calls(query.caller, address))

    def changed(self, tables: frozenset[int] | None) -> None:
        """Run the queries again that read one of these tables; all queries for None."""
        for watch in self._watches.values():
            if watch.concerns(tables):
                watch.changed.set()

    @asynccontextmanager
    async def watching(self, query: LiveQuery) -> AsyncIterator[Viewer]:
        """A viewer of the query. It gets the current answer first."""
        viewer = Viewer()
        if self.is_closed:
            viewer.end()
        watch = self._watches.get(query.key)
        if watch is None:
            watch = self._watches[query.key] = Watch(query)
            watch.task = asyncio.create_task(self._run(watch))
        elif watch.last is not None and not watch.is_running and not watch.changed.is_set():
            viewer.send(watch.last)
        watch.viewers.add(viewer)
        try:
            yield viewer
        finally:
            watch.viewers.discard(viewer)
            # A watch whose query is running stays: a client that reconnects, as after its own timeout, waits for this
            # run instead of starting another one.
            if not watch.viewers and not watch.is_in_database:
                self._end(watch)

    async def answer(self, query: LiveQuery) -> LiveAnswer:
        """Run the query once; returns its answer."""
        return await self._answered(self._start(query))

    def close(self) -> None:
        """End all streams. Their clients may connect again, to another process."""
        self.is_closed = True
        for watch in list(self._watches.values()):
            self._end(watch)

    def _end(self, watch: Watch) -> None:
        if self._watches.get(watch.query.key) is watch:
            del self._watches[watch.query.key]
        for viewer in watch.viewers:
            viewer.end()
        if watch.task is not None:
            watch.task.cancel()

    def _start(self, query: LiveQuery) -> Future[LiveAnswer]:
        return self._executor.submit(self._queries.answer, query)

    async def _answered(self, run: Future[LiveAnswer]) -> LiveAnswer:
        answer = await asyncio.wrap_future(run)
        self._ran(answer)
        return answer

    async def _run(self, watch: Watch) -> None:
        while True:
            watch.changed.clear()
            watch.is_running = True
            watch.run = self._start(watch.query)
            answer = await self._answered(watch.run)
            watch.is_running = False
            if not watch.viewers:
                self._end(watch)
                return
            is_new, watch.last = answer.body != watch.last, answer.body
            for viewer in watch.viewers:
                if is_new or not viewer.has_answer:
                    viewer.send(answer.body)
            # A query that had an answer once may have one again, when a table or a right is back.
            watch.was_answered = watch.was_answered or not answer.is_final
            watch.reads = answer.reads
            if not watch.was_answered:
                self._end(watch)
            rest_s = max(_SHORTEST_S, _REST * answer.took_s)
            await asyncio.sleep(rest_s)
            await self._change_or_time(watch, rest_s)

    async def _change_or_time(self, watch: Watch, rested_s: float) -> None:
        """Wait until the watch must run again."""
        while not watch.changed.is_set() and (left_s := self._interval_s(watch) - rested_s) > 0:
            # The wait is done in steps: meanwhile changes may no longer be reported, which shortens the interval.
            step_s = min(left_s, self._poll_s)
            await _event_or_time(watch.changed, step_s)
            rested_s += step_s

    def _interval_s(self, watch: Watch) -> float:
        triggered = self._changes.triggered if self._changes else frozenset()
        return _LONGEST_S if watch.reads is not None and watch.reads <= triggered else self._poll_s


async def _event_or_time(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
