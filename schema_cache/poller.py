"""Checks for changes of the schema in the background."""

from __future__ import annotations

import logging
from threading import Event, Thread

from schema_cache.freshness import SchemaCache

log = logging.getLogger(__name__)

_MAX_PAUSE_S = 5.0
_THOROUGH_EVERY = 30


class Poller:
    """A thread that keeps a ``SchemaCache`` fresh until it is closed. It retries while the database is unreachable.

    If the support objects count changes, it checks their counter and the roles. Only every 30th check includes the
    contents, for changes that fire no event trigger (REASSIGN OWNED) or that were made with triggers disabled.
    """

    def __init__(self, cache: SchemaCache, interval: float = 1.0) -> None:
        """``interval``: seconds between two checks."""
        self._cache = cache
        self._interval = interval
        self._closing = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread. After a fork each process must start its own."""
        self._thread = Thread(target=self._poll, name="schema-poller", daemon=True)
        self._thread.start()

    def close(self, timeout: float = 1.0) -> None:
        """End the thread. A running check may take longer than ``timeout`` seconds; it is the last one."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _poll(self) -> None:
        failures = 0
        checks = 0
        while not self._closing.wait(min(self._interval * 2 ** min(failures, 10), max(self._interval, _MAX_PAUSE_S))):
            checks += 1
            try:
                if failures:
                    # The database may now be another one with the same oids and transaction ids in its catalog.
                    self._cache.reload()
                    log.info("the schema can be read again")
                else:
                    self._cache.refresh_if_changed(thorough=checks % _THOROUGH_EVERY == 0)
                failures = 0
            except Exception as ex:
                # Once per outage, and only the type: messages of drivers may contain addresses and names.
                if not failures:
                    log.warning("the schema cannot be read (%s); trying again", type(ex).__name__)
                failures += 1
