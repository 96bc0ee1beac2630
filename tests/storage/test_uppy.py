"""Uppy in a browser, on a page of another origin, over connections that break at random."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.packages import NODE, node_packages
from tests.storage.breaking import breaking
from tests.storage.service import SERVICE, Service

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SIZE = 2_000_000

pytestmark = pytest.mark.timeout(300)


@contextmanager
def page_server(results: queue.Queue[Any]) -> Iterator[str]:
    """The URL of a server with the page, which puts what the page posts into ``results``."""
    files = {
        "/": ("text/html", NODE / "uppy.html"),
        "/uppy.min.mjs": ("text/javascript", node_packages() / "node_modules" / "uppy" / "dist" / "uppy.min.mjs"),
    }

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            media_type, path = files.get(self.path.partition("?")[0], ("", None))
            self.send_response(200 if path else 404)
            self.send_header("content-type", media_type)
            self.end_headers()
            self.wfile.write(path.read_bytes() if path else b"")

        def do_POST(self) -> None:
            results.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.mark.skipif(BROWSER is None, reason="there is no browser")
def test_uppy_in_a_browser_continues_after_breaks(own_service: Callable[..., Service], tmp_path: Path) -> None:
    results: queue.Queue[Any] = queue.Queue()
    with page_server(results) as page:
        service = own_service(cors_origins=(page,))
        bucket = service.bucket()
        with breaking(service.address, most=600_000) as relay:
            endpoint = f"http://127.0.0.1:{relay.port}/storage/v1/upload/resumable"
            query = urlencode({"endpoint": endpoint, "token": SERVICE, "bucket": bucket, "size": SIZE})
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
            browser = subprocess.Popen(
                [str(BROWSER), *options, f"--user-data-dir={tmp_path / 'profile'}", f"{page}/?{query}"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                assert results.get(timeout=120) == {"done": 1, "failed": []}
            finally:
                browser.terminate()
                browser.wait(30)
            assert relay.broken > 0
    found = service.get(f"/object/{bucket}/from a page")
    assert found.headers["content-type"] == "x/y"
    assert found.content == bytes((index * 31 + (index >> 8)) % 251 for index in range(SIZE))
