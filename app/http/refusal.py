"""Responses that the server itself makes, without the application."""

from __future__ import annotations

import json
from http import HTTPStatus

from app.http.cross_origin import CrossOrigin, Headers

OVERLOADED_STATUS = 503
OVERLOADED_CODE = "OVERLOADED"
_NO_SPACE_CODE = "INSUFFICIENT_STORAGE"
_NOT_RUNNING_CODE = "UNAVAILABLE"


class Refusal:
    """A response with the interface of waitress's own errors. ``error_code`` is the code that observers see. If it is
    empty, they see the code of the HTTP status."""

    def __init__(self, status: int, body: bytes, headers: Headers = (), error_code: str = "") -> None:
        self.status = status
        self.error_code = error_code
        self.body = body
        self._headers = headers

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        try:
            phrase = HTTPStatus(self.status).phrase
        except ValueError:
            phrase = "Refused"
        headers = list(self._headers)
        if all(name != "content-type" for name, _ in headers):
            headers.insert(0, ("Content-Type", "application/json; charset=utf-8"))
        return f"{self.status} {phrase}", headers, self.body


def overloaded(origin: str | None, cross_origin: CrossOrigin, status: int = OVERLOADED_STATUS) -> Refusal:
    """The response when there are more requests than can be served."""
    headers = (("Retry-After", "1"), *cross_origin.headers(origin))
    return Refusal(
        status, _body(OVERLOADED_CODE, "The service is at its limit now. Try again."), headers, OVERLOADED_CODE
    )


def not_running(what: str, origin: str | None, cross_origin: CrossOrigin) -> Refusal:
    """The response when the process that serves ``what`` does not run now."""
    headers = (("Retry-After", "1"), *cross_origin.headers(origin))
    message = f"The process of {what} is not running now. Try again."
    return Refusal(503, _body(_NOT_RUNNING_CODE, message), headers, _NOT_RUNNING_CODE)


def no_space(origin: str | None, cross_origin: CrossOrigin) -> Refusal:
    """The response when there is no disk space for another body."""
    headers = (("Retry-After", "1"), *cross_origin.headers(origin))
    return Refusal(
        507, _body(_NO_SPACE_CODE, "There is no space for the body now. Try again."), headers, _NO_SPACE_CODE
    )


def _body(code: str, message: str) -> bytes:
    """A body that clients of both APIs understand: GraphQL's errors, and the members that storage clients read."""
    error = {"message": message, "extensions": {"code": code}}
    return json.dumps({"errors": [error], "error": code, "code": code, "message": message}).encode()
