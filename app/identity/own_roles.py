"""The roles of the API that ``portico init`` creates."""

from __future__ import annotations

ANON = "anon"
"""The role of callers without a user's token."""
AUTHENTICATED = "authenticated"
"""The role of users whose token names no role."""
SERVICE_ROLE = "service_role"
"""The role of the operator's own programs: it bypasses row level security."""

OWN_ROLES = (ANON, AUTHENTICATED, SERVICE_ROLE)
