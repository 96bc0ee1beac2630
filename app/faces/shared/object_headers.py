"""Headers of an upload that are sent again with its object: content-encoding, content-disposition, x-robots-tag.

They are stored in the object's metadata, so a copy or a move keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.faces.shared.errors import InvalidRequest, InvalidRobotsTag

ROBOTS, ENCODING, DISPOSITION = "xRobotsTag", "contentEncoding", "contentDisposition"
LANGUAGE, EXPIRES = "contentLanguage", "expires"

_RULES = frozenset({
    "all", "none", "noindex", "nofollow", "noarchive", "nocache", "nosnippet", "noimageindex", "notranslate",
    "indexifembedded", "index", "follow", "nositelinkssearchbox",
})  # fmt: skip
_RULES_WITH_VALUE = {
    "max-snippet": re.compile(r"-?\d+", re.ASCII),
    "max-video-preview": re.compile(r"-?\d+", re.ASCII),
    "max-image-preview": re.compile(r"none|standard|large"),
    "unavailable_after": re.compile(r".+"),
}
# A date may contain commas, so everything after that rule counts as its date.
_EACH_RULE = re.compile(r"(?:unavailable_after.*|[^,])+", re.IGNORECASE)
_ROBOT = re.compile(r"[A-Za-z][A-Za-z0-9_.*-]*", re.ASCII)
_LONGEST_ROBOTS_TAG = 1000
# RFC 9110 section 8.4
_CODINGS = re.compile(r"[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*", re.ASCII)


def headers_to_store(headers: Mapping[str, str]) -> dict[str, str]:
    """The metadata for those of these headers that are in the request. Raises InvalidRequest or InvalidRobotsTag."""
    found = {
        ROBOTS: _robots_tag(headers.get("x-robots-tag")),
        ENCODING: encoding_to_store(headers.get("content-encoding") or "", "headers/content-encoding"),
        DISPOSITION: header_text(headers.get("content-disposition") or ""),
    }
    return {name: value for name, value in found.items() if value}


def stored_header(metadata: Mapping[str, Any], name: str) -> str | None:
    """The header's value in an object's metadata; None without one. ``name`` is ROBOTS, ENCODING or DISPOSITION."""
    value = metadata.get(name)
    return value if isinstance(value, str) and value else None


def encoding_to_store(value: str, where: str) -> str:
    """The content codings; '' for none. Raises InvalidRequest, whose message begins with ``where``."""
    value = value.strip()
    # RFC 9110 section 8.4 reserves "identity" for Accept-Encoding: a response must not have it.
    if not value or value.lower() == "identity":
        return ""
    if not _CODINGS.fullmatch(value):
        raise InvalidRequest(f"{where} must be a list of content codings")
    return value


def header_text(value: str) -> str:
    """The text of a request's header. WSGI decodes headers as Latin-1, but clients send text beyond ASCII as UTF-8.
    Tabs become spaces: requests may contain them, but response headers may not."""
    value = value.replace("\t", " ").strip()
    try:
        return value.encode("latin-1").decode()
    except ValueError:
        return value


def _robots_tag(value: str | None) -> str | None:
    """The value of x-robots-tag: rules for search engines, each with or without a robot's name. None if it is absent.

    Raises InvalidRobotsTag.
    """
    if value is None or not value.strip():
        return None
    if len(value) > _LONGEST_ROBOTS_TAG:
        raise _invalid("the value is too long")
    # Elements of a list may be empty: RFC 9110 section 5.6.1.
    rules = [rule for each in _EACH_RULE.findall(value) if (rule := each.strip())]
    if not rules:
        raise _invalid("it has no rule")
    for rule in rules:
        _check_rule(rule)
    return value.strip()


def _check_rule(rule: str) -> None:
    name, colon, argument = (part.strip() for part in rule.partition(":"))
    name_in_lower_case = name.lower()
    if not colon:
        if name_in_lower_case not in _RULES:
            raise _invalid(f"unknown rule {name[:50]!r}")
        return
    if name_in_lower_case in _RULES_WITH_VALUE:
        if not _RULES_WITH_VALUE[name_in_lower_case].fullmatch(argument):
            raise _invalid(f"the value of {name_in_lower_case} is not valid")
        return
    if name_in_lower_case in _RULES or not _ROBOT.fullmatch(name):
        raise _invalid(f"unknown rule {name[:50]!r}")
    _check_rule(argument)


def _invalid(why: str) -> InvalidRobotsTag:
    return InvalidRobotsTag(f"Invalid X-Robots-Tag header: {why}")
