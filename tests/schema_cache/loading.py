"""The catalog of a test's database."""

from __future__ import annotations

from schema_cache.decode import decode
from schema_cache.loader import Run, fetch_catalog
from schema_cache.model import Catalog


def load_catalog(run: Run) -> Catalog:
    """Everything that the database holds at this moment."""
    return decode(fetch_catalog(run))
