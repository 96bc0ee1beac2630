"""Identifies the caller of a request by its credentials."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping
from typing import Any

from app.errors import AccessError
from app.identity.api_roles import ApiRoles
from app.identity.caller import Caller, expiry
from app.identity.key_sets import KeySet
from app.identity.own_roles import ANON, AUTHENTICATED, SERVICE_ROLE
from app.identity.project import check_project
from app.identity.tokens import DEFAULT_LEEWAY_S, MAX_TOKEN_LENGTH, TokenError, TokenVerifier
from app.identity.verified_tokens import Verified
from app.settings import Settings

# A token is accepted for at most this time after its key was withdrawn.
_LONGEST_MEMORY_S = 300.0
_REMEMBERED = 2000
# Two tokens and the word Bearer; a header may have any number of spaces, so longer ones are not cached.
_LONGEST_REMEMBERED = 2 * MAX_TOKEN_LENGTH + 100


def has_keys(settings: Settings) -> bool:
    """Whether a key is configured that can identify callers. Without one, every request is refused."""
    return any((settings.jwt_secret, settings.jwt_jwks, settings.anon_key, settings.service_role_key))


class Identity:
    """Identifies callers. One per process, shared by its threads.

    ``roles``: the roles that tokens may name; None for any. ``leeway_s``: by how many seconds the clock of a token's
    issuer may differ from this machine's. ``now``: returns seconds since 1970.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        roles: ApiRoles | None = None,
        leeway_s: float = DEFAULT_LEEWAY_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._roles = roles
        self._project_ref = settings.project_ref
        self._keys: tuple[tuple[bytes, Caller], ...] = tuple(
            (key.encode(), Caller.of({"role": role}, default_role=role))
            for key, role in ((settings.anon_key, ANON), (settings.service_role_key, SERVICE_ROLE))
            if key
        )
        self._configured_ids = frozenset(id(caller) for _, caller in self._keys)
        audience = tuple(filter(None, (part.strip() for part in (settings.jwt_audience or "").split(","))))
        self._verifier = TokenVerifier(
            secret=settings.jwt_secret,
            keys=KeySet(settings.jwt_jwks) if settings.jwt_jwks else None,
            audience=audience,
            leeway_s=leeway_s,
        )
        self._leeway_s = leeway_s
        self._now = now
        self._callers: Verified[Caller] = Verified(_REMEMBERED)
        self._claims: Verified[Mapping[str, Any]] = Verified(_REMEMBERED)
        self._bearers: Verified[Caller] = Verified(_REMEMBERED)

    def caller(self, api_key: str | None, authorization: str | None, *, host: str | None) -> Caller:
        """The caller of the GraphQL API. The arguments are the headers ``apiKey``, ``Authorization`` and ``Host`` as
        received, or None.

        The API key is one of the two configured keys, or a token with a role. A bearer token takes precedence; its role
        is ``authenticated`` unless it names another. Raises AccessError (401, or 404 for another project's host name),
        or Unavailable if the keys that verify tokens cannot be fetched.
        """
        self.check_host(host)
        credentials = (api_key, authorization)
        caller = self._callers.find(credentials, self._now())
        if caller is None:
            caller = self._by_key(api_key)
            token = _bearer_token(authorization)
            if token is not None:
                caller = self._configured(token) or Caller.of(self._verified(token), default_role=AUTHENTICATED)
            if len(api_key or "") + len(authorization or "") <= _LONGEST_REMEMBERED:
                since, longest = self._span(None)
                # Not longer than the claims of either are cached: otherwise a token could be accepted for twice the
                # time after its key was withdrawn.
                until = min(self._claims.until(each, longest) for each in (api_key, token))
                self._callers.keep(credentials, caller, since, until)
        if id(caller) not in self._configured_ids:
            self._check_role(caller.role)
        return caller

    def check_host(self, host: str | None) -> None:
        """Raise AccessError (404) for the host name of another project."""
        if self._project_ref:
            check_project(host, self._project_ref)

    def verify(self, token: str) -> Mapping[str, Any]:
        """The claims of ``token``, which may also be one of the configured keys. Raises TokenError, AccessError or
        Unavailable."""
        configured = self._configured(token)
        if configured is not None:
            return configured.claims
        claims = self._verified(token)
        self._check_role(claims.get("role"))
        return claims

    def bearer(self, token: str, *, default_role: str) -> Caller:
        """The caller with ``token``. Without a role claim the role is ``default_role``. Raises what ``verify``
        raises."""
        claims = self.verify(token)
        caller = self._bearers.find((token, default_role), self._now())
        if caller is None:
            caller = Caller.of(claims, default_role=default_role)
            if len(token) <= MAX_TOKEN_LENGTH:
                self._bearers.keep((token, default_role), caller, *self._span(caller.expires_at))
        return caller

    def check_role(self, role: str) -> None:
        """Raise AccessError for a role that tokens may not name, or may no longer name."""
        if all(role != configured.role for _, configured in self._keys):
            self._check_role(role)

    def _check_role(self, role: object) -> None:
        # Checked each time: the roles may have changed since the token was cached.
        if self._roles is not None and isinstance(role, str):
            self._roles.check(role)

    def _by_key(self, api_key: str | None) -> Caller:
        if not api_key:
            raise missing_key()
        configured = self._configured(api_key)
        if configured is not None:
            return configured
        try:
            claims = self._verified(api_key)
        except TokenError as ex:
            if ex.reason == "expired":
                raise AccessError("The apiKey has expired.", code="JWT_EXPIRED") from None
            raise _wrong_key() from None
        if "role" not in claims:
            raise _wrong_key()
        return Caller.of(claims, default_role=ANON)

    def _configured(self, credential: str) -> Caller | None:
        # All keys are compared, each in constant time, so that the duration reveals nothing about a partial match.
        given = credential.encode(errors="replace")
        found = None
        for key, caller in self._keys:
            if hmac.compare_digest(given, key):
                found = caller
        return found

    def _verified(self, token: str) -> Mapping[str, Any]:
        claims = self._claims.find(token, self._now()) if len(token) <= MAX_TOKEN_LENGTH else None
        if claims is None:
            claims = self._verifier.verify(token)
            if "url" in claims and "role" not in claims:
                # This is the token of a signed URL, which anonymous clients get for one object.
                raise TokenError("signed_url")
            self._claims.keep(token, claims, *self._span(expiry(claims)))
        return claims

    def _span(self, expires_at: float | None) -> tuple[float, float]:
        """The times from which and until which a token that is verified now is cached."""
        now = self._now()
        longest = now + _LONGEST_MEMORY_S
        return now, longest if expires_at is None else min(longest, expires_at + self._leeway_s)


def _bearer_token(authorization: str | None) -> str | None:
    if authorization is None or not authorization.strip():
        return None
    scheme, _, token = authorization.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise AccessError("The header Authorization must be 'Bearer' and a token.", code="INVALID_JWT")
    return token.strip()


def missing_key() -> AccessError:
    """The error for a request without any known credential."""
    return AccessError(
        "The header apiKey is missing.",
        code="MISSING_API_KEY",
        hint="Send the project's anon key, or another API key, in the header apiKey.",
    )


def _wrong_key() -> AccessError:
    return AccessError("The apiKey is not one of this project's.", code="INVALID_API_KEY")
