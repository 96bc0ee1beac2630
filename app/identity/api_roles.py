"""The database roles that a token may name, so that a token issuer cannot choose any role of the database."""

from __future__ import annotations

from collections.abc import Callable

from app.errors import AccessError
from schema_cache.model import Catalog
from schema_cache.privileges import api_roles


class ApiRoles:
    """The roles ``named`` (API_ROLES) and the roles granted to them, in the catalog that ``current`` returns.
    ``refreshed`` reads the catalog again and returns it, since a role may be newer than the cached catalog.
    """

    def __init__(
        self, named: tuple[str, ...], current: Callable[[], Catalog], refreshed: Callable[[], Catalog]
    ) -> None:
        self._named = named
        self._current = current
        self._refreshed = refreshed
        self._known: tuple[Catalog, frozenset[str]] | None = None

    def check(self, role: str) -> None:
        """Raise AccessError (403) for a role that no token may have, and Unavailable if the database is not
        available."""
        if role in self._of(self._current()):
            return
        catalog = self._refreshed()
        # A role that does not exist is reported when it is used.
        if role in self._of(catalog) or role not in catalog.role_by_name:
            return
        raise AccessError(
            f"A token may not have the role {role!r}.",
            code="ROLE_NOT_ALLOWED",
            status=403,
            hint="API_ROLES names the roles that tokens may have.",
        )

    def _of(self, catalog: Catalog) -> frozenset[str]:
        known = self._known
        if known is None or known[0] is not catalog:
            known = self._known = (catalog, api_roles(catalog, self._named))
        return known[1]
