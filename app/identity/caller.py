"""The caller of a request, as the database sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from app.errors import AccessError

# PostgreSQL's NAMEDATALEN less the final zero byte. It truncates a longer name, which could then be another role.
_LONGEST_ROLE_NAME = 63


@dataclass(frozen=True, slots=True)
class Caller:
    """A database role and the claims that policies may read.

    ``claims`` always has ``role``. ``claims_json`` is the same as JSON. ``expires_at`` is the token's ``exp`` (seconds
    since 1970) or None. Two callers with the same ``cache_key`` have the same role and claims.
    """

    role: str = field(compare=False)
    claims: Mapping[str, Any] = field(compare=False, repr=False)
    claims_json: str = field(compare=False, repr=False)
    expires_at: float | None = field(compare=False)
    cache_key: str

    @classmethod
    def of(cls, claims: Mapping[str, Any], *, default_role: str) -> Caller:
        """The caller with these (verified) claims. Without a role claim the role is ``default_role``. Raises
        AccessError."""
        complete = dict(claims)
        role = complete.setdefault("role", default_role)
        check_role(role)
        try:
            claims_json = json.dumps(complete, separators=(",", ":"), allow_nan=False)
        except (ValueError, RecursionError):
            raise AccessError("The token's claims are not JSON.", code="INVALID_JWT") from None
        return cls(
            role=role,
            claims=complete,
            claims_json=claims_json,
            expires_at=expiry(complete),
            cache_key=blake2b(claims_json.encode(), digest_size=16).hexdigest(),
        )


def expiry(claims: Mapping[str, Any]) -> float | None:
    """The ``exp`` claim, None if there is none. Raises AccessError if it is not a number."""
    value = claims.get("exp")
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        raise AccessError("The token's exp claim is not a time.", code="INVALID_JWT") from None


def check_role(role: object) -> None:
    """Raise AccessError if ``role`` cannot be the name of a role to switch to.

    ``none`` is not a role: PostgreSQL would switch back to the login role, which may do everything.
    """
    if not isinstance(role, str) or not role or "\0" in role or role == "none":
        raise AccessError("The token's role claim is not the name of a role.", code="INVALID_JWT")
    try:
        length = len(role.encode())
    except UnicodeEncodeError:
        raise AccessError("The token's role claim is not the name of a role.", code="INVALID_JWT") from None
    if length > _LONGEST_ROLE_NAME:
        raise AccessError(f"The token's role claim is longer than {_LONGEST_ROLE_NAME} bytes.", code="INVALID_JWT")
