"""The CORS rules of a bucket: the JSON that ``storage.buckets.cors`` has, and which rule a request meets.

The JSON is that of S3's clients, such as ``[{"AllowedOrigins": ["https://a.example"], "AllowedMethods": ["GET"]}]``.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.http.cross_origin import Headers

log = logging.getLogger("portico.storage")

METHODS = ("GET", "PUT", "HEAD", "POST", "DELETE")
"""The methods that a rule can allow."""

_LARGEST_AGE_S = 2**31 - 1
_VARY = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"


@dataclass(frozen=True, slots=True)
class OriginRule:
    """One rule. Origins and headers may contain one ``*``, for any text; headers are in lower case. ``max_age_s``: for
    how long a browser may remember the answer to a preflight."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    max_age_s: int | None = None

    def allows(self, origin: str, method: str, requested: Sequence[str] = ()) -> bool:
        """Whether a page of ``origin`` may send this request. ``requested``: names of headers, in lower case."""
        return (
            method in self.methods
            and any(_matches(each, origin) for each in self.origins)
            and all(any(_matches(each, name) for each in self.headers) for name in requested)
        )

    def response_headers(self, origin: str, requested: Sequence[str] = ()) -> Headers:
        """The headers of a response to a page of ``origin`` that the rule allows."""
        found = [
            ("access-control-allow-origin", "*" if "*" in self.origins else origin),
            ("access-control-allow-methods", ", ".join(self.methods)),
        ]
        if requested:
            found.append(("access-control-allow-headers", ", ".join(requested)))
        if self.exposed:
            found.append(("access-control-expose-headers", ", ".join(self.exposed)))
        if self.max_age_s is not None:
            found.append(("access-control-max-age", str(self.max_age_s)))
        return tuple(found)


VARY: Headers = (("vary", _VARY),)
"""The header of every response from a bucket with rules: caches must not give it to another page."""


def requested_headers(value: str | None) -> tuple[str, ...]:
    """The names in ``Access-Control-Request-Headers``, in lower case."""
    return tuple(name for each in (value or "").split(",") if (name := each.strip().lower()))


def first_rule(
    rules: Sequence[OriginRule], origin: str, method: str, requested: Sequence[str] = ()
) -> OriginRule | None:
    """The first rule that allows the request; None if none does."""
    return next((each for each in rules if each.allows(origin, method, requested)), None)


@lru_cache(1000)
def read_rules(text: str) -> tuple[OriginRule, ...]:
    """The rules in JSON. A rule that SQL wrote in another form allows nothing, and is logged."""
    found = []
    for each in json.loads(text) if text.startswith("[") else ():
        rule = _read_rule(each)
        if rule is None:
            log.warning("a CORS rule of a bucket has another form than AllowedOrigins, AllowedMethods, ...: %s", each)
        else:
            found.append(rule)
    return tuple(found)


def _read_rule(given: Any) -> OriginRule | None:
    if not isinstance(given, dict):
        return None
    lists = [given.get(name, []) for name in ("AllowedOrigins", "AllowedMethods", "AllowedHeaders", "ExposeHeaders")]
    if not all(isinstance(each, list) and all(_is_header_text(item) for item in each) for each in lists):
        return None
    origins, methods, headers, exposed = lists
    age = given.get("MaxAgeSeconds")
    if age is not None and not (isinstance(age, int) and 0 <= age <= _LARGEST_AGE_S):
        return None
    return OriginRule(tuple(origins), tuple(methods), tuple(each.lower() for each in headers), tuple(exposed), age)


def _is_header_text(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable()


@lru_cache(1000)
def _pattern(given: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, given.split("*"))), re.DOTALL)


def _matches(given: str, value: str) -> bool:
    return given == value or ("*" in given and _pattern(given).fullmatch(value) is not None)
