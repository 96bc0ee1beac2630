"""Serves the page: the built files, or, if they are missing, a page that explains how to build them."""

from __future__ import annotations

import mimetypes
import re
import secrets
from html import escape
from pathlib import Path

import falcon

PAGE = Path(__file__).parent / "page"
_IS_BUILDING = PAGE.with_name("page.being-built")
_TOKEN_MARK, _NONCE_MARK = "%PAGE_TOKEN%", "%STYLE_NONCE%"
_NAME = re.compile(r"[A-Za-z0-9_.-]+")
# Nothing from other origins and no inline scripts. Inline styles only with the page's nonce, which the editor uses.
# Images and media may also be objects that the page has read.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
_BUILDING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="3">
<title>Portico Studio</title>
<h1>Portico Studio is being built</h1>
<p>The first start of the demonstration builds this page, which takes about half a minute. It then loads
automatically.</p>
"""
_UNBUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portico Studio</title>
<h1>Portico Studio is installed without its page</h1>
<p>npm could not be reached during the installation. In a copy of Portico&rsquo;s repository, on a machine that can
reach
npm, install it again:</p>
<pre>pip install --force-reinstall --no-deps ./studio</pre>
<p>Then restart the service. Meanwhile the APIs work.</p>
"""


class Page:
    """``GET /studio`` and all paths below it, which the page's own router handles."""

    def __init__(self, guard):
        self._guard = guard

    def on_get(self, req, resp):
        nonce = secrets.token_urlsafe(16)
        resp.set_header("Content-Security-Policy", POLICY.format(nonce=nonce))
        for name, value in _HEADERS:
            resp.set_header(name, value)
        resp.content_type = "text/html; charset=utf-8"
        index = PAGE / "index.html"
        # The file is read for each request, so that a page that is built while the service runs is served.
        without = _BUILDING if _IS_BUILDING.exists() else _UNBUILT
        html = index.read_text(encoding="utf-8") if index.exists() else without
        resp.text = html.replace(_TOKEN_MARK, escape(self._guard.secret)).replace(_NONCE_MARK, nonce)

    def on_get_place(self, req, resp, place):
        if place.startswith(("api/", "assets/")):
            raise falcon.HTTPRouteNotFound
        self.on_get(req, resp)


class Assets:
    """``GET /studio/assets/NAME``: files whose names change with their content."""

    def on_get(self, req, resp, name):
        file = PAGE / "assets" / name
        if not _NAME.fullmatch(name) or name.endswith(".gz") or not file.is_file():
            raise falcon.HTTPRouteNotFound
        packed = file.with_name(name + ".gz")
        if packed.exists() and "gzip" in req.env.get("HTTP_ACCEPT_ENCODING", ""):
            resp.set_header("Content-Encoding", "gzip")
            file = packed
        resp.data = file.read_bytes()
        resp.content_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        resp.set_header("Vary", "Accept-Encoding")
        resp.set_header("X-Content-Type-Options", "nosniff")
        resp.set_header("Cross-Origin-Resource-Policy", "same-origin")
        resp.set_header("Cache-Control", "public, max-age=31536000, immutable")
