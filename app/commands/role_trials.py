"""Findings of ``portico doctor`` about each role of the API: whether it may use the objects that its requests use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.commands.finding import Finding, listed
from app.database import Database
from app.database.identifiers import quoted
from app.database.wire.failure import StatementError
from app.database.wire.sqlstates import INSUFFICIENT_PRIVILEGE
from app.identity import OWN_ROLES, SERVICE_ROLE
from app.installation.state import InstallationState
from schema_cache.fingerprint import BETWEEN_STATEMENTS

_OF_ALL = (
    "select graphql.assert_schema_version(0)",
    "select graphql.schema_version()",
    "select graphql.set_local('{}', '{}')",
)
_OF_OWN_ROLES = (
    "select auth.jwt()",
    "select auth.uid()",
    "select auth.role()",
    "select auth.email()",
    "select storage.foldername('')",
    "select storage.filename('')",
    "select storage.extension('')",
    "select storage.operation()",
    "select storage.allow_any_operation('{}')",
    "select storage.allow_only_operation('')",
    "select storage.get_size_by_bucket()",
    "select storage.can_insert_object('', '', null, null)",
)
_OF_SERVICE_ROLE = tuple(
    statement.format(table, column)
    for table, column in (
        ("buckets", "id"), ("objects", "id"), ("work", "kind"), ("uploads", "id"), ("upload_parts", "upload_id"),
        ("access_keys", "id"),
    )
    for statement in (
        "select {1} from storage.{0}",
        "insert into storage.{0} ({1}) values (null)",
        "update storage.{0} set {1} = null",
        "delete from storage.{0}",
    )
)  # fmt: skip


def role_trials(database: Database, state: InstallationState, roles: Sequence[str]) -> Iterator[Finding]:
    """Explain the statements as each of ``roles``, which the login may become. Raises Unavailable if the database is
    not available."""
    if state.version is None:
        return
    for role in roles:
        statements = _OF_ALL + _OF_SERVICE_ROLE * (role == SERVICE_ROLE) + _OF_OWN_ROLES * (role in OWN_ROLES)
        refusals = list(dict.fromkeys(_refusals(database, role, statements)))
        if refusals:
            yield Finding(
                "WRONG",
                f"{role} may not use what its requests use: {listed(refusals)}",
                "as the owner of Portico's objects: run portico init, which grants it",
            )
        else:
            yield Finding("ok", f"{role} may use what its requests use")


def _refusals(database: Database, role: str, statements: Sequence[str]) -> Iterator[str]:
    """PostgreSQL's messages about missing rights. Other findings report missing objects."""
    remaining = list(statements)
    while remaining:
        try:
            # EXPLAIN checks the rights on everything that a statement uses, and executes nothing.
            explained = [f"explain {each}" for each in remaining]
            statements_of_role = BETWEEN_STATEMENTS.join([f"set local role {quoted(role)}", *explained])
            database.read(statements_of_role, as_service=role == SERVICE_ROLE)
            return
        except StatementError as ex:
            if ex.diagnosis.sqlstate == INSUFFICIENT_PRIVILEGE:
                yield ex.diagnosis.message
            # The first statement sets the role.
            del remaining[max(0, ex.statement_index - 2)]
