"""Variables of the environment whose names look like those of settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from app.settings.declaration import Setting

_ALIKE = 0.85


def misspelt(environ: Mapping[str, str], declared: Iterable[Setting[Any]]) -> list[str]:
    """A sentence for each variable that is not a setting but looks like one that is absent."""
    declared = tuple(declared)
    names = {each.env for each in declared}
    # The option of a setting may have another name than its variable.
    unset = (each for each in declared if each.text_in(environ) is None)
    absent = {name: each.env for each in unset for name in (each.name.upper(), each.env)}
    found = ((name, get_close_matches(name, absent, 1, _ALIKE)) for name in sorted(environ.keys() - names))
    return [f"{name} is not a setting, but {absent[close[0]]} is" for name, close in found if close]
