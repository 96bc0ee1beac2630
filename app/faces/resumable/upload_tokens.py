"""Upload tokens, with which anyone can upload one object. Each request carries the token in a header."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.faces.resumable.errors import TusError
from app.faces.shared.errors import InvalidSignature
from app.faces.shared.signing import UPLOAD, Signer, check_scope
from app.identity import ANON, Caller, Identity
from app.storage.records import ObjectName
from app.storage.request_context import RequestContext

_HEADER = "x-signature"


@dataclass(frozen=True, slots=True)
class SignedUpload:
    """A token that this service signed. It may have expired. ``digest`` identifies it."""

    claims: Mapping[str, Any]
    digest: str
    token: str
    signer: Signer

    @classmethod
    def of(cls, signer: Signer, headers: Mapping[str, str]) -> SignedUpload:
        """The token of a request. Raises TusError, InvalidToken and InvalidSignature."""
        token = headers.get(_HEADER)
        if not token:
            raise TusError(400, "Missing x-signature header")
        claims = signer.verify(token, allow_expired=True)
        check_scope(claims, UPLOAD)
        return cls(claims, hashlib.sha256(token.encode()).hexdigest(), token, signer)

    @property
    def upsert(self) -> bool:
        return self.claims.get("upsert") is True

    def check(self, name: ObjectName, begun_with: object) -> None:
        """Raise InvalidSignature unless the token is for this object, and InvalidToken when it has expired.

        ``begun_with`` is the digest of the token that began the upload. If it is this token, the upload may continue
        after the token has expired.
        """
        if self.claims.get("url") != f"{name.bucket}/{name.key}":
            raise InvalidSignature("Invalid signature")
        if begun_with != self.digest:
            self.signer.verify(self.token)

    def context(self, identity: Identity, context: RequestContext) -> RequestContext:
        """The request context with the signer as its caller: the signer's rights apply. Raises if the signer's role is
        refused."""
        caller = Caller.of(self.signer.unseal(self.claims.get("signer")), default_role=ANON)
        identity.check_role(caller.role)
        return context.as_signer(caller)
