"""Decodes the roles in the catalog's text: their memberships, their settings and the comments on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schema_cache.model import Membership, Role

RowsOf = Callable[[str], Sequence[Sequence[Any]]]
"""The rows of one list of the payload, by its name."""

# Applying these would break the request: they change the role or the encoding on which the service relies. Settings
# whose names begin with transaction_ are left out too: they would come too late in the transaction.
_UNSUITABLE_SETTINGS = frozenset({"role", "session_authorization", "client_encoding"})


def read_roles(rows_of: RowsOf) -> Iterator[Role]:
    """The roles of the server."""
    memberships = _memberships(rows_of)
    settings: dict[int, dict[str, str]] = defaultdict(dict)
    for role, name, value in rows_of("role_settings"):
        if name.lower() not in _UNSUITABLE_SETTINGS and not name.lower().startswith("transaction_"):
            settings[role][name] = value
    comments: dict[int, str] = dict(rows_of("role_comments"))  # type: ignore[arg-type]
    for oid, name, superuser, bypasses in rows_of("roles"):
        held = memberships.get(oid, ())
        own = tuple(settings.get(oid, {}).items())
        yield Role(oid, name, bool(superuser), bool(superuser or bypasses), held, own, comments.get(oid))


def _memberships(rows_of: RowsOf) -> dict[int, tuple[Membership, ...]]:
    # The same membership may be granted by several grantors; any of them suffices.
    merged: dict[int, dict[int, Membership]] = defaultdict(dict)
    for member, role, inherit, can_set in rows_of("memberships"):
        known = merged[member].get(role)
        merged[member][role] = Membership(
            role, bool(inherit) or bool(known and known.inherit), bool(can_set) or bool(known and known.can_set)
        )
    return {member: tuple(held.values()) for member, held in merged.items()}
