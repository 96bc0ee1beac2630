"""What the log says of a database that cannot be reached: an outage once, and its end."""

from __future__ import annotations

import logging
import time

from app.database.advice import advice_on
from app.database.connect import is_at_limit
from app.errors import Unavailable

log = logging.getLogger("portico.database")

_TELLS_LIMIT_EACH_S = 60.0


class Outage:
    """Told of each attempt to connect, by any thread. A limit of connections is no outage, since one may become free at
    any time: it is logged now and then."""

    def __init__(self) -> None:
        self._is_down = False
        self._quiet_until = 0.0

    def failed(self, ex: Unavailable) -> None:
        if is_at_limit(ex.__cause__):
            if time.monotonic() < self._quiet_until:
                return
            self._quiet_until = time.monotonic() + _TELLS_LIMIT_EACH_S
        elif self._is_down:
            return
        else:
            self._is_down = True
        told = filter(None, (str(ex.__cause__ or ex), advice_on(ex.__cause__)))
        log.warning("cannot connect to the database: %s", ". ".join(told))

    def connected(self) -> None:
        if self._is_down:
            self._is_down = False
            log.warning("the database can be reached again")
