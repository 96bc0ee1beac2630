"""The admission rule of the storage's REST API: decisions on a request before its body is read.

It checks what needs no database: whether the credential is genuine, and the declared length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from app.errors import PorticoError
from app.faces.rest.credentials import caller_of, request_token, required_signed_token
from app.faces.rest.errors import as_rest_error, invalid_request
from app.faces.rest.json_bodies import MAX_JSON_BODY_BYTES
from app.faces.rest.router import Match, Router
from app.faces.shared.credentials import bearer_token
from app.faces.shared.paths import without_prefix
from app.faces.shared.signing import UPLOAD, Signer, check_scope, signed_key
from app.http.admission import Admitted
from app.http.head import ReceivedHead, path_of
from app.http.refusal import OVERLOADED_STATUS
from app.http.response import Response
from app.identity import Identity
from app.storage.errors import TooLarge

FORM_ENVELOPE = 1024 * 1024
"""The number of bytes that a multipart form may add to an object with its boundaries and fields."""

Recognizes = Callable[[str, str, Mapping[str, str]], bool]
"""Takes a request's method, path and headers; returns whether it has a credential that a plugin accepts."""


@dataclass(frozen=True, slots=True)
class RestAdmission:
    """An admission rule, see app.http.admission, for all paths of no other face. ``largest_upload`` is the size of the
    largest object, and ``largest_other`` that of the largest body of a request without a route, both in bytes.
    ``fetches_keys``: whether keys that verify tokens may have to be fetched."""

    router: Router
    identity: Identity = field(repr=False)
    signer: Signer = field(repr=False)
    recognizes: Recognizes = field(repr=False)
    largest_upload: int
    largest_other: int
    fetches_keys: bool

    def leads_here(self, path: str, host: str | None) -> bool:
        return True

    def may_wait(self, head: ReceivedHead) -> bool:
        return self.fetches_keys

    def admit(self, head: ReceivedHead) -> Admitted:
        # Operations verify the token again, with the same messages: it may expire meanwhile.
        return Admitted(self._largest(head), repeatable=True)

    def _largest(self, head: ReceivedHead) -> int:
        method, path, query = head.method, path_of(head.target), head.target.partition("?")[2]
        if method in ("GET", "HEAD"):
            raise invalid_request("A request of this method has no body. Send it without one, or with another method.")
        match = self.router.match(method, without_prefix(path))
        if match is None:
            return self.largest_other
        given = dict(parse_qsl(query, keep_blank_values=True))
        has_token = match.route.credential == "ignored" or bearer_token(head.headers, given) is not None
        if has_token or not self.recognizes(method, path, head.headers):
            self._check_credential(match, head.headers, given)
        if not match.route.takes_object:
            return MAX_JSON_BODY_BYTES
        is_form = head.headers.get("content-type", "").lower().startswith("multipart/")
        return self.largest_upload + (FORM_ENVELOPE if is_form else 0)

    def busy_status(self, head: ReceivedHead) -> int:
        return OVERLOADED_STATUS

    def refusal(self, head: ReceivedHead, error: PorticoError) -> Response:
        shown = as_rest_error(error)
        return Response(shown.status, shown.headers, shown.body(), code=shown.code)

    def too_large(self, head: ReceivedHead, largest: int) -> Response:
        return self.refusal(head, TooLarge())

    def _check_credential(self, match: Match, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
        credential = match.route.credential
        token = request_token(credential, headers, query)
        if credential in ("required", "verified"):
            caller_of(self.identity, token)
        elif match.route.takes_object:
            self._check_signed(match, required_signed_token(query))

    def _check_signed(self, match: Match, token: str) -> None:
        claims = self.signer.verify(token)
        check_scope(claims, UPLOAD)
        signed_key(claims, match.bucket, match.key)
