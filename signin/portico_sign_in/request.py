"""A request to /auth/v1: its body, its caller, and transactions with the rights of the service."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import falcon

from portico import Caller, PorticoError, RequestHead, Services
from portico_sign_in.attempts import Attempts
from portico_sign_in.errors import Refusal
from portico_sign_in.passwords import Passwords
from portico_sign_in.sessions import Sessions
from portico_sign_in.users import Run

log = logging.getLogger("portico.sign_in")


class Response(NamedTuple):
    """``body``: the JSON, or None for an empty response."""

    status: int
    body: dict[str, Any] | None = None
    headers: Mapping[str, str] = {}


_MAX_BODY_BYTES = 64 * 1024
_NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")


@dataclass(frozen=True, slots=True)
class Service:
    """The objects that all requests of a worker share."""

    portico: Services
    passwords: Passwords
    sessions: Sessions
    attempts: Attempts


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Its methods raise Refusal."""

    falcon: falcon.Request
    service: Service

    def query(self, name: str) -> str:
        return str(self.falcon.get_param(name, default=""))

    def body(self) -> dict[str, Any]:
        """The members of the body's JSON object; none if the body is empty."""
        raw = self.falcon.bounded_stream.read(_MAX_BODY_BYTES + 1)
        if len(raw) > _MAX_BODY_BYTES:
            raise Refusal(413, "validation_failed", f"The body is larger than {_MAX_BODY_BYTES} bytes")
        try:
            given = json.loads(raw) if raw else {}
            # PostgreSQL stores neither U+0000 nor half a surrogate pair, nor numbers that are none.
            text = json.dumps(given, allow_nan=False, ensure_ascii=False)
            text.encode()
        except (ValueError, RecursionError):
            given, text = None, ""
        if not isinstance(given, dict) or _NUL.search(text):
            raise Refusal(400, "bad_json", "Could not parse request body as JSON: an object was expected")
        return given

    def caller(self) -> Caller:
        """The caller, by the headers apikey and Authorization."""
        environ = self.falcon.env
        try:
            caller = self.service.portico.caller(RequestHead.of(self.falcon.method, self.falcon.path, environ))
        except PorticoError as ex:
            if ex.status >= 500:
                raise
            if environ.get("HTTP_APIKEY") and environ.get("HTTP_AUTHORIZATION"):
                raise Refusal(403, "bad_jwt", f"invalid JWT: {ex.message}") from None
            raise Refusal(401, "no_authorization", ex.message) from None
        if caller is None:
            raise Refusal(401, "no_authorization", "This endpoint requires the API key in the header apikey")
        return caller

    def user(self) -> tuple[str, str]:
        """The ids of the signed-in user and of the session."""
        claims = self.caller().claims
        user, session = claims.get("sub"), claims.get("session_id")
        if not isinstance(user, str) or not isinstance(session, str):
            raise Refusal(403, "bad_jwt", "invalid claim: the token is not one of a signed-in user")
        return user, session

    def check_service_role(self) -> None:
        if self.caller().role != "service_role":
            raise Refusal(403, "not_admin", "User not allowed: this needs the key of the service role")

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """A transaction as service_role."""
        try:
            with self.service.portico.as_service() as run:
                yield run
        except PorticoError as ex:
            raise _refusal_of(ex) from None


def _refusal_of(error: PorticoError) -> Exception:
    if error.status >= 500:
        return error
    # The tables are missing, or code of the database refused, such as a trigger: a developer wants to know.
    log.warning("A statement of sign-in failed: %s", error.message)
    return Refusal(500, "unexpected_failure", f"Database error: {error.message}")
