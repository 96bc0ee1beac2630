"""Tokens of signed URLs: JSON Web Tokens (RFC 7519) by HS256, each for one object and one purpose."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt

from app.identity.derived_keys import SIGNED_URLS, derived_key
from app.storage.errors import StorageError, invalid_signature, invalid_token

DOWNLOAD, UPLOAD = "download", "upload"
# The greatest number of seconds that JavaScript's Date can hold, in which clients read it.
LATEST = 8_640_000_000_000


@dataclass(frozen=True, slots=True)
class Signer:
    secret: bytes = field(repr=False)

    def sign(self, claims: Mapping[str, Any], *, lifetime_s: int) -> str:
        if not self.secret:
            raise StorageError("InternalError", 500, "URLs cannot be signed: no secret is configured", status=500)
        now = int(time.time())
        return jwt.encode({**claims, "iat": now, "exp": now + lifetime_s}, self.secret, algorithm="HS256")

    def verify(self, token: str) -> dict[str, Any]:
        """The claims of a token of ours that has not expired. Raises InvalidJWT."""
        if not self.secret:
            raise invalid_token("signature verification failed")
        try:
            return jwt.decode(
                token,
                self.secret,
                algorithms=["HS256"],
                options={"verify_aud": False, "verify_iat": False, "verify_sub": False, "require": ["exp"]},
            )
        except jwt.ExpiredSignatureError:
            raise invalid_token('"exp" claim timestamp check failed') from None
        except jwt.MissingRequiredClaimError:
            raise invalid_token('missing required "exp" claim') from None
        except jwt.InvalidSignatureError:
            raise invalid_token("signature verification failed") from None
        except jwt.InvalidAlgorithmError:
            raise invalid_token('"alg" (Algorithm) Header Parameter value not allowed') from None
        except jwt.ImmatureSignatureError:
            raise invalid_token('"nbf" claim timestamp check failed') from None
        except (jwt.PyJWTError, ValueError, OverflowError):
            raise invalid_token("Invalid Compact JWS") from None


def signing_secret(jwt_secret: str | None, service_role_key: str | None) -> bytes:
    """The key of signed URLs, made from the secret of tokens or else the service's key; empty when there is neither.

    Not the secret itself: a signed URL is no user's token then, and a user's token signs no URL.
    """
    secret = jwt_secret or service_role_key
    return derived_key(secret, SIGNED_URLS) if secret else b""


def check_scope(claims: Mapping[str, Any], scope: str) -> None:
    given = claims.get("scope")
    # Tokens without a scope were made by earlier servers; then they were for downloads, and uploads had "upsert".
    if given == scope or (given is None and scope == DOWNLOAD and "upsert" not in claims):
        if scope == DOWNLOAD and claims.get("transformations"):
            raise invalid_signature("Token is for a transformed image")
        return
    raise invalid_signature(f"Token is not scoped for {scope}")
