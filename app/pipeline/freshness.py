"""Whether a statement failed because the database's schema is no longer the one it was planned for."""

from __future__ import annotations

from app.database import SchemaOutdated, StatementError
from app.errors import PorticoError
from schema_cache.freshness import SchemaCache

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


def has_changed(error: PorticoError, schema_cache: SchemaCache) -> bool:
    """Whether to plan again, because the schema is another one by now. The failed transaction left nothing behind."""
    if isinstance(error, SchemaOutdated):
        schema_cache.refresh_if_changed(thorough=False)
        return True
    if isinstance(error, StatementError) and error.diagnosis.sqlstate in MISSING_OBJECT:
        before = schema_cache.current()
        return schema_cache.refresh_if_changed() is not before
    return False
