"""``/rest``, the path that PostgREST's clients use: it answers with an error that they understand."""

from __future__ import annotations

import json
import re
from typing import Any

import falcon

PATHS = re.compile(r"/rest(?:/|$)")

_BODY = json.dumps({
    "code": "PGRST125",
    "details": None,
    "hint": "Use GraphQL: POST /graphql/v1.",
    "message": "Portico has no REST API for tables; it has a GraphQL API",
}).encode()  # fmt: skip


def refuse(req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
    """Answer 404 to every method and path below ``/rest``."""
    resp.status = falcon.HTTP_404
    resp.content_type = "application/json; charset=utf-8"
    resp.data = _BODY
