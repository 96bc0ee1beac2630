"""Findings of ``portico doctor`` about the number of connections that the service opens and that PostgreSQL allows."""

from __future__ import annotations

import json
from collections.abc import Iterator

from app.commands.finding import Finding
from app.database import Database
from app.settings import Settings

_ALLOWED = """
select pg_catalog.json_build_object(
  'user', current_user, 'port', inet_server_port(),
  'allowed', least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (select nullif(datconnlimit, -1) from pg_catalog.pg_database where datname = current_database()),
    (select nullif(rolconnlimit, -1) from pg_catalog.pg_roles where rolname = current_user and not rolsuper))
)::text
"""


def connections(settings: Settings, database: Database) -> Iterator[Finding]:
    """Compare both numbers. Raises Unavailable if the database is not available."""
    about = json.loads(database.read(_ALLOWED) or b"{}")
    target = database.target
    # A different port means a pooler or a proxy, which has its own limits.
    if target.socket_path is not None or about["port"] == target.port:
        yield from _compared(settings, about["user"], about["allowed"])


def _compared(settings: Settings, user: str, allowed: int) -> Iterator[Finding]:
    # Each worker has one more for GET /health, and another to watch replicas.
    extra = 2 if settings.database_read_urls else 1
    pools = 2 if settings.service_database_url else 1
    wanted = settings.workers * (pools * settings.pool_size + extra)
    if wanted <= allowed:
        return
    suitable = (allowed // settings.workers - extra) // pools
    yield Finding(
        "note",
        f"the service opens up to {wanted} connections, but PostgreSQL allows {user} only {allowed}: requests wait",
        f"allow {wanted}, or set {_smaller(settings.workers, suitable)}",
    )


def _smaller(workers: int, suitable: int) -> str:
    return f"POOL_SIZE={suitable} with {workers} workers" if suitable > 0 else "fewer workers (WEB_CONCURRENCY)"
