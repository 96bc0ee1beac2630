"""What a request leaves on a connection beyond its transaction, and how the next one is rid of it.

Nothing of ours does, but a function of the database may: ``SET`` and ``set_config(..., false)``, SET ROLE, temporary
tables, advisory locks of the session. Whoever gets the connection next must not see any of it.
"""

from __future__ import annotations

from app.database.statement import Statement
from app.database.wire import Step

_STATEMENTS = (
    # Also ends a SET ROLE, so that what follows is done with the service's own rights.
    "SET SESSION AUTHORIZATION DEFAULT",
    "RESET ALL",
    "DISCARD TEMP",
    "SELECT pg_catalog.pg_advisory_unlock_all()",
)

CLEAN_SESSION: tuple[Step, ...] = tuple((Statement(sql, "clean_session"), (), "") for sql in _STATEMENTS)
"""What each transaction begins with; 12 us in all (PostgreSQL 18). DISCARD ALL would do more, but not in a transaction,
and would take the prepared statements along."""
