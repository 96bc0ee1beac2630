"""Loads the demonstration data, once."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pg8000.exceptions
import pg8000.native

from app.database.url.url import parse_database_url
from app.database.wire.tls import tls_context
from app.demo.rows import DemoRow, tables
from app.distribution import how_to_install
from app.query.sql.constructs import array_literal

_DIRECTORY = Path(__file__).parent
_IS_LOADED = "select from pg_namespace where nspname = 'portico_demo'"
_OF_OTHERS = """
select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
  and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
order by relname limit 1
"""


class DemoError(RuntimeError):
    """The demonstration data cannot be loaded; the message is for the operator."""


def load_demo(database_url: str, say: Callable[[str], object]) -> None:
    """Load the data in one transaction, unless the database has it, and connect its members with the users of sign-in.
    ``say`` is called with a message when the data is loaded. Raises DemoError."""
    with closing(connect(database_url)) as connection:
        connection.run("begin")
        # Another service that starts at the same time waits here, and then finds the data loaded.
        connection.run("select pg_advisory_xact_lock(hashtextextended('portico demo', 0))")
        if not connection.run(_IS_LOADED):
            began = time.monotonic()
            cities = _load(connection)
            say(f"Loaded the demonstration data, {cities:,} cities, in {time.monotonic() - began:.1f} s.")
        connection.execute_simple((_DIRECTORY / "users.sql").read_text(encoding="utf-8"))
        connection.run("commit")


def refuse_tables_of_others(database_url: str) -> None:
    """Raise DemoError if the schema public has relations but not the data: loading it changes all grants there."""
    with closing(connect(database_url)) as connection:
        if not connection.run(_IS_LOADED):
            for (name,) in connection.run(_OF_OTHERS) or ():
                raise DemoError(f"the database has other tables, such as {name}; the demonstration needs an empty one")


def connect(database_url: str) -> pg8000.native.Connection:
    """A connection to the first host of the URL. Raises DemoError if it cannot be made."""
    target = parse_database_url(database_url)
    # None: with TLS if the server offers it.
    tls = tls_context(target) or False if target.sslmode not in ("allow", "prefer") else None
    try:
        return pg8000.native.Connection(
            target.user,
            host=target.address or target.host,
            port=target.port,
            unix_sock=target.socket_path,
            password=target.password,
            database=target.database,
            ssl_context=False if target.socket_path else tls,
        )
    except (pg8000.exceptions.Error, OSError) as ex:
        raise DemoError(f"the database refused the connection: {ex}") from None


def _load(connection: pg8000.native.Connection) -> int:
    connection.execute_simple((_DIRECTORY / "schema.sql").read_text(encoding="utf-8"))
    count = 0
    try:
        for name, columns, rows in tables():
            count = _copy(connection, name, columns, rows)
    except ImportError:
        raise DemoError(f"the demonstration data is not installed. Install it with {how_to_install('demo')}") from None
    connection.execute_simple((_DIRECTORY / "after_load.sql").read_text(encoding="utf-8"))
    connection.run("analyze")
    return count


def _copy(connection: pg8000.native.Connection, table: str, columns: Iterable[str], rows: Iterable[DemoRow]) -> int:
    lines = ["\t".join(map(_field, row)) + "\n" for row in rows]
    data = io.BytesIO("".join(lines).encode())
    connection.run(f"copy {table} ({', '.join(columns)}) from stdin", stream=data)
    return len(lines)


def _field(value: Any) -> str:
    """A value in COPY's text format (PostgreSQL documentation, COPY, "Text Format")."""
    if value is None:
        return r"\N"
    text = array_literal(value) if isinstance(value, list) else str(value)
    return text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
