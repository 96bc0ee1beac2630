"""Detects that a request failed because the database's schema changed after it was planned."""

from __future__ import annotations

from dataclasses import replace

from app.database import REFUSED_BY_POLICY, SchemaOutdated, StatementError
from app.errors import PorticoError, RequestError, Unavailable
from app.pipeline.records import AuthorizedOperation, SQLPlan
from schema_cache.ahead import Ahead
from schema_cache.freshness import SchemaCache
from schema_cache.model import Catalog

_WRONG_SCHEMA = frozenset(
    (
        "0A000",  # feature_not_supported, such as a change of a column of a view that has become an expression
        "3F000",  # invalid_schema_name
        "42501",  # insufficient_privilege
        "42601",  # syntax_error, such as a row with too many columns
        "42702",  # ambiguous_column
        "42703",  # undefined_column
        "42704",  # undefined_object, such as a type
        "42725",  # ambiguous_function, also an operator
        "42804",  # datatype_mismatch
        "42809",  # wrong_object_type
        "42846",  # cannot_coerce
        "42883",  # undefined_function, also an operator
        "428C9",  # generated_always
        "42P01",  # undefined_table
        "42P10",  # invalid_column_reference
        "42P13",  # invalid_function_definition
        "42P18",  # indeterminate_datatype
        "55000",  # object_not_in_prerequisite_state, such as a view that cannot be changed
        "XX000",  # internal_error: an object was dropped while the statement was planned
    )
)
"""The SQLSTATEs of a statement that was planned for another schema. None of them is caused by values."""


def has_changed(error: PorticoError, known: Catalog | None, schema_cache: SchemaCache) -> bool:
    """Whether to plan again: the schema has changed since ``known``, the schema when the request began. That is safe,
    since the failed transaction has changed nothing."""
    if isinstance(error, SchemaOutdated):
        schema_cache.refresh_if_changed(thorough=False)
        return True
    if isinstance(error, StatementError):
        may_be_outdated = error.diagnosis.sqlstate in _WRONG_SCHEMA and error.routine != REFUSED_BY_POLICY
        return may_be_outdated and schema_cache.refresh_if_changed() is not known
    return isinstance(error, RequestError) and is_outdated(known, schema_cache)


def at_newer_version(operation: AuthorizedOperation, plan: SQLPlan, ahead: Ahead | None) -> AuthorizedOperation | None:
    """The operation for the newer version of the schema that ``ahead`` found; None if that change concerns it."""
    if ahead is None or ahead.catalog is not operation.catalog or ahead.change_count == operation.version:
        return None
    concerned = not plan.depends_on_reads_alone or not ahead.relations.isdisjoint(plan.reads)
    return None if concerned else replace(operation, version=ahead.change_count)


def is_outdated(known: Catalog | None, schema_cache: SchemaCache) -> bool:
    """Whether the database counts schema changes and has a newer schema than ``known``. Checked before a response that
    ran no statement, such as the error that a field does not exist."""
    # The first catalog may have been read by another thread, before a change that came before the request.
    known = known or schema_cache.known
    if known is None or not known.counted:
        return False
    try:
        return schema_cache.refresh_if_changed(thorough=False) is not known
    except Unavailable:
        # The request needs no database, so it is answered although the database cannot be reached.
        return False
