"""Paths of services that Supabase's clients use and Portico does not have. Each error has the format that its client
shows.

PostgREST's client reads ``message`` and ``hint``; that of Auth ``msg`` and ``error_code``; that of Edge Functions
``error`` in Python, while in JavaScript it leaves the body to the program. The client of Realtime shows the reason for
which a WebSocket was closed.
"""

from __future__ import annotations

import binascii
import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from struct import pack
from typing import Any

import falcon

from app.http.environ import HEADER_BLOCK

PATHS = re.compile(r"/(?P<service>rest|auth|functions|realtime)(?:/|$)")

_REALTIME = "Portico has no Realtime service; portico live serves live queries"
_BODIES: Mapping[str, Mapping[str, object]] = {
    "rest": {
        "code": "PGRST125",
        "details": None,
        "hint": "Use GraphQL: POST /graphql/v1.",
        "message": "Portico has no REST API for tables; it has a GraphQL API",
    },
    "auth": {
        "code": 404,
        "error_code": "not_found",
        "msg": "Portico has no Auth service; use any service that signs JSON Web Tokens",
        "hint": "Pass the token of your identity provider to the client: createClient(url, key, { accessToken }).",
    },
    "functions": {
        "code": "NOT_FOUND",
        "error": "Portico has no Edge Functions",
        "message": "Portico has no Edge Functions",
        "hint": "Functions of the database are fields of the GraphQL API: POST /graphql/v1.",
    },
    "realtime": {
        "code": "NOT_FOUND",
        "error": _REALTIME,
        "message": _REALTIME,
        "hint": "Live queries are at /graphql/v1/stream.",
    },
}
_ENCODED = {service: json.dumps(body).encode() for service, body in _BODIES.items()}

# RFC 6455. Codes from 4000 on are for applications.
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CLOSE, _NOT_FOUND = 0x88, 4404
_CLOSED = pack("!BBH", _CLOSE, 2 + len(_REALTIME), _NOT_FOUND) + _REALTIME.encode()
# Falcon leaves the body out where the status has its usual text.
_SWITCHED = "101 WebSocket"


def refuse(req: falcon.Request, resp: falcon.Response, **named: Any) -> None:
    """Answer every request below a service's path with an error; close a WebSocket with the reason."""
    service: str = named["service"]
    accepted = _accepted_key(req) if service == "realtime" else None
    if accepted is None:
        # After 404 the client of Realtime would advise its user to upgrade the server.
        resp.status = falcon.HTTP_410 if service == "realtime" else falcon.HTTP_404
        resp.content_type = "application/json; charset=utf-8"
        resp.data = _ENCODED[service]
        return
    resp.status = _SWITCHED
    resp.set_header("upgrade", "websocket")
    resp.set_header("sec-websocket-accept", accepted)
    offered = req.get_header("sec-websocket-protocol")
    if offered:
        # Clients that offer subprotocols may require one of them in the response.
        resp.set_header("sec-websocket-protocol", offered.partition(",")[0].strip())
    resp.data = _CLOSED


def _accepted_key(req: falcon.Request) -> str | None:
    """The value of Sec-WebSocket-Accept; None if the request is not for a WebSocket or the server does not support
    it."""
    environ: Mapping[str, Any] = req.env
    is_upgrade = req.method == "GET" and (req.get_header("upgrade") or "").strip().lower() == "websocket"
    if not is_upgrade or HEADER_BLOCK not in environ:
        return None
    key = (req.get_header("sec-websocket-key") or "").strip().encode("latin-1", "replace")
    try:
        if len(b64decode(key, validate=True)) != 16:
            return None
    except binascii.Error:
        return None
    return b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest()).decode()
