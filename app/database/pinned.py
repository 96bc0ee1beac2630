"""The settings that all sessions of the service have, whatever the server, the database or a role sets.

Values travel as text, and a statement must mean the same everywhere. A setting of the start of a session precedes those
of database and role, and ``RESET ALL`` returns to it (PostgreSQL documentation, "Interaction with the Database and
Configuration"). Where a pooler does not pass it on, each flight sets it (``app.database.session``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.database.statement import Statement

PINNED: Mapping[str, str] = MappingProxyType(
    {
        # How values and constants are read and written: ours assume that nothing is lost.
        "standard_conforming_strings": "on",
        "extra_float_digits": "1",
        "array_nulls": "on",
        "xmloption": "content",
        "quote_all_identifiers": "off",
        # Which rows a statement finds
        "transform_null_equals": "off",
        "gin_fuzzy_search_limit": "0",
        "row_security": "on",
        # An error ends the request, not the session.
        "exit_on_error": "off",
    }
)

ACCEPTED: Mapping[str, str] = MappingProxyType(
    {"client_encoding": "UTF8", "DateStyle": "ISO", "standard_conforming_strings": "on"}
)
"""The settings that PgBouncer accepts at the start too, and sets on the connections that it shares."""

PIN = "SELECT " + ", ".join(f"pg_catalog.set_config('{name}', '{value}', true)" for name, value in PINNED.items())
"""Sets them until the end of the transaction."""

_NAMES = ", ".join(f"'{name}'" for name in sorted(PINNED))

COUNT_PINNED = Statement(
    f"SELECT pg_catalog.count(*) FROM pg_catalog.pg_settings WHERE name IN ({_NAMES}) AND source = 'client'",  # noqa: S608
    unnamed=True,
)
"""How many of them a session has from its start."""

ALL = b"%d" % len(PINNED)
"""What it counts where a session has all."""


def is_about_a_setting(message: str) -> bool:
    """Whether a server, or a pooler, refuses a connection with this message for a setting of the start: it names the
    setting, in every language."""
    return any(name in message for name in PINNED)
