"""Loads the demonstration data, once."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pg8000.native

from app.database.url.url import parse_database_url
from app.demo.rows import DemoRow, tables
from app.distribution import how_to_install
from app.faces.live import triggers
from app.query.sql.constructs import array_literal

_DIRECTORY = Path(__file__).parent
_REPORTED = ("continent", "country", "city", "member", "visit")


class DemoError(RuntimeError):
    """The demonstration data cannot be loaded; the message is for the operator."""


def load_demo(database_url: str, say: Callable[[str], object]) -> None:
    """Load the data in one transaction, unless the database has it, and connect its members with the users of sign-in.
    ``say`` is called with a message when the data is loaded. Raises DemoError."""
    with closing(connect(database_url)) as connection:
        connection.run("begin")
        # Another service that starts at the same time waits here, and then finds the data loaded.
        connection.run("select pg_advisory_xact_lock(hashtextextended('portico demo', 0))")
        if not connection.run("select from pg_namespace where nspname = 'portico_demo'"):
            began = time.monotonic()
            cities = _load(connection)
            say(f"Loaded the demonstration data, {cities:,} cities, in {time.monotonic() - began:.1f} s.")
        connection.execute_simple((_DIRECTORY / "users.sql").read_text(encoding="utf-8"))
        connection.run("commit")


def report_changes(database_url: str) -> None:
    """Let the tables report changes to live queries at once."""
    triggers.enable(database_url, _REPORTED)


def connect(database_url: str) -> pg8000.native.Connection:
    """A connection to the embedded PostgreSQL."""
    target = parse_database_url(database_url)
    return pg8000.native.Connection(
        target.user, unix_sock=target.socket_path, database=target.database, ssl_context=False
    )


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
