"""The bounded pool of connections: waiting with an end, dead connections replaced, outages told once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy.exc
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from app.database.wire import Connection
from app.errors import Unavailable

_log = logging.getLogger("portico.database")

# A connection's plan and catalog caches on the server only grow; and after a failover behind a name, all move in time.
_RENEW_AFTER_S = 3600


@dataclass(frozen=True, slots=True)
class PoolState:
    size: int
    in_use: int
    open: int


class Pool:
    """Connections by SQLAlchemy's QueuePool, the last returned first.

    ``acquire`` takes one and ``release`` gives it back; between them it belongs to the thread that took it.
    """

    def __init__(self, connect: Callable[[], Connection], *, size: int, timeout_s: float) -> None:
        self._connect = connect
        self._size = size
        self._timeout_s = timeout_s
        self._down = False
        self._queue = QueuePool(
            self._open,
            pool_size=size,
            max_overflow=0,
            timeout=timeout_s,
            recycle=_RENEW_AFTER_S,
            use_lifo=True,
            # The wire leaves no transaction open; whatever did not end well is invalidated.
            reset_on_return=None,
        )

    def acquire(self) -> Lease:
        """A connection that was alive a moment ago. Raises Unavailable: POOL_TIMEOUT or DATABASE_UNAVAILABLE."""
        while True:
            try:
                proxy = self._queue.connect()
            except sqlalchemy.exc.TimeoutError:
                raise Unavailable(
                    f"No database connection became free in {self._timeout_s:g} s.",
                    code="POOL_TIMEOUT",
                    hint="Try again; if it happens often, allow more connections or shorter statements.",
                ) from None
            connection = proxy.dbapi_connection
            assert isinstance(connection, Connection)
            if not connection.is_dead():
                return Lease(connection, proxy)
            # The restarted server closed it; the next round opens a new one or takes the next.
            connection.usable = False
            proxy.invalidate()

    def _open(self) -> Connection:
        try:
            connection = self._connect()
        except Unavailable as error:
            if not self._down:
                self._down = True
                _log.warning("cannot connect to the database: %s", error.__cause__ or error)
            raise
        if self._down:
            self._down = False
            _log.warning("the database can be reached again")
        return connection

    def state(self) -> PoolState:
        return PoolState(
            size=self._size, in_use=self._queue.checkedout(), open=self._queue.checkedin() + self._queue.checkedout()
        )

    def close(self) -> None:
        """Close the idle connections; one that is in use is closed when it comes back."""
        self._queue.dispose()


class Lease:
    """A connection taken from the pool."""

    __slots__ = ("_proxy", "connection")

    def __init__(self, connection: Connection, proxy: PoolProxiedConnection) -> None:
        self.connection = connection
        self._proxy = proxy

    def release(self) -> None:
        if self.connection.usable:
            self._proxy.close()
        else:
            self._proxy.invalidate()
