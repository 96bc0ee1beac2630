"""Which request is which operation.

Each method has routes of its own, and the route with the most plain segments wins: beside
``POST /object/list/{bucket}`` there is still ``GET /object/list/foo.txt``, an object in a bucket called "list". So no
bucket name is reserved. Paths are split before they are decoded: an encoded slash never ends a bucket's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from app.storage.http.answer import Answer
from app.storage.rest import buckets, direct_uploads, downloads, listing, listing_v2, objects, signed_urls, uploads
from app.storage.rest.call import Call
from app.storage.rest.credentials import Credential
from app.storage.rest.errors import RestError
from app.storage.rest.operation_text import OperationText
from app.storage.storage import Storage

Operation = Callable[[Storage, Call], Answer]

_BUCKET, _KEY = "{bucket}", "*"
_PATTERNS = {_BUCKET: "([^/]+)", _KEY: "(.*)"}
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Route:
    """A route. ``path`` consists of plain segments, ``{bucket}``, and ``*`` for the rest, which is the key. ``text``
    describes it, unless ``DESCRIBED`` does."""

    method: str
    path: str
    run: Operation
    name: str
    credential: Credential = "required"
    text: OperationText | None = None

    def operation(self, method: str) -> str:
        """The name that ``storage.operation()`` returns in policies."""
        if method == "HEAD" and self.name.startswith("storage.object.get_authenticated"):
            return "object.head_authenticated_info"
        return self.name

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.path.split("/")[1:])


def _purge_cdn(_storage: Storage, call: Call) -> Answer:
    """DELETE /cdn, /cdn/{bucket}, /cdn/{bucket}/{key}: there is no CDN to purge.

    Caches between the service and its clients follow ``cache-control`` and ``etag``.
    """
    call.asker.check_service_role()
    raise RestError("MissingParameter", 400, "No CDN is configured")


ROUTES: tuple[Route, ...] = (
    Route("POST", "/bucket", buckets.create_bucket, "storage.bucket.create"),
    Route("GET", "/bucket", buckets.list_buckets, "storage.bucket.list"),
    Route("POST", "/bucket/{bucket}/empty", buckets.empty_bucket, "storage.bucket.empty"),
    Route("GET", "/bucket/{bucket}", buckets.get_bucket, "storage.bucket.get"),
    Route("PUT", "/bucket/{bucket}", buckets.update_bucket, "storage.bucket.update"),
    Route("DELETE", "/bucket/{bucket}", buckets.delete_bucket, "storage.bucket.delete"),
    Route(
        "GET", "/object/info/authenticated/{bucket}/*", downloads.info_authenticated, "object.get_authenticated_info"
    ),
    Route("GET", "/object/info/public/{bucket}/*", downloads.info_public, "storage.object.info_public", "ignored"),
    Route("GET", "/object/info/{bucket}/*", downloads.info_object, "object.get_authenticated_info", "optional"),
    Route("GET", "/object/authenticated/{bucket}/*", downloads.get_authenticated, "storage.object.get_authenticated"),
    Route("GET", "/object/public/{bucket}/*", downloads.get_public, "storage.object.get_public", "ignored"),
    Route("GET", "/object/sign/{bucket}/*", signed_urls.get_signed, "storage.object.get_signed", "ignored"),
    Route("GET", "/object/{bucket}/*", downloads.get_object, "storage.object.get_authenticated", "optional"),
    Route("PUT", "/object/upload/sign/{bucket}/*", signed_urls.put_signed, "storage.object.upload_signed", "ignored"),
    Route("POST", "/upload/direct/{bucket}/*", direct_uploads.begin_direct, "storage.object.upload_signed", "ignored"),
    Route(
        "POST", "/upload/complete/{bucket}/*", direct_uploads.complete_direct, "storage.object.upload_signed", "ignored"
    ),
    Route("PUT", "/object/{bucket}/*", uploads.put_object, "storage.object.upload_update"),
    Route("POST", "/object/upload/sign/{bucket}/*", signed_urls.sign_upload, signed_urls.SIGN_UPLOAD),
    Route("POST", "/object/sign/{bucket}/*", signed_urls.sign_object, "storage.object.sign"),
    Route("POST", "/object/sign/{bucket}", signed_urls.sign_objects, "storage.object.sign_many"),
    Route("POST", "/object/list-v2/{bucket}", listing_v2.list_objects_v2, "storage.object.list_v2", "judged"),
    Route("POST", "/object/list/{bucket}", listing.list_objects, "storage.object.list"),
    Route("POST", "/object/move", objects.move_object, "storage.object.move"),
    Route("POST", "/object/copy", objects.copy_object, "storage.object.copy"),
    Route("POST", "/object/{bucket}/*", uploads.create_object, "storage.object.upload"),
    Route("DELETE", "/object/{bucket}/*", objects.delete_object, "storage.object.delete"),
    Route("DELETE", "/object/{bucket}", objects.delete_objects, "storage.object.delete_many"),
    Route("DELETE", "/cdn", _purge_cdn, "storage.cdn.purge"),
    Route("DELETE", "/cdn/{bucket}", _purge_cdn, "storage.cdn.purge"),
    Route("DELETE", "/cdn/{bucket}/*", _purge_cdn, "storage.cdn.purge"),
)


def takes_object(route: Route) -> bool:
    """Whether the request's body is an object to store rather than JSON."""
    return route.run in (uploads.create_object, uploads.put_object, signed_urls.put_signed)


