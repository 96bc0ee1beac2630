"""Generates secrets and keys: JSON Web Tokens (RFC 7519) signed with HS256."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field

import jwt

from app.identity.own_roles import ANON, SERVICE_ROLE

TEN_YEARS_S = 10 * 365 * 24 * 60 * 60
ISSUER = "portico"
SHORTEST_SECRET = 32
"""In bytes; a shorter one could be guessed (RFC 7518, section 3.2)."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The secret and the keys signed with it."""

    jwt_secret: str
    anon_key: str
    service_role_key: str

    def lines(self) -> str:
        """The keys as lines of an environment file."""
        return f"JWT_SECRET={self.jwt_secret}\nANON_KEY={self.anon_key}\nSERVICE_ROLE_KEY={self.service_role_key}\n"


def is_too_short(secret: str) -> bool:
    """Whether a secret is so short that it could be guessed."""
    return len(secret.encode()) < SHORTEST_SECRET


def make_keys(secret: str | None = None) -> Keys:
    """New keys, signed with ``secret`` or with a new one."""
    secret = secret or secrets.token_urlsafe(48)
    key = SigningKey(secret.encode())
    return Keys(secret, make_token(key, ANON, TEN_YEARS_S), make_token(key, SERVICE_ROLE, TEN_YEARS_S))


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that signs tokens. ``key_id`` is its id in the key set, if it has one."""

    secret: bytes = field(repr=False)
    algorithm: str = "HS256"
    key_id: str | None = None


def make_token(
    key: SigningKey,
    role: str,
    lifetime_s: int,
    *,
    subject: str | None = None,
    audience: str | None = None,
    email: str | None = None,
) -> str:
    """A token for ``role``, valid for ``lifetime_s`` seconds."""
    now = int(time.time())
    claims = {"iss": ISSUER, "role": role, "sub": subject, "aud": audience, "email": email}
    headers = {"kid": key.key_id} if key.key_id else None
    given = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode({**given, "iat": now, "exp": now + lifetime_s}, key.secret, key.algorithm, headers)
