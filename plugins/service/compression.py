"""Answers of the GraphQL API, compressed for clients that take gzip. On with COMPRESSION=gzip."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from typing import Any

import falcon

from app.hooks import hookimpl
from app.services import Services
from app.settings import Setting
from app.settings.kinds import Choice

COMPRESSION = Setting(
    "compression",
    Choice("off", "gzip"),
    "off",
    "Whether answers of the GraphQL API of 1 KiB or more are compressed for clients that take it.",
)

PATH = "/graphql/v1"
LEAST = 1024
_LEVEL = 6
_NO_QUALITY = re.compile(r"q=0(\.0*)?")


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (COMPRESSION,)


@hookimpl
def middleware(services: Services) -> Sequence[object]:
    return (_Middleware(),) if services.settings[COMPRESSION] == "gzip" else ()


class _Middleware:
    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        if not req.path.startswith(PATH):
            return
        resp.append_header("Vary", "Accept-Encoding")
        if resp.data is None or len(resp.data) < LEAST or not _takes_gzip(req.get_header("accept-encoding") or ""):
            return
        # The same answer has the same bytes: no time stamp in it.
        resp.data = gzip.compress(resp.data, _LEVEL, mtime=0)
        resp.set_header("Content-Encoding", "gzip")
        etag = resp.get_header("etag")
        if etag is not None:
            # The tag is that of the bytes before, which are equal in meaning only.
            resp.set_header("ETag", f"W/{etag}")


def _takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding names gzip, and not with the quality 0."""
    for each in accepted.lower().split(","):
        coding, _, quality = each.replace(" ", "").partition(";")
        if coding in ("gzip", "x-gzip"):
            return _NO_QUALITY.fullmatch(quality) is None
    return False
