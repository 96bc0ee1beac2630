"""Finds the credential in a request, with the same rule for admission and for the operations."""

from __future__ import annotations

from collections.abc import Mapping

from app.identity.tokens import Reason

_CREDENTIAL = "authorization"
_SCHEME = "bearer "

TOKEN_MESSAGES: Mapping[Reason, str] = {
    "malformed": "Invalid Compact JWS",
    "algorithm": '"alg" (Algorithm) Header Parameter value not allowed',
    "signature": "signature verification failed",
    "expired": '"exp" claim timestamp check failed',
    "not_yet_valid": '"nbf" claim timestamp check failed',
    "audience": 'unexpected "aud" claim value',
    "claims": "Invalid Compact JWS",
    "signed_url": "Token is that of a signed URL",
}
"""Why a token is refused, by its reason: the messages that clients expect."""


def bearer_token(headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """The credential: the header ``authorization``, else the query parameter of that name, else None."""
    given = headers.get(_CREDENTIAL)
    if given is None:
        given = query.get(_CREDENTIAL)
    if given is None:
        return None
    given = given.strip()
    return given[len(_SCHEME) :].strip() if given[: len(_SCHEME)].lower() == _SCHEME else given
