"""The settings that all sessions of the service have, regardless of those of the server, the database or a role.

Values are sent as text, and a statement must mean the same everywhere. A setting in the start-up message overrides
those of the database and the role, and ``RESET ALL`` returns to it (PostgreSQL documentation, "Interaction with the
Database and Configuration"). If a pooler does not pass it on, each flight sets it (``app.database.wire.session``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from app.database.identifiers import as_constant
from app.database.wire.statement import Statement

PINNED: Mapping[str, str] = MappingProxyType(
    {
        # The formats of values and constants. The service's SQL assumes that no information is lost.
        "standard_conforming_strings": "on",
        "extra_float_digits": "1",
        "array_nulls": "on",
        "xmloption": "content",
        "quote_all_identifiers": "off",
        # These affect which rows a statement finds.
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
"""The start-up settings that PgBouncer also accepts, and sets on the connections that it shares."""

_OWN_SCHEMA = re.compile(r'\s*(?:pg_catalog|"pg_catalog")\s*', re.IGNORECASE)
_PATH_ELEMENT = re.compile(r'(?:[^",]|"(?:[^"]|"")*")+')


def suitable_path(path: str) -> str:
    """A search path in which pg_catalog comes first, by its name or, if it is not named, implicitly. If it came later,
    users' types, functions and operators would replace PostgreSQL's, also in the service's statements."""
    elements = _PATH_ELEMENT.findall(path)
    if not elements or _OWN_SCHEMA.fullmatch(elements[0]):
        return path
    return ",".join(each for each in elements if not _OWN_SCHEMA.fullmatch(each))


def pins_of(state: bytes | None) -> str | None:
    """The statement that sets, for one transaction, the settings that are missing in a session in this
    ``SESSION_STATE``; None if none are missing."""
    count, _, path = (state or b"").decode().partition(" ")
    missing = {} if count == str(len(PINNED)) else dict(PINNED)
    if count and suitable_path(path) != path:
        missing["search_path"] = suitable_path(path)
    if not missing:
        return None
    calls = (f"pg_catalog.set_config('{name}', {as_constant(value)}, true)" for name, value in missing.items())
    return f"SELECT {', '.join(calls)}"


_NAMES = ", ".join(f"'{name}'" for name in sorted(PINNED))

_COUNT = f"SELECT pg_catalog.count(*) FROM pg_catalog.pg_settings WHERE name IN ({_NAMES}) AND source = 'client'"  # noqa: S608
SESSION_STATE = Statement(
    f"SELECT pg_catalog.concat(({_COUNT}), ' ', pg_catalog.current_setting('search_path'))", unnamed=True
)
"""Selects the number of pinned settings that the session has from its start-up message, and its search path."""


def is_about_a_setting(message: str) -> bool:
    """Whether this message of a server or pooler refuses a connection because of a start-up setting: such a message
    contains the setting's name, in every language."""
    return any(name in message for name in PINNED)