class Match(NamedTuple):
    """The route of a request. ``bucket`` and ``key`` are decoded, '' if the route has none."""

    route: Route
    bucket: str
    key: str


class Router:
    """Finds the route of a request: of those that fit, the one with the most plain segments.

    A face may take over a route: of those with the same method and path, the last one counts.
    """

    def __init__(self, routes: Sequence[Route] = ROUTES) -> None:
        last = {(route.method, route.path): route for route in routes}
        by_method: dict[str, list[Route]] = {}
        for route in sorted(last.values(), key=_plain_segments, reverse=True):
            by_method.setdefault(route.method, []).append(route)
        self._by_method = {method: _Alternatives(some) for method, some in by_method.items()}
        if "GET" in self._by_method:
            self._by_method["HEAD"] = self._by_method["GET"]

    def match(self, method: str, path: str) -> Match | None:
        """The match for a path, still encoded and without the API's prefix; None without a route. Raises BadUrl."""
        if "%" in path and _BROKEN_ESCAPE.search(path):
            raise BadUrl(path)
        alternatives = self._by_method.get(method)
        return None if alternatives is None else alternatives.match("/bucket" if path == "/bucket/" else path)


class _Alternatives:
    """Routes of one method as one regular expression, in which the first that fits counts. A group is around each, and
    in it are groups for bucket and key."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._paths = re.compile("|".join(f"({_pattern(route)})" for route in routes), re.DOTALL)
        # By the number of the group around each: the route, and the numbers of the groups in it, 0 for none.
        self._found: dict[int, tuple[Route, int, int]] = {}
        group = 1
        for route in routes:
            has_bucket, has_key = _BUCKET in route.segments, _KEY in route.segments
            self._found[group] = route, has_bucket and group + 1, has_key and group + has_bucket + 1
            group += 1 + has_bucket + has_key

    def match(self, path: str) -> Match | None:
        found = self._paths.fullmatch(path)
        # The group that ends last is the one around a route.
        if found is None or found.lastindex is None:
            return None
        route, bucket, key = self._found[found.lastindex]
        return Match(route, _decode(found[bucket], path) if bucket else "", _decode(found[key], path) if key else "")


class BadUrl(RestError):
    """A path has a percent sign without two hexadecimal digits after it, or is not UTF-8."""

    def __init__(self, path: str) -> None:
        super().__init__("FST_ERR_BAD_URL", 400, f"'{path}' is not a valid url component", tag="Bad Request")

    def body(self) -> bytes:
        """The body of the answer, whose members differ from those of other errors."""
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
