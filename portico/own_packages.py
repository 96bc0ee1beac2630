"""Checks that ``app``, ``plugins`` and ``schema_cache`` are Portico's packages: others may have the same names."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

OWN = ("app", "plugins", "schema_cache")


def check() -> None:
    """Raise ImportError, with instructions, if another package hides one of Portico's."""
    home = Path(__file__).resolve().parents[1]
    for name in OWN:
        spec = find_spec(name)
        found = [Path(each).resolve() for each in spec.submodule_search_locations or ()] if spec is not None else []
        if home / name not in found:
            where = found[0] if found else (spec.origin if spec is not None else None) or "nothing"
            raise ImportError(
                f"Portico's package {name!r} is hidden by {where}: "
                "start Portico from another directory, or install it into its own environment"
            )
