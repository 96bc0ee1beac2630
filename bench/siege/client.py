"""A client that can send anything: whole requests, and bytes that are not requests."""

from __future__ import annotations

import http.client
import json
import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import jwt

SECRET = "a secret that only this siege uses, for nothing else"
S3_KEY, S3_SECRET = "siege", "the secret of an access key that only this siege uses"
PATIENCE_S = 60.0
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """``status`` is 0 where no answer came. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        """The body, None if it is not JSON."""
        with suppress(ValueError):
            return json.loads(self.body)


def token(role: str | None = None, **claims: Any) -> str:
    """A genuine credential."""
    return jwt.encode({**claims, **({"role": role} if role else {})}, SECRET, "HS256")


ANON, SERVICE = token("anon"), token("service_role")


def ask(
    address: Address,
    method: str,
    path: str,
    body: bytes | str | dict[str, Any] | None = None,
    credential: str | None = SERVICE,
    patience_s: float = PATIENCE_S,
    **headers: str,
) -> Answer:
    """One request on its own connection; underscores in the names of headers are hyphens."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if credential is not None:
        sent.setdefault("Authorization", f"Bearer {credential}")
    if isinstance(body, dict):
        body = json.dumps(body)
        sent.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(*address, timeout=patience_s)
    began = time.monotonic()
    try:
        connection.request(method, path, body.encode() if isinstance(body, str) else body, sent)
        answer = connection.getresponse()
        content = answer.read()
        given = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, given, content, time.monotonic() - began)
    except (OSError, http.client.HTTPException) as ex:
        return Answer(0, {}, repr(ex).encode(), time.monotonic() - began)
    finally:
        connection.close()


def graphql(
    address: Address,
    query: str,
    variables: Mapping[str, Any] | None = None,
    credential: str | None = None,
    patience_s: float = PATIENCE_S,
) -> Answer:
    """One GraphQL request with the anon key, as the bearer of ``credential`` if there is one."""
    body = {"query": query, "variables": variables or {}}
    return ask(address, "POST", "/graphql/v1", body, credential, patience_s, apiKey=ANON)


def connect(address: Address, sent: bytes = b"", receive_buffer: int = 0) -> socket.socket:
    """A connection on which these bytes were sent."""
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(PATIENCE_S)
    connection.connect(address)
    connection.sendall(sent)
    return connection


def raw(address: Address, sent: bytes, patience_s: float = 10.0) -> bytes:
    """The response to these bytes, until the server closes or sends nothing for a while."""
    received = b""
    with suppress(OSError), connect(address) as connection:
        connection.settimeout(patience_s)
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        while more := connection.recv(65536):
            received += more
    return received


def statuses(received: bytes) -> list[int]:
    """The statuses of the answers in these bytes."""
    return [int(found) for found in STATUS.findall(received)]
