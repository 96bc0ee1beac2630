"""Defaults of function arguments as introspection shows them: those that are plain constants."""

from __future__ import annotations

import re
from typing import Any

from schema_cache.model import Argument

INTEGERS = frozenset(("smallint", "integer"))
FLOATS = frozenset(("real", "double precision"))
TEXT_CONSTANT = re.compile(r"'((?:[^']|'')*)'::text")
QUOTED_NUMBER = re.compile(r"'?(-?[0-9.]+(?:[eE][+-]?[0-9]+)?)'?(?:::.+)?|\((-[0-9.]+)\)(?:::.+)?")


def default_value(argument: Argument) -> Any:
    """The JSON value of an argument's default; None where it is NULL or anything but a constant of a simple type."""
    text = (argument.default or "").strip()
    if argument.type_text == "boolean" and text in ("true", "false"):
        return text == "true"
    if argument.type_text in INTEGERS | FLOATS:
        match = QUOTED_NUMBER.fullmatch(text)
        return _number(match[1] or match[2], argument.type_text) if match else None
    match = TEXT_CONSTANT.fullmatch(text)
    return match[1].replace("''", "'") if match and argument.type_text == "text" else None


def _number(text: str, type_text: str) -> int | float | None:
    try:
        return int(text) if type_text in INTEGERS else float(text)
    except ValueError:
        return None
