"""The report of `portico doctor` about signed requests, directly and through proxies that change them."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from app.commands.s3_probe import probed
from tests.storage.service import Service

Change = Callable[[str, dict[str, str]], tuple[str, dict[str, str]]]


@contextmanager
def proxy(service: Service, change: Change) -> Iterator[str]:
    """The URL of a proxy that changes the target and the headers of requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            target, headers = change(self.path, dict(self.headers.items()))
            connection = http.client.HTTPConnection(*service.address, timeout=30)
            connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            self.send_response(answer.status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def found(service: Service, url: str) -> tuple[str, str]:
    """The mark and the text of the finding about this public URL."""
    settings = replace(service.application.services.settings, public_url=url)
    (finding,) = probed(settings)
    return finding.mark, finding.what


def test_the_probe_reports_how_requests_arrive(s3_service: Service) -> None:
    assert found(s3_service, s3_service.url) == ("ok", f"signed requests arrive at {s3_service.url}/s3")
    assert found(s3_service, f"{s3_service.url}/storage/v1")[0] == "ok"
    mark, what = found(s3_service, f"{s3_service.url}/elsewhere")
    assert (mark, "gets status 404" in what) == ("note", True)
    mark, what = found(s3_service, "http://127.0.0.1:1")
    assert (mark, "cannot be reached" in what) == ("note", True)


def test_the_probe_reports_changes_by_proxies(s3_service: Service) -> None:
    def other_host(target: str, headers: dict[str, str]) -> tuple[str, dict[str, str]]:
        return target, {**headers, "host": "inner:8000", "X-Forwarded-Host": headers["host"]}

    with proxy(s3_service, other_host) as url:
        mark, what = found(s3_service, url)
        assert (mark, what.endswith("arrives as inner:8000")) == ("ok", True)

    def lossy(target: str, headers: dict[str, str]) -> tuple[str, dict[str, str]]:
        return target, {name: value for name, value in headers.items() if "_" not in name}

    with proxy(s3_service, lossy) as url:
        mark, what = found(s3_service, url)
        assert mark == "note"
        assert "does not match" in what
        assert "the header x-amz-meta-under_score does not arrive" in what


def test_other_callers_get_no_probe(s3_service: Service) -> None:
    for ticket in ("1.00", "x", "9999999999." + "0" * 64):
        answer = s3_service.get(f"/s3/probe/k?x-portico-probe={ticket}", None)
        assert "headers" not in answer.text
