"""Requests of the S3 protocol, signed as its own clients sign them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from bench.siege.client import ANON, S3_KEY, S3_SECRET, Answer, ask
from bench.siege.grounds import Besieged

PREFIX = "/storage/v1/s3"
_DIFFERS = re.compile(rb"<(Resource|RequestId|HostId)>[^<]*</\1>")


def presigned(service: Besieged, method: str, path: str, **headers: str) -> str:
    """The target of a URL with which its holder may do this one thing."""
    request = AWSRequest(method, _url(service, path), headers={k.replace("_", "-"): v for k, v in headers.items()})
    S3SigV4QueryAuth(Credentials(S3_KEY, S3_SECRET), "s3", "us-east-1", expires=60).add_auth(request)
    return path + "?" + str(request.url).partition("?")[2]


def ask_s3(
    service: Besieged,
    method: str,
    path: str,
    body: bytes | None = None,
    user: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """A signed S3 request, with the access key or as the ``user`` of a token."""
    credentials = Credentials("any", ANON, user) if user else Credentials(S3_KEY, S3_SECRET)
    request = AWSRequest(method, _url(service, PREFIX + path), data=body or b"", headers=dict(headers or {}))
    signer: Any = S3SigV4Auth(credentials, "s3", "us-east-1")
    signer.add_auth(request)
    sent = {name: str(value) for name, value in request.headers.items()}
    return ask(service.address, method, PREFIX + path, body, None, **sent)


def words(answer: Answer) -> tuple[int, bytes]:
    """The answer without what differs in each: the resource, and the request's id."""
    return answer.status, _DIFFERS.sub(b"", answer.body)


def _url(service: Besieged, path: str) -> str:
    host, port = service.address
    return f"http://{host}:{port}{path}"
