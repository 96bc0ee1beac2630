"""Checks the SQL/JSON paths of requests before PostgreSQL gets them.

The role's statement timeout ends a path that takes too long. The regular expressions in a path must pass
app.query.filter.regular_expressions, because PostgreSQL does not check the timeout while it compiles one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.errors import OverLimit
from app.query.filter.regular_expressions import refusal
from app.query.sql.texts import StringText

MAX_PATH_LENGTH = 1000
"""The longest path, in characters."""

_to_text = StringText("String")

_TOKEN = re.compile(
    r"""
    (?P<between>\s+|/\*.*?\*/)
    | "(?P<string>(?:[^"\\]|\\.)*)"
    | (?P<word>(?:\w|\\u\{[^}]*\}|\\.)+)
    | .
    """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(.))", re.DOTALL | re.IGNORECASE)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OPERATOR = "like_regex"


def json_path_text(value: Any) -> str | None:
    """The text of an SQL/JSON path. Raises RequestError for anything but a string, OverLimit for one that is too long
    or has a regular expression whose cost is not bounded."""
    text = _to_text(value)
    if text is None:
        return None
    if len(text) > MAX_PATH_LENGTH:
        raise OverLimit(f"An SQL/JSON path has at most {MAX_PATH_LENGTH} characters")
    for pattern in _regular_expressions(text):
        reason = refusal(pattern)
        if reason is not None:
            raise OverLimit(reason)
    return text


def number_of_regexes(value: Any) -> int:
    """The number of regular expressions in a path; 0 for a value that ``json_path_text`` refuses."""
    return (
        sum(1 for _ in _regular_expressions(value)) if isinstance(value, str) and len(value) <= MAX_PATH_LENGTH else 0
    )


def _regular_expressions(path: str) -> Iterator[str]:
    """The strings after the operator like_regex, which may be written with escapes too."""
    word = ""
    for token in _TOKEN.finditer(path):
        if token["between"] is not None:
            continue
        if token["string"] is not None and word.lower() == _OPERATOR:
            yield _unescaped(token["string"])
        word = _unescaped(token["word"] or "")


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    *codes, plain = escape.groups()
    code = next((each for each in codes if each), None)
    if code is None:
        return _CONTROLS.get(plain, plain)
    number = int(code, 16)
    return chr(number) if number <= 0x10FFFF else ""
