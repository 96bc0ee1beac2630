"""Whether a statement failed because the database's schema is no longer the one it was planned for."""

from __future__ import annotations

from app.database import SchemaOutdated, StatementError
from app.errors import PorticoError, RequestError, Unavailable
from schema_cache.freshness import SchemaCache
from schema_cache.model import Catalog

MISSING_OBJECT = frozenset(
    (
        "42P01",  # undefined_table
        "42703",  # undefined_column
        "42883",  # undefined_function, also an operator
        "42704",  # undefined_object, such as a type
        "3F000",  # invalid_schema_name
        "42P10",  # invalid_column_reference
    )
)


def has_changed(error: PorticoError, known: Catalog | None, schema_cache: SchemaCache) -> bool:
    """Whether to plan again, because the schema has changed since ``known``, which was current when the request began.
    The failed transaction has changed nothing."""
    if isinstance(error, SchemaOutdated):
        schema_cache.refresh_if_changed(thorough=False)
        return True
    if isinstance(error, StatementError):
        return error.diagnosis.sqlstate in MISSING_OBJECT and schema_cache.refresh_if_changed() is not known
    return isinstance(error, RequestError) and is_outdated(known, schema_cache)


def is_outdated(known: Catalog | None, schema_cache: SchemaCache) -> bool:
    """Whether the database counts changes and has a newer schema than ``known``. Checked before giving an answer that
    involved no statement, such as that a field does not exist."""
    if known is None or not known.counted:
        return False
    try:
        return schema_cache.refresh_if_changed(thorough=False) is not known
    except Unavailable:
        # A request that needs no database is answered without one.
        return False
