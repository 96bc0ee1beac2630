"""Looks for changes of the schema in the background."""

from __future__ import annotations

import logging
from threading import Event, Thread

from schema_cache.freshness import SchemaCache

log = logging.getLogger(__name__)

_LONGEST_PAUSE = 5.0
_THOROUGH_EVERY = 30


class Poller:
    """A thread that keeps a ``SchemaCache`` fresh until closed. It keeps trying while the database is unreachable.

    Where the support objects count changes, it checks their counter and the roles, and the contents only now and then:
    for changes that fire no event trigger (REASSIGN OWNED), or that were made with triggers disabled.
    """

    def __init__(self, cache: SchemaCache, interval: float = 1.0) -> None:
        """``interval``: seconds between two checks."""
        self._cache = cache
        self._interval = interval
        self._closing = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Starts the thread. After a fork each process starts its own."""
        self._thread = Thread(target=self._poll, name="schema-poller", daemon=True)
        self._thread.start()

    def close(self, timeout: float = 1.0) -> None:
        """Ends the thread. A check under way may outlast ``timeout`` seconds, but is the last."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _poll(self) -> None:
        failures = 0
        looks = 0
        while not self._closing.wait(min(self._interval * 2 ** min(failures, 10), max(self._interval, _LONGEST_PAUSE))):
            looks += 1
            try:
                if failures:
                    # It may be another database that has the same oids and transaction ids in its catalogs.
                    self._cache.reload()
                    log.info("the schema can be read again")
                else:
                    self._cache.refresh_if_changed(thorough=looks % _THOROUGH_EVERY == 0)
                failures = 0
            except Exception as ex:
                # Once per outage, and the type only: messages of drivers may hold addresses and names.
                if not failures:
                    log.warning("the schema cannot be read (%s); trying on", type(ex).__name__)
                failures += 1
