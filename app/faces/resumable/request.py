"""One request of this protocol, as its operations take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.faces.resumable.headers import UploadHeaders
from app.faces.resumable.upload_tokens import SignedUpload
from app.storage.bytes.backend import ByteSource
from app.storage.request_context import RequestContext


@dataclass(frozen=True, slots=True)
class UploadRequest:
    """``signed`` is the upload token; None on routes with a user's token. ``length`` is that of ``body``; None if it is
    unknown. ``url_of`` takes an upload's id and returns its URL."""

    context: RequestContext
    signed: SignedUpload | None
    upload_id: str
    headers: UploadHeaders
    body: ByteSource = field(repr=False)
    length: int | None
    url_of: Callable[[str], str] = field(repr=False)
