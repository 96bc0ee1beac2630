"""Reads a database's catalog."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import NamedTuple

from schema_cache.catalog_query import SUPPORT_QUERY, catalog_query
from schema_cache.changes_query import changes_query
from schema_cache.model import Catalog

_ATTEMPTS = 4

log = logging.getLogger(__name__)

Run = Callable[[str], str | bytes | None]
"""Executes one SQL text without parameters, and returns the single value of the single row.

It runs as the login role, not as a caller's role, and not within another transaction. The text sets its own search
path, so it has several statements, separated by BETWEEN_STATEMENTS; the value is that of the last one.
"""


class Support(NamedTuple):
    """Objects that not every database has. ``counted``: it counts its schema changes, with a function that is
    trustworthy and that the login may call. ``distributed``: it has Citus. ``listed``: it lists the changed objects, in
    a table that is as trustworthy."""

    counted: bool
    distributed: bool
    listed: bool = False


def fetch_catalog(run: Run, *, with_queries: bool = False) -> str | bytes:
    """Read the catalog of the database, as the text that ``decode`` takes. ``with_queries``: also read the queries of
    views, from which their keys are inferred. Errors of ``run`` are passed on."""
    for _ in range(_ATTEMPTS - 1):
        # Outside the try, so that an unreachable database is queried only once.
        query = _query(run, with_queries)
        try:
            return read_value(run, query)
        except Exception as ex:
            # A function was dropped while PostgreSQL printed a default that calls it ("cache lookup failed"), or the
            # counter was removed after the first statement.
            log.debug("the catalog could not be read (%s), trying again", type(ex).__name__)
    return read_value(run, _query(run, with_queries))


def fetch_changes(run: Run, known: Catalog) -> str | bytes:
    """Read what has changed since ``known`` was read, as the text that ``with_changes`` takes. Errors of ``run`` are
    passed on."""
    return read_value(run, changes_query(known.snapshot, known.change_count))


def _query(run: Run, with_queries: bool) -> str:
    support = read_support(run)
    return catalog_query(**support._asdict(), with_queries=with_queries)


def read_support(run: Run) -> Support:
    """Read which of these objects the database has now."""
    return Support(*json.loads(read_value(run, SUPPORT_QUERY)))


def read_value(run: Run, sql: str) -> str | bytes:
    """The value of a statement that always returns one."""
    value = run(sql)
    if value is None:
        raise ValueError("the database returned no value for its catalog")
    return value
