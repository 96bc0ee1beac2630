"""Compares a catalog that was made from changes with one that is read as a whole."""

from __future__ import annotations

from schema_cache.changes import with_changes
from schema_cache.loader import Run, fetch_changes
from schema_cache.model import Catalog
from tests.schema_cache.loading import load_catalog

PARTS = ("schemas", "types", "relations", "functions", "effects", "writes_run_code", "roles", "operators")


def read_on(run: Run, known: Catalog) -> tuple[Catalog, bool]:
    """The catalog after the changes since ``known``, and whether only these were read."""
    changed = with_changes(known, fetch_changes(run, known))
    return (load_catalog(run), False) if changed is None else (changed, True)


def differences(made: Catalog, whole: Catalog) -> list[str]:
    """The records that differ."""
    found = []
    for part in PARTS:
        one, other = getattr(made, part), getattr(whole, part)
        if one == other:
            continue
        if not isinstance(one, tuple):
            found.append(f"{part}: {one} instead of {other}")
            continue
        ours, theirs = ({each.oid: each for each in some} for some in (one, other))
        found += [
            f"{part}: {ours.get(oid)}\n  instead of {theirs.get(oid)}"
            for oid in sorted(ours.keys() | theirs.keys())
            if ours.get(oid) != theirs.get(oid)
        ]
        if not found:
            found.append(f"{part}: another order")
    return found
