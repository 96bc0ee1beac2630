"""Checks that signed requests of the S3 protocol to the public URL arrive as they were sent."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from app.commands.finding import Finding
from app.faces.s3.probe import SignedProbe, differences, make_probe, probe_secret
from app.settings import Settings

_TIMEOUT_S = 10.0
_MOST_SKEW_S = 60.0


def probed(settings: Settings) -> Iterator[Finding]:
    """Send a probe to PUBLIC_URL, and to S3_PROTOCOL_HOST. Does nothing if the protocol is off or PUBLIC_URL is not
    set."""
    secret = settings.jwt_secret or settings.service_role_key
    if not settings.s3_protocol or not settings.public_url or not secret:
        return
    url = urlsplit(settings.public_url)
    base = url.path.rstrip("/")
    yield _probe(url.scheme, url.netloc, f"{base}/s3", probe_secret(secret))
    if settings.s3_protocol_host:
        port = f":{url.port}" if url.port and ":" not in settings.s3_protocol_host else ""
        yield _probe(url.scheme, settings.s3_protocol_host + port, "", probe_secret(secret))


def _probe(scheme: str, host: str, base: str, secret: str) -> Finding:
    where = f"{scheme}://{host}{base}"
    probe = make_probe(secret, host, base)
    try:
        status, body = _send(scheme, host, probe)
    except (OSError, http.client.HTTPException) as ex:
        return Finding("note", f"the S3 protocol cannot be reached at {where}: {ex}", "check PUBLIC_URL and the proxy")
    try:
        arrived: dict[str, Any] = json.loads(body)
    except ValueError:
        arrived = {}
    if status != 200 or "problem" not in arrived:
        return Finding(
            "note",
            f"a signed request to {where} gets status {status}, and not from this service",
            "the proxy must pass on the path and the query, and the service there must have the same JWT_SECRET",
        )
    return _result(where, differences(probe, arrived), arrived)


def _result(where: str, changed: list[str], arrived: dict[str, Any]) -> Finding:
    changes = f"; {'; '.join(changed)}" if changed else ""
    if arrived["problem"]:
        return Finding(
            "note",
            f"a signed request to {where} is refused: {arrived['problem']}{changes}",
            "let the proxy pass these on unchanged, or name them in X-Forwarded-Host and X-Forwarded-Prefix",
        )
    skew = abs(float(arrived["time"]) - time.time())
    if skew > _MOST_SKEW_S:
        return Finding(
            "note", f"the clocks of the service and of this machine differ by {skew:.0f} s", "synchronise them"
        )
    return Finding("ok", f"signed requests arrive at {where}{changes}")


def _send(scheme: str, host: str, probe: SignedProbe) -> tuple[int, bytes]:
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    with closing(kind(host, timeout=_TIMEOUT_S)) as connection:
        connection.putrequest("GET", f"{probe.path}?{probe.query}", skip_host=True, skip_accept_encoding=True)
        for name, value in probe.headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.read(1024 * 1024)
