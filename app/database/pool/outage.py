"""Logs that the database cannot be reached: once at the beginning of an outage, and once at its end."""

from __future__ import annotations

import logging

from app.database.pool.advice import advice_on
from app.database.wire.connect import is_at_limit
from app.database.wire.log_throttle import LogThrottle
from app.database.wire.sqlstates import TOO_MANY_CONNECTIONS
from app.errors import Unavailable

log = logging.getLogger("portico.database")


class Outage:
    """Receives the result of each attempt to connect, from any thread. A limit on connections is not an outage, since
    one may become free at any time: it is logged as ``throttle`` allows."""

    def __init__(self, throttle: LogThrottle) -> None:
        self._is_down = False
        self._throttle = throttle

    def failed(self, ex: Unavailable) -> None:
        if is_at_limit(ex.__cause__):
            if not self._throttle.allows(TOO_MANY_CONNECTIONS):
                return
        elif self._is_down:
            return
        else:
            self._is_down = True
        sentences = filter(None, (str(ex.__cause__ or ex), advice_on(ex.__cause__)))
        log.warning("cannot connect to the database: %s", ". ".join(sentences))

    def connected(self) -> None:
        if self._is_down:
            self._is_down = False
            log.warning("the database can be reached again")
