"""Turns credentials into a Caller: the role and the claims with which statements run."""

from app.identity.api_roles import ApiRoles
from app.identity.caller import Caller
from app.identity.identity import ANON, Identity, IdentitySettings
from app.identity.tokens import TokenError

__all__ = ["ANON", "ApiRoles", "Caller", "Identity", "IdentitySettings", "TokenError"]
