"""Reads a database's catalog."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import NamedTuple

from schema_cache.catalog_query import SUPPORT_QUERY, catalog_query

_ATTEMPTS = 4

log = logging.getLogger(__name__)

Run = Callable[[str], str | bytes | None]
"""Executes one SQL text without parameters, by the simple query protocol, and gives the single value of the single row.

It runs as the login role, not as a caller's, outside any transaction. The text sets a search path for itself, so it
holds several statements; the value is the one of the last.
"""


class Support(NamedTuple):
    """What not every database has. ``counted``: it counts its schema changes, with a function that we can trust and may
    call. ``distributed``: it has Citus."""

    counted: bool
    distributed: bool


def fetch_catalog(run: Run, *, with_queries: bool = False) -> str | bytes:
    """Everything that the database holds at this moment, as the text that ``decode`` reads. From the queries of views,
    if they are read, the keys of views follow. Errors of ``run`` pass through."""
    for _ in range(_ATTEMPTS - 1):
        # Outside the try: an unreachable database is asked only once.
        query = _query(run, with_queries)
        try:
            return ask(run, query)
        except Exception as ex:
            # A function was dropped while PostgreSQL printed a default that calls it ("cache lookup failed"), or the
            # counter was removed between the two statements.
            log.debug("the catalog could not be read (%s), trying again", type(ex).__name__)
    return ask(run, _query(run, with_queries))


def _query(run: Run, with_queries: bool) -> str:
    support = read_support(run)
    return catalog_query(counted=support.counted, distributed=support.distributed, with_queries=with_queries)


def read_support(run: Run) -> Support:
    """What of it the database has now."""
    return Support(*json.loads(ask(run, SUPPORT_QUERY)))


def has_support_objects(run: Run) -> bool:
    """Whether the database counts its schema changes now."""
    return read_support(run).counted


def ask(run: Run, sql: str) -> str | bytes:
    """The value of a statement that always returns one."""
    answer = run(sql)
    if answer is None:
        raise ValueError("the database gave no answer about its catalog")
    return answer
