"""A ``run`` for a schema cache."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from pg8000.exceptions import InterfaceError

from tests.schema_cache.session import Session


class Asker:
    """Runs queries on one connection, which it reopens when it breaks, and counts them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._session: Session | None = None
        self._lock = Lock()
        self.loads = 0
        self.looks = 0
        self.before_load: Callable[[], object] = lambda: None

    def __call__(self, sql: str) -> str:
        if "'relations'" in sql:
            self.loads += 1
            self.before_load()
        else:
            self.looks += 1
        with self._lock:
            try:
                if self._session is None:
                    self._session = Session(self.url)
                return self._session.value(sql)
            except Exception:
                self.close()
                raise

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            # A connection that broke cannot be closed in order.
            with suppress(InterfaceError, OSError):
                session.close()
