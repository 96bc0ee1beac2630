"""Downloads: the routes to an object, the headers of the response, and the bytes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from app.faces.rest.projections import INFO, INFO_WITH_TAGS
from app.faces.rest.request import RestRequest
from app.faces.rest.versions import VERSION_ID, refuse_version
from app.faces.shared.object_headers import DISPOSITION, ENCODING, ROBOTS, stored_header
from app.faces.shared.ranges import WHOLE, applicable_range, part_of
from app.http.preconditions import evaluate
from app.http.response import Headers, Response
from app.storage import versions
from app.storage.bytes.backend import BlobMissing, Labels
from app.storage.content_types import is_content_type
from app.storage.errors import PreconditionFailed
from app.storage.reading import Reading, find, find_with_bytes, link_to, modified, open_bytes, size_of
from app.storage.records import StoredObject
from app.storage.storage import Storage
from app.times import http_date

_HTML = re.compile("text/html", re.IGNORECASE)
# Browsers refuse to show PDF in a sandbox, and their own viewer gives it no access to the origin.
_PDF = "application/pdf"
# Some clients send every file of a form with this type, also images. Browsers detect images in it, but never HTML.
_UNDECLARED = "text/plain"
# Characters that need no quotes or escapes in filename or in filename*.
_TOKEN = re.compile(r"[A-Za-z0-9._~!-]+")
# Characters that clients might read as an escape, as a path or as the end of the name, and all outside ASCII.
_NOT_QUOTED = re.compile(r'[^ -~]|["\\/]|%(?=[0-9A-Fa-f]{2})')


def get_authenticated(storage: Storage, request: RestRequest) -> Response:
    """GET /object/authenticated/{bucket}/{key}"""
    if request.query.get(VERSION_ID):
        return _serve_version(storage, request)
    return serve(storage, request, Reading())


def get_object(storage: Storage, request: RestRequest) -> Response:
    """GET /object/{bucket}/{key}: like /object/authenticated; without a valid token, only from public buckets."""
    if request.query.get(VERSION_ID) and request.identified:
        return _serve_version(storage, request)
    return serve(storage, request, Reading(public_only=not request.identified))


def get_public(storage: Storage, request: RestRequest) -> Response:
    """GET /object/public/{bucket}/{key}"""
    return serve(storage, request, Reading(as_service=True, public_only=True))


def info_authenticated(storage: Storage, request: RestRequest) -> Response:
    """GET /object/info/authenticated/{bucket}/{key}"""
    return info(storage, request, Reading())


def info_object(storage: Storage, request: RestRequest) -> Response:
    """GET /object/info/{bucket}/{key}"""
    return info(storage, request, Reading(public_only=not request.identified))


def info_public(storage: Storage, request: RestRequest) -> Response:
    """GET /object/info/public/{bucket}/{key}"""
    return info(storage, request, Reading(as_service=True, public_only=True))


def serve(storage: Storage, request: RestRequest, reading: Reading, *, expires: int | None = None) -> Response:
    """The object's bytes; for HEAD only the headers, without opening the bytes.

    ``expires``: when the signed URL expires, in seconds since 1970.
    """
    refuse_version(request.query.get(VERSION_ID))
    return find_with_bytes(
        storage, request.context, request.name, reading, lambda found, _: _respond(storage, request, found, expires)
    )


def _serve_version(storage: Storage, request: RestRequest) -> Response:
    """The same for the version that the request names, with the caller's rights on versions."""
    return versions.find_with_bytes(
        storage,
        request.context,
        request.name,
        request.query[VERSION_ID],
        lambda found, _: _respond(storage, request, found, None),
    )


def info(storage: Storage, request: RestRequest, reading: Reading) -> Response:
    """An object's metadata as JSON; for HEAD the same headers with the object's length."""
    projection = INFO_WITH_TAGS if storage.features.has_tags else INFO
    version_id = request.query.get(VERSION_ID)
    if version_id and not reading.public_only:
        found, description = versions.find(storage, request.context, request.name, version_id, projection)
    else:
        refuse_version(version_id)
        found, description = find(storage, request.context, request.name, reading, projection)
    headers: Headers = (
        *((("etag", found.entity_tag),) if found.entity_tag else ()),
        ("last-modified", http_date(modified(found))),
        ("cache-control", found.caching),
    )
    if request.method == "HEAD":
        return Response(headers=headers, length=found.size or 0, content_type=found.mime_type)
    return Response(headers=headers, body=description or b"")


