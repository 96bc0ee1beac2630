"""Reads whether a database's schema is still that of a catalog, without reading the catalog again."""

from __future__ import annotations

import json
from dataclasses import dataclass

from schema_cache.catalog_query import state_query
from schema_cache.loader import Run, read_support, read_value
from schema_cache.model import Catalog


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Identifies the state of a schema. ``change_count`` is None if changes are not counted; ``contents_fingerprint``
    is None when it was not requested."""

    change_count: int | None
    shared_fingerprint: str
    contents_fingerprint: str | None

    def is_of(self, catalog: Catalog, contents: str | None = None) -> bool:
        """Whether the catalog has this state, in the parts that were requested. ``contents``: the fingerprint of its
        contents, if the catalog does not have that itself."""
        return self.counts_as(catalog) and self.contents_fingerprint in (None, contents or catalog.contents_fingerprint)

    def counts_as(self, catalog: Catalog) -> bool:
        """Whether the catalog has this state, apart from changes that nothing counts."""
        return (
            self.change_count == (catalog.change_count if catalog.counted else None)
            and self.shared_fingerprint == catalog.shared_fingerprint
        )


def read_schema_state(run: Run, *, counted: bool, distributed: bool = False, thorough: bool) -> SchemaState:
    """Read the current state. ``counted``, ``distributed``: whether the support objects, and Citus, existed at the last
    check.

    If changes are not counted, the check is always ``thorough``, because then only the contents show a change.
    """
    if not counted and not distributed:
        return _read(run, counted=False, distributed=False, thorough=True)
    try:
        state = _read(run, counted=counted, distributed=distributed, thorough=thorough or not counted)
    except Exception:
        # The counter, or Citus, may have been removed. If both still exist, or if the database does not answer, the
        # error has another cause.
        support = read_support(run)
        if support.counted >= counted and support.distributed >= distributed:
            raise
        return _read(run, counted=False, distributed=support.distributed, thorough=True)
    if state.change_count is None and not thorough:
        return _read(run, counted=counted, distributed=distributed, thorough=True)
    return state


def _read(run: Run, *, counted: bool, distributed: bool, thorough: bool) -> SchemaState:
    query = state_query(counted=counted, distributed=distributed, thorough=thorough)
    return SchemaState(*json.loads(read_value(run, query)))
