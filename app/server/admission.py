"""Decides on a request by its header, before a byte of its body is read.

waitress reads a body whole before it calls the application, so a client without a credential could fill the disk.
This checks what needs no database: whether the credential is genuine, and the declared length. What the credential
permits is decided by the database, when the body has been read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol
from urllib.parse import parse_qsl

from app.errors import PorticoError
from app.identity import Identity
from app.server.refusal import OVERLOADED
from app.server.request import Judgement, ReceivedHead, RequestRefused
from app.settings import Settings
from app.storage.errors import TooLarge
from app.storage.http.answer import Answer
from app.storage.http.credentials import bearer_token
from app.storage.http.head import Head, lines_of
from app.storage.http.signing import UPLOAD, Signer, check_scope, signed_key
from app.storage.http.slices import Slices
from app.storage.http.target import path_of, without_prefix
from app.storage.rest.credentials import caller_of, presented_token, required_signed_token
from app.storage.rest.errors import as_rest_error, invalid_request
from app.storage.rest.json_bodies import LARGEST_JSON_BODY
from app.storage.rest.routes import Match, Router, takes_object

GRAPHQL = "/graphql/v1"
# What a multipart form adds to an object: boundaries and fields.
ENVELOPE = 1024 * 1024


Recognizes = Callable[[str, str, Mapping[str, str]], bool]
"""Whether a request has a credential that a plugin accepts, by its method, path and headers."""


class Face(Protocol):
    """A protocol with rules of its own."""

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a request to this path, at this host, is one of the protocol."""
        ...

    def may_wait(self, headers: Mapping[str, str]) -> bool:
        """Whether ``largest_body`` may block on a request with these headers."""
        ...

    def largest_body(self, head: Head) -> int:
        """How many bytes the body may have. Raises PorticoError where the head alone forbids the request."""
        ...

    def slices(self, head: Head) -> Slices | None:
        """Whether the operation takes a part of the body; None if it needs all."""
        ...

    def busy_status(self, head: Head) -> int:
        """The status of the answer when there are more requests than can be served."""
        ...

    def refusal(self, head: Head, error: PorticoError) -> Answer:
        """The answer for an error, whose body is bytes."""
        ...


def largest_received(settings: Settings) -> int:
    """How many bytes any request may have: those of an object, and what a form or the coding of a body adds."""
    return max(settings.body_limit, settings.upload_size_limit * 33 // 32) + ENVELOPE


def nobody(method: str, path: str, headers: Mapping[str, str]) -> bool:
    return False


class Admission:
    """The rules of both APIs, and of ``faces``. ``signing_secret`` is the key that signs URLs."""

    def __init__(
        self,
        settings: Settings,
        recognizes: Recognizes = nobody,
        signing_secret: bytes = b"",
        faces: Sequence[Face] = (),
    ) -> None:
        self._faces = faces
        self._settings = settings
        self._recognizes = recognizes
        self._router = Router()
        self._identity = Identity(settings)
        self._signer = Signer(signing_secret)

    def judge(self, head: ReceivedHead) -> Judgement:
        face = self._face(head)
        if face is not None:
            sent = _as_sent(head)
            return Judgement(_by_face(face, sent), face.slices(sent))
        # A token may have expired later: operations on the storage verify it themselves, in the same words.
        return Judgement(self._largest_body(head), alike=True)

    def _largest_body(self, head: ReceivedHead) -> int:
        method, path, query = head.method, path_of(head.target), head.target.partition("?")[2]
        if method in ("GET", "HEAD"):
            raise _no_body_taken(path)
        if _is_graphql(path):
            return self._settings.body_limit
        try:
            match = self._router.match(method, without_prefix(path))
            if match is None:
                return self._settings.body_limit
            given = dict(parse_qsl(query, keep_blank_values=True))
            is_ours = match.route.credential == "ignored" or bearer_token(head.headers, given) is not None
            if is_ours or not self._recognizes(method, path, head.headers):
                self._check_credential(match, head.headers, given)
        except PorticoError as ex:
            raise _refused(ex) from None
        if not takes_object(match.route):
            return LARGEST_JSON_BODY
        is_form = head.headers.get("content-type", "").lower().startswith("multipart/")
        return self._settings.upload_size_limit + (ENVELOPE if is_form else 0)

    def busy_status(self, head: ReceivedHead) -> int:
        face = self._face(head)
        return OVERLOADED if face is None else face.busy_status(_as_sent(head))

    def may_wait(self, head: ReceivedHead) -> bool:
        face = self._face(head)
        if face is not None:
            return face.may_wait(head.headers)
        return self._settings.jwt_jwks is not None and not _is_graphql(path_of(head.target))

    def too_large(self, head: ReceivedHead, largest: int) -> RequestRefused:
        face = self._face(head)
        if face is not None:
            return _refused_by(face, _as_sent(head), TooLarge())
        if not _is_graphql(path_of(head.target)):
            return _refused(TooLarge())
        return _graphql_refusal(413, "LIMIT_EXCEEDED", f"The body is larger than {largest} bytes (BODY_LIMIT)")

    def _face(self, head: ReceivedHead) -> Face | None:
        path, host = path_of(head.target), head.headers.get("host")
        for face in self._faces:
            if face.leads_here(path, host):
                return face
        return None

    def _check_credential(self, match: Match, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
        credential = match.route.credential
        token = presented_token(credential, headers, query)
        if credential in ("required", "judged"):
            caller_of(self._identity, token)
        elif takes_object(match.route):
            self._check_signed(match, required_signed_token(query))

    def _check_signed(self, match: Match, token: str) -> None:
        claims = self._signer.verify(token)
        check_scope(claims, UPLOAD)
        signed_key(claims, match.bucket, match.key)


def _as_sent(head: ReceivedHead) -> Head:
    return Head.of(head.method, head.target, lines_of(head.block))


def _by_face(face: Face, sent: Head) -> int:
    try:
        return face.largest_body(sent)
    except PorticoError as ex:
        raise _refused_by(face, sent, ex) from None


def _refused_by(face: Face, head: Head, ex: PorticoError) -> RequestRefused:
    answer = face.refusal(head, ex)
    headers = (*answer.headers, ("content-type", answer.content_type)) if answer.content_type else answer.headers
    return RequestRefused(answer.status, answer.body if isinstance(answer.body, bytes) else b"", headers, answer.code)


def _is_graphql(path: str) -> bool:
    """Whether a path is that of the GraphQL API, or of one of its documents."""
    return path == GRAPHQL or path.startswith(GRAPHQL + "/")


def _no_body_taken(path: str) -> RequestRefused:
    message = "A request of this method has no body. Send it without one, or with another method."
    return _graphql_refusal(400, "BAD_REQUEST", message) if _is_graphql(path) else _refused(invalid_request(message))


def _graphql_refusal(status: int, code: str, message: str) -> RequestRefused:
    body = json.dumps({"errors": [{"message": message, "extensions": {"code": code}}]}).encode()
    return RequestRefused(status, body, code=code)


def _refused(ex: PorticoError) -> RequestRefused:
    error = as_rest_error(ex)
    return RequestRefused(error.status, error.body(), error.headers, error.code)