def _respond(storage: Storage, request: RestRequest, found: StoredObject, expires: int | None) -> Response | None:
    """The response, or None if the bytes are missing."""
    second = modified(found)
    outcome = evaluate(request.headers, etag=found.entity_tag, modified=second)
    if outcome == "failed":
        raise PreconditionFailed
    if outcome == "not modified":
        return Response(304, _headers(request, found, second, expires), content_type=None)
    headers = _headers(request, found, second, expires, differs="if-none-match" in request.headers)
    content_type = _shown(found.mime_type).content_type
    if request.method == "HEAD":
        return Response(200, headers, content_type=content_type, length=found.size or 0)
    wanted = applicable_range(request.headers, etag=found.entity_tag, modified=second)
    part = WHOLE if wanted is None else part_of(wanted, size_of(storage, found))
    try:
        redirects = storage.settings.remote_downloads == "redirect"
        if redirects and (link := link_to(storage, found, _labels(request, found, expires))) is not None:
            return _redirect(link)
        body, length = open_bytes(storage, found, part.start, part.end)
    except BlobMissing:
        return None
    return Response(part.status, headers + part.headers, body, content_type, length)


def _labels(request: RestRequest, found: StoredObject, expires: int | None) -> Labels:
    """The response headers for a backend that serves the bytes directly."""
    return Labels(
        content_type=_shown(found.mime_type).content_type,
        caching=found.caching if expires is None else "",
        disposition=_disposition(request, found) or "",
        encoding=stored_header(found.metadata, ENCODING) or "",
    )


def _redirect(link: str) -> Response:
    """A redirect to ``link``, which no one else may learn. Clients send their Range header to it again."""
    headers = (("location", link), ("cache-control", "no-store"), ("referrer-policy", "no-referrer"))
    return Response(307, headers, content_type=None)


def _disposition(request: RestRequest, found: StoredObject) -> str | None:
    download = request.query.get("download")
    return stored_header(found.metadata, DISPOSITION) if download is None else content_disposition(download)


def _headers(
    request: RestRequest, found: StoredObject, second: int, expires: int | None, *, differs: bool = False
) -> Headers:
    """The response headers. ``differs``: the request had If-None-Match, and the client's version is not current."""
    entity_tag = found.entity_tag
    headers = [
        ("accept-ranges", "bytes"),
        *((("etag", entity_tag),) if entity_tag else ()),
        ("last-modified", http_date(second)),
        ("x-robots-tag", stored_header(found.metadata, ROBOTS) or "none"),
    ]
    if expires is not None:
        headers.append(("expires", http_date(expires)))
    else:
        cache_control = found.caching
        if differs:
            more = "must-revalidate" if request.method == "HEAD" else "stale-while-revalidate=30"
            cache_control = f"{cache_control}, {more}"
        headers.append(("cache-control", cache_control))
    headers += _shown(found.mime_type).headers
    encoding = stored_header(found.metadata, ENCODING)
    if encoding:
        headers.append(("content-encoding", encoding))
    disposition = _disposition(request, found)
    if disposition:
        headers.append(("content-disposition", disposition))
    return tuple(headers)


def content_disposition(name: str) -> str:
    """The header's value (RFC 6266) with the name in both forms; without a name, clients use the one in the URL.

    Clients that do not know ``filename*`` (RFC 8187) get a name in ASCII, with ``_`` for characters that they might
    misread.
    """
    if not name:
        return "attachment"
    encoded = quote(name, safe="!", errors="replace")
    plain = name if _TOKEN.fullmatch(name) else f'"{_NOT_QUOTED.sub("_", name)}"'
    return f"attachment; filename={plain}; filename*=UTF-8''{encoded}"


class _Shown(NamedTuple):
    """How browsers show an object: the type that is sent to them, and the headers that restrict what it may do."""

    content_type: str
    headers: Headers


@lru_cache(100)
def _shown(mime_type: str) -> _Shown:
    content_type = _harmless(mime_type)
    # Browsers never add credentials for the storage on their own, so other sites may embed any object whose URL they
    # have.
    headers = [("cross-origin-resource-policy", "cross-origin")]
    if _essence(content_type) != _PDF:
        headers.append(("content-security-policy", "sandbox"))
    if _essence(mime_type) != _UNDECLARED:
        headers.append(("x-content-type-options", "nosniff"))
    return _Shown(content_type, tuple(headers))


def _essence(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _harmless(content_type: str) -> str:
    """The type to send. HTML is sent as plain text, because its scripts would run in this origin, with the rights of
    the user who opens it. In other documents, such as SVG, the content security policy stops scripts."""
    if "," in content_type and not is_content_type(content_type):
        # Browsers may read another type after the comma. Uploads cannot have such a type, but rows written by other
        # programs may.
        return "application/octet-stream"
    return _HTML.sub("text/plain", content_type)
