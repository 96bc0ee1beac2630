"""A connection for tests, independent of the service's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4

import pg8000.native


class Session:
    """One connection to the database of a URL."""

    def __init__(self, url: str, user: str | None = None) -> None:
        parts = urlsplit(url)
        options = parse_qs(parts.query)
        host = options.get("host", [unquote(parts.hostname or "localhost")])[0]
        port = int(options.get("port", [parts.port or 5432])[0])
        self.url = url
        self.database = parts.path.removeprefix("/")
        place: dict[str, Any] = {"host": host, "port": port}
        if host.startswith("/"):
            place = {"unix_sock": f"{host}/.s.PGSQL.{port}"}
        name = user or unquote(parts.username or options.get("user", ["postgres"])[0])
        password = unquote(parts.password) if parts.password else options.get("password", [None])[0]
        self._connection = pg8000.native.Connection(
            name, password=password, database=self.database, ssl_context=False, **place
        )
        self._open = True

    def rows(self, sql: str, **parameters: object) -> list[list[Any]]:
        return self._connection.run(sql, **parameters) or []

    def value(self, sql: str, **parameters: object) -> Any:
        """The single value of the single row: also the ``run`` that the schema cache asks for."""
        return self.rows(sql, **parameters)[0][0]

    def execute(self, *statements: str) -> None:
        for sql in statements:
            self.rows(sql)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._connection.close()

    @contextmanager
    def roles(self, count: int) -> Iterator[list[str]]:
        """Roles belong to the server, so each test makes its own and drops them again."""
        names = [f"test_{uuid4().hex[:12]}" for _ in range(count)]
        self.execute(*(f"create role {name}" for name in names))
        try:
            yield names
        finally:
            listed = ", ".join(names)
            self.execute("rollback", f"drop owned by {listed} cascade", f"drop role {listed}")
