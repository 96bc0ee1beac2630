"""Checks that the database answers, on a separate connection, since those of the pool may all be in use."""

from __future__ import annotations

import dataclasses
import ssl
import threading
import time
from collections.abc import Callable

from app.database.wire.connect import connect
from app.database.wire.failure import ConnectionLost, StatementError
from app.database.wire.target import Target
from app.database.wire.wire import DatabaseConnection
from app.errors import PorticoError

_LONGEST_WAIT_S = 2.0
# While the database does not answer, callers get the previous result: otherwise each would wait for the timeout.
_REMEMBERED_S = 1.0

Explain = Callable[[StatementError, str | None], PorticoError]


class Probe:
    """Connects on first use; one check runs at a time."""

    def __init__(self, target: Target, tls: ssl.SSLContext | None, explain: Explain) -> None:
        self._explain = explain
        self._target = dataclasses.replace(target, connect_timeout_s=_LONGEST_WAIT_S)
        self._tls = tls
        self._lock = threading.Lock()
        self._connection: DatabaseConnection | None = None
        self._failure: PorticoError | None = None
        self._failed_at = 0.0

    def check(self) -> None:
        """Check that the database answers; raises PorticoError if it does not."""
        with self._lock:
            if self._failure is not None and time.monotonic() - self._failed_at < _REMEMBERED_S:
                raise self._failure
            try:
                self._check()
            except PorticoError as ex:
                self._failure, self._failed_at = ex, time.monotonic()
                raise
            self._failure = None

    def _check(self) -> None:
        connection = self._connection
        if connection is None or connection.is_dead():
            self.close()
            connection = self._connection = connect(self._target, self._tls, prepared_limit=0)
            connection.wait_at_most(_LONGEST_WAIT_S)
        try:
            connection.simple("SELECT 1")
        except ConnectionLost as ex:
            raise ex.explained() from ex
        except StatementError as ex:
            raise self._explain(ex, None) from None

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
