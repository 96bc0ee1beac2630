"""Access to PostgreSQL for the rest of the service: a connection pool, and requests in one round trip."""

from app.database.conflicts import CONFLICT_MARK, despite_conflicts
from app.database.context import Context, ContextBuilder
from app.database.database import BoundStatement, Database, DatabaseSettings
from app.database.failure import (
    REFUSED_BY_POLICY,
    RoleRefused,
    RowTooLarge,
    SchemaOutdated,
    StatementError,
    StatementTimeout,
)
from app.database.messages import Row
from app.database.pool import PoolState
from app.database.position import Bookmark, Position
from app.database.statement import Statement
from app.database.target import DatabaseUrlError, Target
from app.database.transaction import Transaction
from app.database.url import parse_database_url

__all__ = [
    "CONFLICT_MARK",
    "REFUSED_BY_POLICY",
    "Bookmark",
    "BoundStatement",
    "Context",
    "ContextBuilder",
    "Database",
    "DatabaseSettings",
    "DatabaseUrlError",
    "PoolState",
    "Position",
    "RoleRefused",
    "Row",
    "RowTooLarge",
    "SchemaOutdated",
    "Statement",
    "StatementError",
    "StatementTimeout",
    "Target",
    "Transaction",
    "despite_conflicts",
    "parse_database_url",
]
