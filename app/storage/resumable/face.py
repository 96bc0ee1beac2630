"""What is decided on a request before its body is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.errors import PorticoError
from app.identity import Identity
from app.storage.http.answer import Answer
from app.storage.http.credentials import bearer_token
from app.storage.http.head import Head
from app.storage.http.signing import Signer
from app.storage.http.slices import Slices
from app.storage.http.target import without_prefix
from app.storage.rest.credentials import caller_of, presented_token
from app.storage.resumable.answering import completed
from app.storage.resumable.errors import LOCKED, refusal
from app.storage.resumable.headers import BYTES, read_headers
from app.storage.resumable.routes import COLLECTION, OVERRIDE, ResumableRoute, find_route, method_of
from app.storage.resumable.signed import SignedUpload

# Of requests that have no bytes to store.
_LARGEST_OTHER = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResumableFace:
    """``largest`` is the most bytes of an object, ``slice`` those of one request. ``recognizes`` says whether a plugin
    accepts a request's credential."""

    identity: Identity
    signer: Signer
    largest: int
    slice: int
    recognizes: Callable[[str, str, Mapping[str, str]], bool] = field(repr=False)

    def leads_here(self, path: str, host: str | None) -> bool:
        """Whether a request to this path is one of this protocol."""
        inner = without_prefix(path)
        return inner == COLLECTION or inner.startswith(COLLECTION + "/")

    def largest_body(self, head: Head) -> int:
        """How many bytes the body may have. Raises what refuses the request without its body."""
        route = _route(head)
        if route is None or route.action == "options":
            return _LARGEST_OTHER
        query = head.query()
        if route.is_signed:
            SignedUpload.of(self.signer, head.headers)
        elif bearer_token(head.headers, query) is not None or not self.recognizes(head.method, head.path, head.headers):
            caller_of(self.identity, presented_token("required", head.headers, query))
        read_headers(_method(head), head.headers)
        return self.largest if route.action in ("create", "part") else _LARGEST_OTHER

    def slices(self, head: Head) -> Slices | None:
        """Whether what has arrived of the body counts. Of a body with a checksum, which is that of all of it, none."""
        route = _route(head)
        if route is None or head.headers.get("content-type") != BYTES or "upload-checksum" in head.headers:
            return None
        return Slices(self.slice, when_broken=route.action == "part")

    def may_wait(self, headers: Mapping[str, str]) -> bool:
        """Whether the decision may block: keys that verify tokens may have to be fetched."""
        return True

    def busy_status(self, head: Head) -> int:
        """The status of the answer when there are more requests than can be served."""
        return LOCKED if head.method == "HEAD" else 503

    def refusal(self, head: Head, error: PorticoError) -> Answer:
        """The answer for an error, whose body is bytes."""
        return completed(refusal(error, head.method), for_page="origin" in head.headers)


def _route(head: Head) -> ResumableRoute | None:
    return find_route(_method(head), without_prefix(head.path))


def _method(head: Head) -> str:
    return method_of(head.method, head.headers.get(OVERRIDE))
