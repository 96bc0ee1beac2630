"""Access to PostgreSQL for the rest of the service: a connection pool, and requests in one round trip."""

from app.database.run.conflicts import CONFLICT_MARK, despite_conflicts
from app.database.run.context import Context, ContextBuilder
from app.database.run.database import BoundStatement, Database
from app.database.run.position import Bookmark, Position
from app.database.url.url import parse_database_url
from app.database.wire.failure import (
    REFUSED_BY_POLICY,
    RoleRefused,
    RowTooLarge,
    SchemaOutdated,
    StatementError,
    StatementTimeout,
)
from app.database.wire.messages import Row
from app.database.wire.statement import Statement
from app.database.wire.target import DatabaseUrlError, Target

__all__ = [
    "CONFLICT_MARK",
    "REFUSED_BY_POLICY",
    "Bookmark",
    "BoundStatement",
    "Context",
    "ContextBuilder",
    "Database",
    "DatabaseUrlError",
    "Position",
    "RoleRefused",
    "Row",
    "RowTooLarge",
    "SchemaOutdated",
    "Statement",
    "StatementError",
    "StatementTimeout",
    "Target",
    "despite_conflicts",
    "parse_database_url",
]
