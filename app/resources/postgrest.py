"""``/rest``: where clients of PostgREST ask. There is none here; they are told so in words that they understand."""

from __future__ import annotations

import json
import re
from typing import Any

import falcon

PATHS = re.compile(r"/rest(?:/|$)")

_BODY = json.dumps({
    "code": "PGRST125",
    "details": None,
    "hint": "Ask by GraphQL: POST /graphql/v1.",
    "message": "There is no REST API of tables here, but one in GraphQL",
}).encode()  # fmt: skip


def refuse(req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
    """Every method of every path below ``/rest``: 404."""
    resp.status = falcon.HTTP_404
    resp.content_type = "application/json; charset=utf-8"
    resp.data = _BODY
