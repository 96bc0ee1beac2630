"""The settings that all sessions of the service have, whatever the server, the database or a role sets.

Values travel as text, and a statement must mean the same everywhere. A setting of the start of a session precedes those
of database and role, and ``RESET ALL`` returns to it (PostgreSQL documentation, "Interaction with the Database and
Configuration"). Where a pooler does not pass it on, each flight sets it (``app.database.wire.session``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from app.database.wire.statement import Statement

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

_OWN_SCHEMA = re.compile(r'\s*(?:pg_catalog|"pg_catalog")\s*', re.IGNORECASE)
_PATH_ELEMENT = re.compile(r'(?:[^",]|"(?:[^"]|"")*")+')


def suitable_path(path: str) -> str:
    """A search path that begins with PostgreSQL's own schema, as one does that does not name it: where it came later,
    types, functions and operators of users would take the place of PostgreSQL's, in our statements too."""
    elements = _PATH_ELEMENT.findall(path)
    if not elements or _OWN_SCHEMA.fullmatch(elements[0]):
        return path
    return ",".join(each for each in elements if not _OWN_SCHEMA.fullmatch(each))


def pins_of(state: bytes | None) -> str | None:
    """The statement that sets until the end of the transaction what a session in this ``SESSION_STATE`` lacks; None if
    it lacks nothing."""
    count, _, path = (state or b"").decode().partition(" ")
    lacking = {} if count == str(len(PINNED)) else dict(PINNED)
    if count and suitable_path(path) != path:
        lacking["search_path"] = suitable_path(path)
    if not lacking:
        return None
    calls = (f"pg_catalog.set_config('{name}', {_quoted(value)}, true)" for name, value in lacking.items())
    return f"SELECT {', '.join(calls)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_NAMES = ", ".join(f"'{name}'" for name in sorted(PINNED))

_COUNT = f"SELECT pg_catalog.count(*) FROM pg_catalog.pg_settings WHERE name IN ({_NAMES}) AND source = 'client'"  # noqa: S608
SESSION_STATE = Statement(
    f"SELECT pg_catalog.concat(({_COUNT}), ' ', pg_catalog.current_setting('search_path'))", unnamed=True
)
"""How many of the pinned settings a session has from its start, and its search path."""


def is_about_a_setting(message: str) -> bool:
    """Whether a server, or a pooler, refuses a connection with this message for a setting of the start: it names the
    setting, in every language."""
    return any(name in message for name in PINNED)
