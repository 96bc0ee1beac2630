"""Requests that are refused at their header, before a byte of their body is read.

waitress reads a body whole before it calls the application. Without this, who has no credential could fill the disk.
What can be seen at once is looked at here: whether there is a credential where one is needed, and the declared length.

This uses parts of waitress that its documentation does not promise (the parser and the channel); setup.cfg pins the
version, and tests/storage/test_early_refusal.py tells when it changes.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import RequestEntityTooLarge

from app.server.cross_origin import CrossOrigin, Headers
from app.settings import Settings
from app.storage.access import bearer_token, missing_credential
from app.storage.errors import StorageError, access_denied, invalid_request, too_large
from app.storage.rest.json_bodies import LARGEST_JSON_BODY
from app.storage.rest.routes import Route, Router, path_of, takes_object, without_prefix

Judge = Callable[[str, str, Mapping[str, str]], int]
"""From method, target (path and query, still encoded) and headers (lower case names) of a request with a body to the
most bytes that the body may have. Raises StorageError for a request that is refused."""

GRAPHQL = "/graphql/v1"
# The boundaries and fields of a multipart form around an object.
ENVELOPE = 1024 * 1024
# Of a chunked body: the line before a chunk, or what follows the last one.
_LONGEST_FRAMING = 64 * 1024
# After a refusal a client may go on sending; if the connection were closed at once, it could not read the answer.
_DISCARDED_BYTES = 64 * 1024 * 1024
_DISCARDING_S = 5.0


class Refusal:
    """An answer, as waitress sends its own errors."""

    def __init__(self, status: int, body: bytes, headers: Headers = ()) -> None:
        self.status = status
        self.body = body
        self._headers = headers

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        try:
            phrase = HTTPStatus(self.status).phrase
        except ValueError:
            phrase = "Refused"
        headers = [("Content-Type", "application/json; charset=utf-8"), *self._headers]
        return f"{self.status} {phrase}", headers, self.body


def refusals(settings: Settings) -> Judge:
    """The rules of both doors."""
    router = Router()

    def judge(method: str, target: str, headers: Mapping[str, str]) -> int:
        path, query = path_of(target), target.partition("?")[2]
        match = None if path == GRAPHQL else router.match(method, without_prefix(path))
        if match is None:
            return settings.body_limit
        _check_credential(match.route, headers, dict(parse_qsl(query, keep_blank_values=True)))
        if not takes_object(match.route):
            return LARGEST_JSON_BODY
        is_form = headers.get("content-type", "").lower().startswith("multipart/")
        return settings.upload_size_limit + (ENVELOPE if is_form else 0)

    return judge


def _check_credential(route: Route, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
    if route.credential == "required" and bearer_token(headers, query) is None:
        raise missing_credential()
    if route.credential == "judged" and not bearer_token(headers, query):
        raise access_denied("Invalid Compact JWS")
    if route.credential == "ignored" and "token" not in query and takes_object(route):
        raise invalid_request("querystring must have required property 'token'")


def refusing_channel(base: type[Any], judge: Judge, cross_origin: CrossOrigin) -> type[Any]:
    """A channel class of waitress that refuses by ``judge``; set it as a server's ``channel_class``."""
    allowed = cross_origin

    class Parser(_Parser):
        rule = staticmethod(judge)
        cross_origin = allowed

    class Channel(_Lingering, base):  # type: ignore[misc]
        parser_class = Parser

    return Channel


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    rule: Judge
    cross_origin: CrossOrigin
    error: Any
    judged = False
    largest = 0

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:
            # Of a target such as http://[::1/; waitress does not expect it, and would close without an answer.
            raise ParsingError("Bad URI") from None
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self.headers_finished and not self.empty and (self.error is None or _is_too_large(self.error)):
            refusal = self._judge() if self.judged else self._judge_header()
            if refusal is not None:
                self.error = refusal
                self.completed = True
                self.expect_continue = False
            elif self.chunked and self.error is None and _framing(self.body_rcv) > _LONGEST_FRAMING:
                error = invalid_request("The framing of a chunk is too long")
                self.error = self._refusal(error.status, error.body(), error.headers)
                self.completed = True
        # What follows a refused header is its body, and not another request.
        return len(data) if isinstance(self.error, Refusal) else consumed

    def _judge_header(self) -> Refusal | None:
        self.judged = True
        headers = {name.replace("_", "-").lower(): value for name, value in self.headers.items()}
        if not (self.chunked or self.content_length):
            self.largest = self.adj.max_request_body_size
            return None
        try:
            self.largest = self.rule(self.command.upper(), self.request_uri, headers)
        except StorageError as error:
            return self._refusal(error.status, error.body(), error.headers)
        return self._judge()

    def _judge(self) -> Refusal | None:
        received = len(self.body_rcv) if self.chunked and self.body_rcv is not None else self.content_length
        if received <= self.largest and not _is_too_large(self.error):
            return None
        if path_of(self.request_uri) == GRAPHQL:
            return self._refusal(413, _too_large_for_graphql(self.largest))
        error = too_large()
        return self._refusal(error.status, error.body(), error.headers)

    def _refusal(self, status: int, body: bytes, headers: Headers = ()) -> Refusal:
        return Refusal(status, body, (*headers, *self.cross_origin.headers(self.headers.get("ORIGIN"))))


def _framing(receiver: Any) -> int:
    return len(receiver.control_line) + len(receiver.trailer)


def _is_too_large(error: object) -> bool:
    return isinstance(error, RequestEntityTooLarge)


class _Lingering(HTTPChannel):  # type: ignore[misc]
    """Closes a refused connection in two steps: nothing more is sent, and then, when the client ends, nothing read."""

    is_refused = False
    close_when_flushed: bool
    discarding_until: float | None = None
    discarded = 0

    def readable(self) -> bool:
        return self.discarding_until is not None or bool(super().readable())

    def writable(self) -> bool:
        if self.discarding_until is not None:
            return bool(self.will_close)
        return bool(super().writable())

    def handle_write(self) -> None:
        if self.discarding_until is None and self.close_when_flushed and not self.total_outbufs_len and self.is_refused:
            self.close_when_flushed = False
            self.discarding_until = time.monotonic() + _DISCARDING_S
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                self.handle_close()
            return
        super().handle_write()

    def handle_read(self) -> None:
        if self.discarding_until is None:
            super().handle_read()
            return
        try:
            data = self.recv(self.adj.recv_bytes)
        except OSError:
            self.handle_close()
            return
        self.discarded += len(data)
        if not data or self.discarded > _DISCARDED_BYTES or time.monotonic() > self.discarding_until:
            self.handle_close()

    def service(self) -> None:
        if self.requests and isinstance(self.requests[0].error, Refusal):
            self.is_refused = True
        super().service()


def _too_large_for_graphql(limit: int) -> bytes:
    error = {"message": f"The body is larger than {limit} bytes", "extensions": {"code": "LIMIT_EXCEEDED"}}
    return json.dumps({"errors": [error]}).encode()
