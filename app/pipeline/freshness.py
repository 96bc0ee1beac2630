"""Detects that a request failed because the database's schema changed after it was planned."""

from __future__ import annotations

from collections.abc import Sequence

from app.database import REFUSED_BY_POLICY, Row, SchemaOutdated, Statement, StatementError, StatementTimeout
from app.database.run.database import BoundStatement
from app.database.wire.failure import SCHEMA_OUTDATED
from app.errors import Diagnosis, PorticoError, RequestError, Unavailable
from app.graphql.schema.role_schemas import LARGE
from app.pipeline.records import AuthorizedOperation, SQLPlan
from schema_cache.ahead import CHANGED_OBJECTS
from schema_cache.freshness import SchemaCache
from schema_cache.model import Catalog

_CHANGES = Statement(CHANGED_OBJECTS, "changes")

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


def may_list_changes(operation: AuthorizedOperation, plan: SQLPlan) -> bool:
    """Whether a flight of the plan may begin although the schema has changed, and find out whether that concerns it.
    The schema of a small database is read again in less time than this would save."""
    is_query = plan.depends_on_reads_alone and not (plan.has_effects or plan.is_volatile)
    return is_query and bool(operation.catalog.snapshot) and len(operation.api.rows_by_oid) >= LARGE


def list_of_changes(catalog: Catalog) -> BoundStatement:
    """The call that lists the changes since the catalog, for ``check_changes``."""
    return _CHANGES, (catalog.snapshot.encode(),)


def check_changes(
    rows: Sequence[Row], operation: AuthorizedOperation, plan: SQLPlan, schema_cache: SchemaCache
) -> None:
    """Raise SchemaOutdated if the changes that the flight has listed may concern its plan."""
    listed = rows[0][0]
    changed = None if listed is None else schema_cache.changed_relations(operation.catalog, listed)
    if changed is None or not changed.isdisjoint(plan.reads):
        raise _outdated()


def without_list(error: StatementError) -> StatementError:
    """The error of a flight that began with the list of changes, as one of a flight without it. The changes may have
    caused it, regardless of its SQLSTATE: then it is SchemaOutdated."""
    if error.statement_index == 0:
        return error
    if isinstance(error, StatementTimeout):
        error.statement_index -= 1
        return error
    return _outdated()


def _outdated() -> SchemaOutdated:
    return SchemaOutdated(Diagnosis(SCHEMA_OUTDATED, "the schema of the database has changed"), 0)


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
