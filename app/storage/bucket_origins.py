"""The CORS rules of buckets, kept in memory so that requests from pages take no further statement."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from app.database import Row, Statement, StatementError
from app.database.wire.sqlstates import UNDEFINED_COLUMN
from app.errors import PorticoError
from app.storage.row_decoding import known

log = logging.getLogger("portico.storage")

_KEPT_S = 5.0
_KEPT_WITHOUT_COLUMN_S = 60.0

_RULES = Statement("SELECT b.id, b.cors FROM storage.buckets b WHERE b.cors IS NOT NULL", "bucket_origins")


class BucketOrigins:
    """The rules of all buckets that have any, as JSON, read again at most every few seconds.

    One statement reads them all, so that requests for invented buckets cause no statements. ``run`` runs it with the
    rights of the service.
    """

    def __init__(self, run: Callable[[Statement], list[Row]]) -> None:
        self._run = run
        self._rules: Mapping[str, str] = {}
        self._read_until = 0.0
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Read the rules again at the next request, after this process changed some."""
        self._read_until = 0.0

    @property
    def has_any(self) -> bool:
        """Whether any bucket had rules when they were last read."""
        return bool(self._rules)

    def rules_of(self, bucket: str) -> str | None:
        """The bucket's rules; None if it has none. May read them from the database."""
        if time.monotonic() >= self._read_until:
            self._read()
        return self._rules.get(bucket)

    def last_known(self, bucket: str) -> str | None:
        """The same as they were last read, without a statement."""
        return self._rules.get(bucket)

    def _read(self) -> None:
        with self._lock:
            if time.monotonic() < self._read_until:
                return
            # Set before the statement, so that a change during it is read at the next request.
            self._read_until = time.monotonic() + _KEPT_S
            try:
                rows = self._run(_RULES)
            except StatementError as ex:
                if ex.state == UNDEFINED_COLUMN:
                    self._read_until = time.monotonic() + _KEPT_WITHOUT_COLUMN_S
                log.debug("the CORS rules of buckets cannot be read: %s", ex)
            except PorticoError as ex:
                # The last known rules stay in force.
                log.debug("the CORS rules of buckets cannot be read now: %s", ex)
            else:
                self._rules = {known(name).decode(): known(rules).decode() for name, rules in rows}
