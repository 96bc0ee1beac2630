"""Reads WSGI requests for the storage's faces, and sends their responses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qsl, quote

import falcon

from app.faces.shared.falcon_internals import set_headers
from app.http.head import path_of
from app.http.response import Response

_value = itemgetter(1)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_REMEMBERED = 2048
# Headers that have no HTTP_ prefix in WSGI.
_OF_THE_BODY = (("CONTENT_TYPE", "content-type"), ("CONTENT_LENGTH", "content-length"))


def raw_path(environ: Mapping[str, Any]) -> str:
    """The undecoded path; if the server does not provide it, the decoded path is encoded again."""
    uri = environ.get("REQUEST_URI")
    if uri is None:
        # WSGI holds the decoded bytes as Latin-1.
        return quote(environ["PATH_INFO"].encode("latin-1"), safe="/!*'()&$@=;:+,?~")
    path = path_of(uri)
    prefix: str = environ.get("SCRIPT_NAME", "")
    return path[len(prefix) :] if prefix and path.startswith(prefix) else path


def headers_of(environ: Mapping[str, Any]) -> dict[str, str]:
    """The headers, by names in lower case."""
    names = tuple(environ)
    # Long names are not cached: a client could fill the memory with them.
    among = _remembered_among if len("".join(names)) <= _LONGEST_REMEMBERED else _headers_among
    found = {header: environ[name] for name, header in among(names)}
    for name, header in _OF_THE_BODY:
        if value := environ.get(name):
            found[header] = _once(value) if "," in value else value
    return found


def _once(value: str) -> str:
    """The value of a header. If it was sent twice with the same value, which servers join with a comma, it is returned
    once."""
    first = value[: (len(value) - 1) // 2]
    return first if value[len(first) :] in (f",{first}", f", {first}") else value


def _headers_among(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The names in an environ that stand for headers, each with the header's name."""
    return tuple((name, name[5:].replace("_", "-").lower()) for name in names if name.startswith("HTTP_"))


# Most requests of a client have the same headers.
_remembered_among = lru_cache(1000)(_headers_among)


def query_of(environ: Mapping[str, Any]) -> dict[str, str]:
    """The last value of each parameter of the query."""
    text = environ.get("QUERY_STRING")
    return dict(parse_qsl(text, keep_blank_values=True)) if text else {}


def declared_length(environ: Mapping[str, Any]) -> int | None:
    """The length of the body; None if it is chunked and the server does not know it."""
    length = environ.get("CONTENT_LENGTH")
    if length:
        return int(length)
    return None if environ.get("HTTP_TRANSFER_ENCODING") else 0


def request_id_of(environ: Mapping[str, Any]) -> str:
    """The id of the request, or ''. ``Observing`` has checked it, or has set it if every request gets one."""
    request_id: str = environ.get("HTTP_X_REQUEST_ID", "")
    return request_id


def unsendable_header(response: Response) -> str | None:
    """The name of a header whose value has a control character; None if there is none."""
    if not _CONTROL.search("".join(map(_value, response.headers)) + (response.content_type or "")):
        return None
    headers = (*response.headers, ("content-type", response.content_type or ""))
    return next(name for name, value in headers if _CONTROL.search(value))


def close(response: Response) -> None:
    """Close the body of a response that is not sent."""
    closed = getattr(response.body, "close", None)
    if closed is not None:
        closed()


def send(response: Response, resp: falcon.Response) -> None:
    """Set ``response`` as Falcon's response."""
    resp.status = falcon.code_to_http_status(response.status)
    resp.context.codes = (response.code,) if response.code else ()
    resp.content_type = response.content_type and _as_latin(response.content_type)
    headers = response.headers
    if not "".join(map(_value, headers)).isascii():
        headers = tuple((name, _as_latin(value)) for name, value in headers)
    set_headers(resp, headers)
    if isinstance(response.body, bytes):
        if response.content_type and response.content_type.startswith("application/json"):
            resp.set_header("x-content-type-options", "nosniff")
        resp.data = response.body
        if response.length is not None:
            resp.content_length = response.length
    else:
        # Falcon passes an object with a read method to the server's file wrapper.
        resp.stream = response.body
        resp.content_length = response.length


def _as_latin(value: str) -> str:
    """Non-ASCII text as WSGI transports it: its UTF-8 bytes, decoded as Latin-1."""
    return value if value.isascii() else value.encode(errors="replace").decode("latin-1")
