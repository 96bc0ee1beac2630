"""Turns credentials into a Caller: the database role and the claims with which statements run."""

from app.identity.api_roles import ApiRoles
from app.identity.caller import Caller
from app.identity.identity import Identity, has_keys
from app.identity.own_roles import ANON, AUTHENTICATED, OWN_ROLES, SERVICE_ROLE
from app.identity.tokens import TokenError

__all__ = [
    "ANON",
    "AUTHENTICATED",
    "OWN_ROLES",
    "SERVICE_ROLE",
    "ApiRoles",
    "Caller",
    "Identity",
    "TokenError",
    "has_keys",
]
