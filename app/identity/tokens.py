"""Verifies tokens: RFC 7519 (JWT), with the advice of RFC 8725."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import jwt

from app.errors import AccessError
from app.identity.key_sets import KeySet
from app.identity.verification_keys import ASYMMETRIC_ALGORITHMS, SHARED_KEY_ALGORITHMS, VerificationKey

MAX_TOKEN_LENGTH = 16 * 1024
DEFAULT_LEEWAY_S = 5.0

Reason = Literal["malformed", "algorithm", "signature", "expired", "not_yet_valid", "audience", "claims", "signed_url"]

_MESSAGES: dict[Reason, str] = {
    "malformed": "The token is not a JSON Web Token.",
    "algorithm": "The token's algorithm is not allowed.",
    "signature": "The token's signature cannot be verified.",
    "expired": "The token has expired.",
    "not_yet_valid": "The token is not valid yet.",
    "audience": "The token is meant for another audience.",
    "claims": "The token has a claim that cannot be read.",
    "signed_url": "The token is that of a signed URL.",
}
_HINT = 'docs/identity-providers.md, "If a token is refused"'
_OWN_ALGORITHM = "HS256"
_MOST_KEYS_TRIED = 10


class TokenError(AccessError):
    """The token is refused for ``reason``. The code is INVALID_JWT, or JWT_EXPIRED for "expired"."""

    code = "INVALID_JWT"

    def __init__(self, reason: Reason) -> None:
        super().__init__(_MESSAGES[reason], code="JWT_EXPIRED" if reason == "expired" else None, hint=_HINT)
        self.reason = reason


class TokenVerifier:
    """Verifies tokens with the secret (HS256) and with a key set (RS, PS, ES, EdDSA; HS if the set is not public).

    ``audience``: one of these must be in ``aud``; if empty, any is accepted. ``leeway_s``: permitted clock skew in
    seconds.
    """

    def __init__(
        self, *, secret: str | None, keys: KeySet | None, audience: tuple[str, ...] = (), leeway_s: float
    ) -> None:
        self._secret = secret.encode() if secret else None
        self._keys = keys
        self._audience = audience
        self._leeway_s = leeway_s

    def verify(self, token: str) -> dict[str, Any]:
        """The claims of ``token``. Raises TokenError, or Unavailable if the keys cannot be read."""
        if len(token) > MAX_TOKEN_LENGTH or not token.isascii():
            raise TokenError("malformed")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise TokenError("malformed") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str):
            raise TokenError("algorithm")
        for key in self._candidates(algorithm, kid):
            try:
                return self._decode(token, key, algorithm)
            except (jwt.InvalidSignatureError, jwt.InvalidKeyError):
                continue
        raise TokenError("signature")

    def _candidates(self, algorithm: str, kid: str | None) -> Iterator[jwt.PyJWK | bytes]:
        """The keys that may verify the token: those whose type allows the algorithm that the token names."""
        keys = self._keys
        if algorithm in ASYMMETRIC_ALGORITHMS and keys is not None:
            tried = keys.matching(algorithm, kid)
            yield from _prepared(tried, algorithm)
            if kid is None or all(key.kid != kid for key in tried):
                # The issuer may have new keys. Keys that already failed are not tried again.
                renewed = keys.matching(algorithm, kid, renewed=True)
                yield from _prepared([key for key in renewed if all(key is not old for old in tried)], algorithm)
        elif algorithm == _OWN_ALGORITHM and self._secret is not None:
            yield self._secret
            if keys is not None and not keys.public:
                yield from _prepared(keys.matching(algorithm, kid), algorithm)
        elif algorithm in SHARED_KEY_ALGORITHMS and keys is not None and not keys.public:
            yield from _prepared(keys.matching(algorithm, kid), algorithm)
        else:
            raise TokenError("algorithm")

    def _decode(self, token: str, key: jwt.PyJWK | bytes, algorithm: str) -> dict[str, Any]:
        try:
            return jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._audience or None,
                leeway=self._leeway_s,
                options={
                    "verify_aud": bool(self._audience),
                    # RFC 7519 does not require these checks, and valid tokens of well-known issuers fail them.
                    "verify_iat": False,
                    "verify_sub": False,
                    "verify_jti": False,
                },
            )
        except jwt.ExpiredSignatureError:
            raise TokenError("expired") from None
        except jwt.ImmatureSignatureError:
            raise TokenError("not_yet_valid") from None
        except (jwt.InvalidAudienceError, jwt.MissingRequiredClaimError):
            raise TokenError("audience") from None
        except jwt.InvalidAlgorithmError:
            raise TokenError("algorithm") from None
        except (jwt.InvalidSignatureError, jwt.InvalidKeyError):
            raise
        except (jwt.PyJWTError, ValueError, OverflowError):
            raise TokenError("claims") from None


def _prepared(keys: Sequence[VerificationKey], algorithm: str) -> Iterator[jwt.PyJWK]:
    for key in keys[:_MOST_KEYS_TRIED]:
        yield key.prepared_for(algorithm)
