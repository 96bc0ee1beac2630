"""The finding about tables that anon may write to without row level security, for both modes of ``portico doctor``."""

from __future__ import annotations

from collections.abc import Sequence

from app.commands.finding import Finding, Mark, listed

UNPROTECTED = """(
  select pg_catalog.json_agg(c.relname order by c.relname) from pg_catalog.pg_class c
  where c.relnamespace = n.oid and c.relkind in ('r', 'p') and not c.relrowsecurity
    and has_table_privilege(r.oid, c.oid, 'insert, update, delete'))"""
"""An SQL expression for the names of these tables, null for none. ``n`` is the schema and ``r`` the role in the query
around it."""


def unprotected(mark: Mark, schema: str, tables: Sequence[str]) -> Finding:
    """The finding about these tables."""
    return Finding(
        mark,
        f"anon may write to tables in schema {schema} without row level security: {listed(tables)}",
        "alter table <table> enable row level security, or revoke insert, update, delete on <table> from anon",
    )
