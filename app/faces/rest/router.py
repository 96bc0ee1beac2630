"""Finds the route of a request.

Each method has its own routes, and the route with the most plain segments wins: besides ``POST /object/list/{bucket}``
there is ``GET /object/list/foo.txt``, for an object in a bucket called "list". So no bucket name is reserved. Paths are
split before they are decoded: an encoded slash never ends a bucket's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from app.faces.rest.credentials import Credential
from app.faces.rest.errors import RestError
from app.faces.rest.operation_text import OperationText
from app.faces.rest.request import RestRequest
from app.http.response import Response
from app.storage.storage import Storage

Operation = Callable[[Storage, RestRequest], Response]

_BUCKET, _KEY = "{bucket}", "*"
_PATTERNS = {_BUCKET: "([^/]+)", _KEY: "(.*)"}
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Route:
    """A route. ``path`` consists of plain segments, ``{bucket}``, and ``*`` for the rest, which is the key. ``text``
    describes it, unless ``OPERATION_TEXTS`` in ``operation_texts.py`` does. ``takes_object``: the request's body is an
    object to store, not JSON."""

    method: str
    path: str
    run: Operation
    name: str
    credential: Credential = "required"
    text: OperationText | None = None
    takes_object: bool = False

    def operation(self, method: str) -> str:
        """The name that ``storage.operation()`` returns in policies."""
        if method == "HEAD" and self.name.startswith("storage.object.get_authenticated"):
            return "object.head_authenticated_info"
        return self.name

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.path.split("/")[1:])


class Match(NamedTuple):
    """The route of a request. ``bucket`` and ``key`` are decoded, '' if the route has none."""

    route: Route
    bucket: str
    key: str


class Router:
    """Finds the route of a request: the matching one with the most plain segments.

    Another face may replace a route: of routes with the same method and path, the last one counts.
    """

    def __init__(self, routes: Sequence[Route]) -> None:
        last = {(route.method, route.path): route for route in routes}
        by_method: dict[str, list[Route]] = {}
        for route in sorted(last.values(), key=_plain_segments, reverse=True):
            by_method.setdefault(route.method, []).append(route)
        self._by_method = {method: _Alternatives(some) for method, some in by_method.items()}
        if "GET" in self._by_method:
            self._by_method["HEAD"] = self._by_method["GET"]

    def match(self, method: str, path: str) -> Match | None:
        """The match for a path, which is still encoded and has no prefix; None without a route. Raises BadUrl."""
        if "%" in path and _BROKEN_ESCAPE.search(path):
            raise BadUrl(path)
        alternatives = self._by_method.get(method)
        return None if alternatives is None else alternatives.match("/bucket" if path == "/bucket/" else path)


class _Alternatives:
    """The routes of one method as one regular expression; the first that matches counts. Each route is a group that
    contains groups for bucket and key."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._paths = re.compile("|".join(f"({_pattern(route)})" for route in routes), re.DOTALL)
        # By the number of a route's group: the route, and the numbers of its groups for bucket and key, 0 for none.
        self._found: dict[int, tuple[Route, int, int]] = {}
        group = 1
        for route in routes:
            has_bucket, has_key = _BUCKET in route.segments, _KEY in route.segments
            self._found[group] = route, has_bucket and group + 1, has_key and group + has_bucket + 1
            group += 1 + has_bucket + has_key

    def match(self, path: str) -> Match | None:
        found = self._paths.fullmatch(path)
        # The last group to end is the one that contains the route.
        if found is None or found.lastindex is None:
            return None
        route, bucket, key = self._found[found.lastindex]
        return Match(route, _decode(found[bucket], path) if bucket else "", _decode(found[key], path) if key else "")


class BadUrl(RestError):
    """A path has a percent sign without two hexadecimal digits after it, or is not UTF-8."""

    def __init__(self, path: str) -> None:
        super().__init__("FST_ERR_BAD_URL", 400, f"'{path}' is not a valid url component", tag="Bad Request")

    def body(self) -> bytes:
        """The body of the response, whose members differ from those of other errors."""
        body = {"error": self.tag, "code": self.code, "message": self.message, "statusCode": self.logical}
        return json.dumps(body).encode()


def _plain_segments(route: Route) -> tuple[int, int]:
    plain = sum(segment not in _PATTERNS for segment in route.segments)
    return plain, len(route.segments)


def _pattern(route: Route) -> str:
    return "".join("/" + _PATTERNS.get(segment, re.escape(segment)) for segment in route.segments)


def _decode(part: str, path: str) -> str:
    if "%" not in part and part.isascii():
        return part
    try:
        # WSGI decodes raw bytes beyond ASCII as Latin-1.
        return unquote_to_bytes(part.encode("latin-1")).decode()
    except ValueError:
        raise BadUrl(path) from None
