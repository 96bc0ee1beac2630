"""Finds environment variables whose names look like misspelt names of settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from app.settings.declaration import Setting

_SIMILARITY = 0.85


def misspelt(environ: Mapping[str, str], declared: Iterable[Setting[Any]]) -> list[str]:
    """A sentence for each variable that is not a setting, but whose name is similar to that of a setting that is not
    set."""
    declared = tuple(declared)
    names = {each.env for each in declared}
    # A setting's option and variable may have different names.
    unset = (each for each in declared if each.text_in(environ) is None)
    absent = {name: each.env for each in unset for name in (each.name.upper(), each.env)}
    found = ((name, get_close_matches(name, absent, 1, _SIMILARITY)) for name in sorted(environ.keys() - names))
    return [f"{name} is not a setting, but {absent[close[0]]} is" for name, close in found if close]
