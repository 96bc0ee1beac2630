"""Sessions: an access token for an hour, and a refresh token that can be used once.

A refresh token is the id of its session, its number and a signature, so no token is stored. The session's row has the
number of the valid one. A token that was used before ends its session, since someone else may have it. As in Supabase's
documentation ("User sessions") there is one exception: the token before the valid one returns the valid one again, for
clients that refresh twice at the same time, or that did not receive the response.
"""

from __future__ import annotations

import binascii
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from uuid import UUID, uuid4

import jwt

from portico import Settings
from portico_sign_in.errors import Refusal
from portico_sign_in.users import Run, User, by_id

LIFETIME_S = 3600
_ID, _NUMBER = 16, 4
"""Lengths in a refresh token, in bytes."""


class Sessions:
    """Signs tokens with JWT_SECRET, which must be set."""

    def __init__(self, settings: Settings) -> None:
        self._secret = (settings.jwt_secret or "").encode()
        self._audience = (settings.jwt_audience or "").partition(",")[0].strip()
        self._issuer = f"{(settings.public_url or 'http://localhost').rstrip('/')}/auth/v1"

    def start(self, run: Run, user: User) -> dict[str, Any]:
        """A new session, as the response of a sign-in."""
        session = uuid4()
        run("insert into auth.sessions (id, user_id) values ($1::uuid, $2::uuid)", str(session), user.id)
        run("update auth.users set last_sign_in_at = pg_catalog.now() where id = $1::uuid", user.id)
        return self._tokens(by_id(run, user.id), session, 0)

    def refresh(self, run: Run, token: str) -> dict[str, Any] | Refusal:
        """The session with new tokens, or the reason to refuse it. The refusal is returned, not raised, since the
        end of the session must be committed."""
        session, number = self._read(token)
        # Locked first: of two requests at once, the second sees that the first has used the token.
        rows = run("select user_id, refreshes from auth.sessions where id = $1::uuid for update", str(session))
        if not rows:
            return _unknown_token()
        user, valid = by_id(run, rows[0][0] or ""), int(rows[0][1] or 0)
        if number < valid - 1:
            run("delete from auth.sessions where id = $1::uuid", str(session))
            return Refusal(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        if user.is_banned:
            return banned()
        if number == valid:
            valid += 1
            run("update auth.sessions set refreshes = $2::int, updated_at = pg_catalog.now() where id = $1::uuid",
                str(session), str(valid))  # fmt: skip
        return self._tokens(user, session, valid)

    def _tokens(self, user: User, session: UUID, number: int) -> dict[str, Any]:
        now = int(time.time())
        return {
            "access_token": self._access_token(user, session, now),
            "token_type": "bearer",
            "expires_in": LIFETIME_S,
            "expires_at": now + LIFETIME_S,
            "refresh_token": self._refresh_token(session, number),
            "user": user.json(),
        }

    def _refresh_token(self, session: UUID, number: int) -> str:
        named = session.bytes + number.to_bytes(_NUMBER)
        return urlsafe_b64encode(named + self._signature(named)).decode()

    def _read(self, token: str) -> tuple[UUID, int]:
        """The session of a refresh token, and the token's number."""
        try:
            raw = urlsafe_b64decode(token.encode("ascii"))
        except (ValueError, binascii.Error):
            raise _unknown_token() from None
        named, signature = raw[: _ID + _NUMBER], raw[_ID + _NUMBER :]
        if not hmac.compare_digest(signature, self._signature(named)):
            raise _unknown_token()
        return UUID(bytes=named[:_ID]), int.from_bytes(named[_ID:])

    def _signature(self, named: bytes) -> bytes:
        return hmac.digest(self._secret, b"refresh token\0" + named, "sha256")[:16]

    def _access_token(self, user: User, session: UUID, now: int) -> str:
        claims = {
            "iss": self._issuer, "sub": user.id, "aud": self._audience or user.aud, "exp": now + LIFETIME_S, "iat": now,
            "email": user.email, "phone": "", "app_metadata": user.app_metadata, "user_metadata": user.user_metadata,
            "role": user.role, "aal": "aal1", "amr": [{"method": "password", "timestamp": now}],
            "session_id": str(session), "is_anonymous": False,
        }  # fmt: skip
        return jwt.encode(claims, self._secret, "HS256")


def check(run: Run, session: str, user_id: str) -> None:
    """Raise Refusal if the session of an access token has ended."""
    if not run("select from auth.sessions where id::text = $1 and user_id::text = $2", session, user_id):
        raise Refusal(403, "session_not_found", "Session from session_id claim in JWT does not exist")


def end(run: Run, session: str, user_id: str, scope: str) -> None:
    """End the session (``local``), all of the user's (``global``), or all but it (``others``)."""
    which = {"local": " and id::text = $2", "others": " and id::text <> $2", "global": " and $2::text is not null"}
    run(f"delete from auth.sessions where user_id::text = $1{which[scope]}", user_id, session)


def banned() -> Refusal:
    return Refusal(400, "user_banned", "User is banned")


def _unknown_token() -> Refusal:
    return Refusal(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
