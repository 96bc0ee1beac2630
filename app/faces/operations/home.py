"""``GET /`` and ``GET /graphql/v1`` in a browser: a page that describes the service, or a redirect to a plugin's page.

Programs do not accept ``text/html``: for them these paths have no page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import falcon

from app.entrances import Entrance, find_start

PATHS = re.compile(r"/$")

_APIS = (
    Entrance("/graphql/v1", "the GraphQL API; it takes POST requests with an API key"),
    Entrance("/storage/v1", "the object storage API; it takes requests with an API key"),
    Entrance("/health", "whether the process and the database answer"),
    Entrance("/version", "the version of the service"),
)
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.6 system-ui,sans-serif;max-width:38rem;margin:12vh auto;padding:0 1.25rem}"
    "h1{line-height:1.2}dt{font-family:ui-monospace,monospace;margin-top:.75rem}dd{margin:0}"
    "code{font-family:ui-monospace,monospace}"
)
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portico</title>
<style>{style}</style>
<main>
<h1>Portico</h1>
<p>A GraphQL API and an object storage API for a PostgreSQL database, under the database&rsquo;s own roles, grants and
row
level security. The service is running. It has no web page of its own.</p>
<dl>
{places}
</dl>
<p><strong>Portico Studio</strong> is a web page for it: run queries, and see the data, the schema and the rights of
each
role. To add it, run <code>pip install ./studio</code> in a copy of Portico&rsquo;s repository, set
<code>STUDIO=on</code>, and restart the service.</p>
</main>
"""
_SECURITY = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"),
    ("Vary", "Accept"),
)


class Home:
    """Answers browsers with a redirect to the start page of a plugin, or else with a page of plain HTML."""

    def __init__(self, offered: Sequence[Entrance]) -> None:
        self._start = find_start(offered)
        self._page = _page((*_APIS, *offered)).encode()
        digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
        self._policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'"

    def sink(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        """Answer a request for ``/``."""
        if not self.answers(req):
            raise falcon.HTTPRouteNotFound
        self.send(resp)

    def answers(self, req: falcon.Request) -> bool:
        """Whether a browser, and not a program, requests a page."""
        return req.method in ("GET", "HEAD") and "text/html" in req.env.get("HTTP_ACCEPT", "")

    def send(self, resp: falcon.Response) -> None:
        """Redirect a browser to the start page, or send the plain page."""
        for name, value in _SECURITY:
            resp.set_header(name, value)
        if self._start is not None:
            resp.status = falcon.HTTP_303
            resp.set_header("Location", self._start.path)
            return
        resp.set_header("Content-Security-Policy", self._policy)
        resp.content_type = "text/html; charset=utf-8"
        resp.data = self._page


def _page(places: Sequence[Entrance]) -> str:
    listed = "\n".join(f"<dt>{escape(each.path)}</dt><dd>{escape(each.title)}</dd>" for each in places)
    return _PAGE.format(style=_STYLE, places=listed)
