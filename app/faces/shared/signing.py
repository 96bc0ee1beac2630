"""Tokens of signed URLs: JSON Web Tokens (RFC 7519) with HS256, each for one object and one purpose."""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import jwt
from cryptography.fernet import Fernet
from cryptography.fernet import InvalidToken as NotSealed

from app.faces.shared.errors import InvalidSignature, InvalidToken, NoSigningSecret

DOWNLOAD, UPLOAD, COMPLETE = "download", "upload", "complete"
_SEAL = b"portico who signed"
# The latest time that JavaScript's Date can hold, in seconds since 1970. Clients read "exp" with it.
LATEST = 8_640_000_000_000


def _encoded(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


_encoder = json.JSONEncoder(separators=(",", ":"))
# PyJWT makes the same tokens, but encodes the constant header for each one. That takes an eighth of the time of a
# request that signs a URL.
_HEADER = _encoded(b'{"alg":"HS256","typ":"JWT"}')


@dataclass(frozen=True, slots=True)
class Signer:
    """Makes and verifies tokens with a secret. With an empty secret it makes none and refuses all."""

    secret: bytes = field(repr=False)

    def sign(self, claims: Mapping[str, Any], *, lifetime_s: int) -> str:
        """A token with these claims, valid for ``lifetime_s`` seconds. Raises NoSigningSecret."""
        if not self.secret:
            raise NoSigningSecret
        now = int(time.time())
        payload = _encoder.encode({**claims, "iat": now, "exp": now + lifetime_s})
        signed = _HEADER + b"." + _encoded(payload.encode())
        return (signed + b"." + _encoded(hmac.digest(self.secret, signed, "sha256"))).decode()

    def seal(self, claims: Mapping[str, Any]) -> str:
        """The claims, encrypted, so that the holder of a signed URL does not learn who signed it."""
        return self._box().encrypt(json.dumps(claims).encode()).decode()

    def unseal(self, sealed: object) -> dict[str, Any]:
        """The claims given to ``seal``. Raises InvalidToken."""
        try:
            claims: dict[str, Any] = json.loads(self._box().decrypt(str(sealed).encode()))
        except (NotSealed, ValueError):
            raise InvalidToken("Invalid Compact JWS") from None
        return claims

    def _box(self) -> Fernet:
        return Fernet(urlsafe_b64encode(hmac.digest(self.secret, _SEAL, "sha256")))

    def verify(self, token: str, *, allow_expired: bool = False) -> dict[str, Any]:
        """The claims of a token that ``sign`` made. With ``allow_expired``, an expired one is accepted too. Raises
        InvalidToken."""
        if not self.secret:
            raise InvalidToken("signature verification failed")
        try:
            return jwt.decode(
                token,
                self.secret,
                algorithms=["HS256"],
                options={
                    "verify_aud": False,
                    "verify_iat": False,
                    "verify_sub": False,
                    "verify_exp": not allow_expired,
                    "require": ["exp"],
                },
            )
        except jwt.ExpiredSignatureError:
            raise InvalidToken('"exp" claim timestamp check failed') from None
        except jwt.MissingRequiredClaimError:
            raise InvalidToken('missing required "exp" claim') from None
        except jwt.InvalidSignatureError:
            raise InvalidToken("signature verification failed") from None
        except jwt.InvalidAlgorithmError:
            raise InvalidToken('"alg" (Algorithm) Header Parameter value not allowed') from None
        except jwt.ImmatureSignatureError:
            raise InvalidToken('"nbf" claim timestamp check failed') from None
        except (jwt.PyJWTError, ValueError, OverflowError):
            raise InvalidToken("Invalid Compact JWS") from None


def check_scope(claims: Mapping[str, Any], scope: str, *, transformed: bool = False) -> None:
    """Raise InvalidSignature unless the token is for ``scope``. A token for a download is for the unchanged object, or,
    if ``transformed``, for an image rendered from it."""
    token_scope = claims.get("scope")
    # Older servers made tokens without a scope. They are for uploads if they have "upsert", otherwise for downloads.
    if token_scope == scope or (token_scope is None and scope == DOWNLOAD and "upsert" not in claims):
        if scope == DOWNLOAD and bool(claims.get("transformations")) != transformed:
            raise InvalidSignature(f"Token is {'not ' if transformed else ''}for a transformed image")
        return
    raise InvalidSignature(f"Token is not scoped for {scope}")


def signed_key(claims: Mapping[str, Any], bucket: str, key: str) -> str:
    """The key of the object that a token is for. ``key``, from the path, must be that key. It may be escaped once more,
    since some clients send %253F instead of %3F. Raises InvalidSignature."""
    for candidate in (key, unquote(key)):
        if claims.get("url") == f"{bucket}/{candidate}":
            return candidate
    raise InvalidSignature("Invalid signature")
