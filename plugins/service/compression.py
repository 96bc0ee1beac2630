"""Compresses responses of the GraphQL API for clients that accept gzip: all, or only cached ones, see COMPRESSION."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import falcon

from app.hooks import hookimpl
from app.pipeline.response_text import KeptResponse, packed
from app.services import Services
from app.settings import Setting
from app.settings.kinds import Choice

COMPRESSION = Setting(
    "compression",
    Choice("off", "kept", "gzip"),
    "kept",
    "Which responses of the GraphQL API of 1 KiB or more are compressed for clients that accept gzip: none, cached ones"
    " (kept), such as introspection, which are compressed once, or all.",
    section="GraphQL requests",
)

PATH = "/graphql/v1"
LEAST = 1024
_NO_QUALITY = re.compile(r"q=0(\.0*)?")


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (COMPRESSION,)


@hookimpl
def middleware(services: Services) -> Sequence[object]:
    compressed = services.settings[COMPRESSION]
    return () if compressed == "off" else (_Middleware(of_all=compressed == "gzip"),)


class _Middleware:
    def __init__(self, *, of_all: bool) -> None:
        self._of_all = of_all

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        kept: KeptResponse | None = getattr(resp.context, "kept", None)
        if kept is None and not self._of_all:
            return
        if kept is not None and kept.length < LEAST and not self._of_all:
            return
        if kept is None and not req.path.startswith(PATH):
            return
        resp.append_header("Vary", "Accept-Encoding")
        length = len(resp.data or b"") if kept is None else kept.length
        if length < LEAST or not _takes_gzip(req.get_header("accept-encoding") or ""):
            return
        if kept is None:
            resp.data = packed(resp.data or b"")
        else:
            resp.stream, resp.content_length = kept.packed, sum(map(len, kept.packed))
        resp.set_header("Content-Encoding", "gzip")
        etag = resp.get_header("etag")
        if etag is not None:
            # The tag is that of the uncompressed bytes, so it becomes a weak one.
            resp.set_header("ETag", f"W/{etag}")


def _takes_gzip(accepted: str) -> bool:
    """Whether Accept-Encoding names gzip with a quality other than 0."""
    for each in accepted.lower().split(","):
        coding, _, quality = each.replace(" ", "").partition(";")
        if coding in ("gzip", "x-gzip"):
            return _NO_QUALITY.fullmatch(quality) is None
    return False
