"""The header X-Robots-Tag as uploads may set it: rules for search engines, each with or without a robot's name."""

from __future__ import annotations

import re

from app.storage.errors import StorageError

_PLAIN = frozenset(
    [
        "all",
        "none",
        "noindex",
        "nofollow",
        "noarchive",
        "nocache",
        "nosnippet",
        "noimageindex",
        "notranslate",
        "indexifembedded",
        "index",
        "follow",
        "nositelinkssearchbox",
    ]
)
_VALUES = {
    "max-snippet": re.compile(r"-?\d+", re.ASCII),
    "max-video-preview": re.compile(r"-?\d+", re.ASCII),
    "max-image-preview": re.compile(r"none|standard|large"),
    "unavailable_after": re.compile(r".+"),
}
_ROBOT = re.compile(r"[A-Za-z][A-Za-z0-9_.*-]*", re.ASCII)
_LONGEST = 1000


def check_robots_tag(value: str | None) -> str | None:
    """The value if it is well-formed, None when there is none. Raises invalid_x_robots_tag."""
    if value is None or not value.strip():
        return None
    if len(value) > _LONGEST:
        raise _invalid("the value is too long")
    # A date in unavailable_after may have commas of its own; what follows that rule is taken for the date.
    head, found, _ = value.partition("unavailable_after")
    rules = head.split(",") if found else value.split(",")
    for rule in rules:
        rule = rule.strip()
        if rule or not found:
            _check(rule)
    return value.strip()


def _check(rule: str) -> None:
    name, colon, argument = (part.strip() for part in rule.partition(":"))
    name_in_lower_case = name.lower()
    if not colon:
        if name_in_lower_case not in _PLAIN:
            raise _invalid(f"unknown rule {name[:50]!r}")
        return
    if name_in_lower_case in _VALUES:
        if not _VALUES[name_in_lower_case].fullmatch(argument):
            raise _invalid(f"the value of {name_in_lower_case} is not valid")
        return
    if name_in_lower_case in _PLAIN or not _ROBOT.fullmatch(name):
        raise _invalid(f"unknown rule {name[:50]!r}")
    if argument:
        _check(argument)


def _invalid(why: str) -> StorageError:
    return StorageError("invalid_x_robots_tag", 400, f"Invalid X-Robots-Tag header: {why}")
