"""A probe: a request that an operator's command signs and sends, to learn how proxies change it.

Both sides know the service's secret, so the command can sign without an access key, and no one else gets the response,
which repeats the request as it arrived.
"""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.errors import PorticoError
from app.faces.s3.request_signature import signature_of_request
from app.faces.s3.signature import (
    ALGORITHM,
    UNSIGNED,
    Scope,
    canonical_query,
    canonical_request,
    sign,
    signing_key,
    string_to_sign,
)
from app.faces.s3.verification import Verifier
from app.http.head import Head
from app.http.response import Response
from app.identity.derived_keys import derived_key

PARAMETER = "x-portico-probe"

_PURPOSE = "portico probes of the S3 protocol"
_ACCESS_KEY = "portico-doctor"
_LIFETIME_S = 300
# Proxies often change the encoding of a path, a header's name with an underscore, and Accept-Encoding.
_PATH = "/probe/a%20b%2Bc%28d%29"
_HEADERS = {"accept-encoding": "identity", "x-amz-meta-under_score": "kept", "x-amz-meta-spaced": "a b"}


@dataclass(frozen=True, slots=True)
class SignedProbe:
    """A signed request. ``headers`` are the signed ones and Authorization."""

    path: str
    query: str
    headers: Mapping[str, str] = field(repr=False)


def probe_secret(service_secret: str) -> str:
    """The secret that signs probes."""
    return derived_key(service_secret, _PURPOSE).hex()


def make_probe(secret: str, host: str, base: str) -> SignedProbe:
    """A probe of the face at the path ``base`` on ``host``."""
    now = datetime.now(UTC)
    moment = now.strftime("%Y%m%dT%H%M%SZ")
    scope = Scope(moment[:8], "us-east-1", "s3")
    path, query = base + _PATH, f"{PARAMETER}={_ticket(secret, int(now.timestamp()))}"
    headers = {"host": host, "x-amz-content-sha256": UNSIGNED, "x-amz-date": moment, **_HEADERS}
    signed = sorted(headers.items())
    canonical = canonical_request("GET", path, canonical_query(query), signed, UNSIGNED)
    signature = sign(signing_key(secret, scope), string_to_sign(moment, scope, canonical))
    names = ";".join(name for name, _ in signed)
    credential = f"Credential={_ACCESS_KEY}/{scope}, SignedHeaders={names}, Signature={signature}"
    return SignedProbe(path, query, {**headers, "authorization": f"{ALGORITHM} {credential}"})


def is_probe(query: Mapping[str, str], secret: str) -> bool:
    """Whether ``make_probe`` made the request with this secret, within the last ``_LIFETIME_S``."""
    given = query.get(PARAMETER, "")
    moment = given.partition(".")[0]
    if not moment.isascii() or not moment.isdigit() or abs(time.time() - int(moment[:12])) > _LIFETIME_S:
        return False
    return hmac.compare_digest(given.encode(errors="replace"), _ticket(secret, int(moment)).encode())


def answer_probe(head: Head, verifier: Verifier, secret: str) -> Response:
    """The response to a probe: the request as it arrived, and the problem with its signature, '' if there is none."""
    try:
        signature = signature_of_request(head, head.query())
        problem = "the header Authorization did not arrive"
        if signature is not None:
            problem = ""
            verifier.check(head, signature, secret)
    except PorticoError as ex:
        problem = ex.message
    arrived = {"path": head.path, "headers": dict(head.headers), "problem": problem, "time": time.time()}
    return Response(body=json.dumps(arrived).encode())


def differences(probe: SignedProbe, arrived: Mapping[str, object]) -> list[str]:
    """The differences between the sent and the received request, one line each."""
    found: list[str] = []
    if arrived.get("path") != probe.path:
        found.append(f"the path {probe.path} arrives as {arrived.get('path')}")
    headers = arrived.get("headers")
    given = headers if isinstance(headers, dict) else {}
    for name, value in probe.headers.items():
        if name not in given:
            found.append(f"the header {name} does not arrive")
        elif given[name] != value:
            found.append(f"the header {name}: {value} arrives as {given[name]}")
    return found


def _ticket(secret: str, moment: int) -> str:
    return f"{moment}.{hmac.digest(secret.encode(), f'ticket {moment}'.encode(), 'sha256').hex()}"
