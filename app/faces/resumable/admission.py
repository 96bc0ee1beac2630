"""The admission rule of this protocol: decisions on a request before its body is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.errors import PorticoError
from app.faces.rest.admission import Recognizes
from app.faces.rest.credentials import caller_of, request_token
from app.faces.resumable.common_headers import completed
from app.faces.resumable.errors import LOCKED, refusal
from app.faces.resumable.headers import BYTES, read_headers
from app.faces.resumable.routes import COLLECTION, OVERRIDE, ResumableRoute, find_route, method_of
from app.faces.resumable.upload_tokens import SignedUpload
from app.faces.shared.credentials import bearer_token
from app.faces.shared.paths import without_prefix
from app.faces.shared.signing import Signer
from app.http.admission import Admitted
from app.http.head import Head, ReceivedHead
from app.http.refusal import OVERLOADED_STATUS
from app.http.response import Response
from app.http.slices import Slices
from app.identity import Identity
from app.storage.errors import TooLarge

# The largest body of a request without bytes to store.
_MAX_OTHER_BODY_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResumableAdmission:
    """An admission rule, see app.http.admission. ``largest`` is the size of the largest object. ``slice`` is the number
    of bytes after which a request may be answered, although its body continues. ``recognizes``: whether a plugin
    accepts a request's credential."""

    identity: Identity
    signer: Signer
    largest: int
    slice: int
    recognizes: Recognizes = field(repr=False)

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a request to this path is one of this protocol."""
        inner = without_prefix(path)
        return inner == COLLECTION or inner.startswith(COLLECTION + "/")

    def may_wait(self, head: ReceivedHead) -> bool:
        """Whether the decision may block: keys that verify tokens may have to be fetched."""
        return True

    def admit(self, head: ReceivedHead) -> Admitted:
        sent = head.as_sent()
        return Admitted(self._largest(sent), self._slices(sent))

    def _largest(self, head: Head) -> int:
        route = _route(head)
        if route is None or route.action == "options":
            return _MAX_OTHER_BODY_BYTES
        query = head.query()
        if route.is_signed:
            SignedUpload.of(self.signer, head.headers)
        elif bearer_token(head.headers, query) is not None or not self.recognizes(head.method, head.path, head.headers):
            caller_of(self.identity, request_token("required", head.headers, query))
        read_headers(_method(head), head.headers)
        return self.largest if route.action in ("create", "part") else _MAX_OTHER_BODY_BYTES

    def _slices(self, head: Head) -> Slices | None:
        """When a request may be answered before the end of its body. None for a body with a checksum, which covers the
        complete body."""
        route = _route(head)
        if route is None or head.headers.get("content-type") != BYTES or "upload-checksum" in head.headers:
            return None
        return Slices(self.slice, when_broken=route.action == "part")

    def busy_status(self, head: ReceivedHead) -> int:
        return LOCKED if head.method == "HEAD" else OVERLOADED_STATUS

    def refusal(self, head: ReceivedHead, error: PorticoError) -> Response:
        return completed(refusal(error, head.method), for_page="origin" in head.as_sent().headers)

    def too_large(self, head: ReceivedHead, largest: int) -> Response:
        return self.refusal(head, TooLarge())


def _route(head: Head) -> ResumableRoute | None:
    return find_route(_method(head), without_prefix(head.path))


def _method(head: Head) -> str:
    return method_of(head.method, head.headers.get(OVERRIDE))
