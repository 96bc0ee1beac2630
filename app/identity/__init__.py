"""Credentials become a Caller: the role and claims with which the database is asked."""

from app.identity.api_roles import ApiRoles
from app.identity.caller import Caller
from app.identity.identity import Identity, IdentitySettings
from app.identity.tokens import TokenError

__all__ = ["ApiRoles", "Caller", "Identity", "IdentitySettings", "TokenError"]
