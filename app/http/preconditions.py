"""Conditional requests: RFC 9110 section 13."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.times import read_http_date

_ENTITY_TAG = re.compile(r'\s*(W/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)')

Outcome = Literal["proceed", "not modified", "failed"]


@dataclass(frozen=True, slots=True)
class EntityTags:
    """The value of If-Match or If-None-Match. ``anything`` stands for ``*``. Tags have their quotes, but no ``W/``."""

    anything: bool
    strong: tuple[str, ...]
    weak: tuple[str, ...]


def read_entity_tags(value: str) -> EntityTags:
    """Parse the header's value. A tag without quotes, as some clients send it, counts as strong. Other invalid parts
    are ignored."""
    if value.strip() == "*":
        return EntityTags(True, (), ())
    strong: list[str] = []
    weak: list[str] = []
    position = 0
    while position < len(value):
        found = _ENTITY_TAG.match(value, position)
        if found:
            (weak if found[1] else strong).append(found[2])
            position = found.end()
            continue
        end = value.find(",", position)
        member = value[position:end] if end >= 0 else value[position:]
        bare = member.strip()
        if bare and '"' not in bare:
            strong.append(f'"{bare}"')
        position += len(member) + 1
    return EntityTags(False, tuple(strong), tuple(weak))


def evaluate(headers: Mapping[str, str], *, etag: str, modified: int) -> Outcome:
    """Evaluate the preconditions of a GET or HEAD in the order of section 13.2.2.

    ``etag`` is the strong entity tag of the representation. ``modified`` is the time of its last change, in seconds
    since 1970.
    """
    match = headers.get("if-match")
    if match is not None:
        tags = read_entity_tags(match)
        if not tags.anything and etag not in tags.strong:
            return "failed"
    elif (unmodified := _date(headers, "if-unmodified-since")) is not None and modified > unmodified:
        return "failed"
    none_match = headers.get("if-none-match")
    if none_match is not None:
        tags = read_entity_tags(none_match)
        # Weak comparison: section 8.8.3.2.
        if tags.anything or etag in tags.strong or etag in tags.weak:
            return "not modified"
    elif (since := _date(headers, "if-modified-since")) is not None and modified <= since:
        return "not modified"
    return "proceed"


def range_applies(headers: Mapping[str, str], *, etag: str, modified: int) -> bool:
    """Whether the Range header applies: section 13.1.5, If-Range."""
    condition = headers.get("if-range")
    if condition is None:
        return True
    condition = condition.strip()
    if condition.startswith(('"', "W/")):
        return condition == etag
    date = read_http_date(condition)
    return date is not None and date == modified


def _date(headers: Mapping[str, str], name: str) -> int | None:
    value = headers.get(name)
    return None if value is None else read_http_date(value)
