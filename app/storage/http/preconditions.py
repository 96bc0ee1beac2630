"""Conditional requests: RFC 9110 section 13."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.storage.times import read_http_date

_ENTITY_TAG = re.compile(r'\s*(W/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)')

Verdict = Literal["proceed", "not modified", "failed"]


@dataclass(frozen=True, slots=True)
class EntityTags:
    """The value of If-Match or If-None-Match. ``anything`` is ``*``. ``strong`` and ``weak`` are the opaque tags."""

    anything: bool
    strong: tuple[str, ...]
    weak: tuple[str, ...]


def read_entity_tags(value: str) -> EntityTags:
    """Members that are no entity tags match nothing; some clients send the tag without its quotes."""
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
        member, _, _ = value[position:].partition(",")
        bare = member.strip()
        if bare and '"' not in bare:
            strong.append(f'"{bare}"')
        position += len(member) + 1
    return EntityTags(False, tuple(strong), tuple(weak))


def judge(headers: Mapping[str, str], *, etag: str, modified: int) -> Verdict:
    """What to do with a GET or HEAD of a representation with this (strong) tag, last modified in this second.

    The order is that of section 13.2.2.
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
        # The weak comparison of section 8.8.3.2.
        if tags.anything or etag in tags.strong or etag in tags.weak:
            return "not modified"
    elif (since := _date(headers, "if-modified-since")) is not None and modified <= since:
        return "not modified"
    return "proceed"


def range_applies(headers: Mapping[str, str], *, etag: str, modified: int) -> bool:
    """Whether a Range header is to be looked at: section 13.1.5, If-Range."""
    condition = headers.get("if-range")
    if condition is None:
        return True
    condition = condition.strip()
    if condition.startswith(('"', "W/")):
        return condition == etag
    date = read_http_date(condition)
    return date is not None and date == modified


def write_conditions(headers: Mapping[str, str]) -> tuple[tuple[str, ...] | None, bool]:
    """If-Match as tags (``()`` is any version), and whether If-None-Match demands that there is no object yet."""
    none_match = headers.get("if-none-match")
    must_be_new = none_match is not None and read_entity_tags(none_match).anything
    match = headers.get("if-match")
    if match is None:
        return None, must_be_new
    tags = read_entity_tags(match)
    return (() if tags.anything else tags.strong or ("",)), must_be_new


def _date(headers: Mapping[str, str], name: str) -> int | None:
    value = headers.get(name)
    return None if value is None else read_http_date(value)
