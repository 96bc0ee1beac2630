"""Listens for the notifications of triggers, which report the tables that have changed."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from contextlib import closing
from threading import Event, Thread

from app.database.wire.connect import connect
from app.database.wire.failure import ConnectionLost, StatementError
from app.database.wire.target import Target
from app.database.wire.tls import tls_context
from app.database.wire.wire import MAX_NOTIFICATIONS, DatabaseConnection
from app.errors import Unavailable
from app.faces.live.triggers import CHANNEL, TRIGGERED

log = logging.getLogger("portico.live")

_OID = re.compile("[0-9]{1,10}", re.ASCII)
_LOOK_S = 1.0
_PAUSE_S = 1.0
_SILENCE_S = 10.0
_UNHEARD_PAUSE_S = 60.0
_CHECK = "check"
_MOST_LOOKS = 5


class _Unheard(Exception):
    """Notifications are sent but do not arrive."""


class Changes:
    """A thread that listens on its own connection until it is closed.

    It calls ``changed`` with the oids of tables; with None after a time in which changes may have been missed.
    ``triggered``: the oids of the tables that have a trigger, at most a second old; empty while the thread does not
    listen.
    """

    def __init__(self, target: Target, changed: Callable[[frozenset[int] | None], None]) -> None:
        self.triggered: frozenset[int] = frozenset()
        self.is_listening = False
        self._target = target
        self._tls = tls_context(target)
        self._changed = changed
        self._closing = Event()
        self._thread = Thread(target=self._run, name="live-changes", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join(_LOOK_S + _SILENCE_S)

    def _run(self) -> None:
        is_lost = False
        while not self._closing.is_set():
            pause_s = _PAUSE_S
            try:
                connection = self._connect()
                try:
                    self._listen(connection)
                finally:
                    self.triggered, self.is_listening = frozenset(), False
                    connection.close()
            except (Unavailable, ConnectionLost, StatementError, _Unheard) as ex:
                if not is_lost:
                    log.warning("changes are not heard: %s. Queries are repeated instead.", ex.__cause__ or ex)
                is_lost = True
                if isinstance(ex, _Unheard):
                    pause_s = _UNHEARD_PAUSE_S
            else:
                is_lost = False
            self._closing.wait(pause_s)

    def _connect(self) -> DatabaseConnection:
        return connect(self._target, self._tls, prepared_limit=0)

    def _listen(self, connection: DatabaseConnection) -> None:
        connection.wait_at_most(_SILENCE_S)
        connection.listen(CHANNEL)
        self._check(connection)
        self._look(connection)
        self.is_listening = True
        self._changed(None)
        while not self._closing.is_set():
            notified = connection.notifications(_LOOK_S)
            self._look(connection)
            if notified:
                # Every role may send a notification, with any text.
                tables = frozenset(int(each) for each in notified if _OID.fullmatch(each))
                self._changed(tables if len(notified) < MAX_NOTIFICATIONS else None)

    def _check(self, connection: DatabaseConnection) -> None:
        """Raise _Unheard if notifications do not arrive, as through a pooler that shares its connections."""
        with closing(self._connect()) as other:
            other.simple(f"notify {CHANNEL}, '{_CHECK}'")
        # Other notifications may arrive before this one.
        for _ in range(_MOST_LOOKS):
            if _CHECK in connection.notifications(_LOOK_S):
                return
        raise _Unheard("notifications do not reach the service, as through a pooler that shares connections")

    def _look(self, connection: DatabaseConnection) -> None:
        ((row,),) = connection.simple(TRIGGERED)
        before, self.triggered = self.triggered, frozenset(json.loads(row[0] or b"[]"))
        # No notification reports changes from before a table had its trigger, or after it lost it.
        if differing := before ^ self.triggered:
            self._changed(differing)
