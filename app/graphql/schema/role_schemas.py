"""The GraphQL schemas in use: one for each view of the database and comment on a role, built on first use."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock

from app.bounded_cache import UNIT, BoundedCache
from app.errors import AccessError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.dialect import Dialect
from app.graphql.schema.notices import Notice
from app.graphql.schema.role_rules import RuleBook
from schema_cache.collector import collector_paused
from schema_cache.freshness import SchemaCache
from schema_cache.model import Catalog
from schema_cache.role_view import RoleView, RoleViews

log = logging.getLogger("portico.graphql")

KEPT = 64
"""How many schemas of a large database are kept. Roles with different grants have different schemas."""

SMALLER = 16
"""For the smallest databases, whose schemas take a fraction of the memory, ``KEPT * SMALLER`` schemas are kept."""

_RELATIONS = 16
"""A schema is large if it has at least ``_RELATIONS * SMALLER`` relations."""


def _kept_schemas() -> BoundedCache[ApiSchema]:
    return BoundedCache(KEPT * SMALLER)


def _size_of(schema: ApiSchema) -> int:
    """The size of a schema in that cache: a small one counts as one entry, a large one as ``SMALLER`` entries."""
    return min(len(schema.rows_by_oid) // _RELATIONS, SMALLER - 1) * UNIT


@dataclass(frozen=True, slots=True)
class BuiltSchemas:
    """Schemas that were built on one catalog, and the views of roles on that catalog."""

    views: RoleViews
    cache: BoundedCache[ApiSchema]


class RoleSchemas:
    """Safe to share between threads; two of them never build the same schema at once.

    ``of_other_logins``: roles that are assumed by another login than the one that read the catalog. ``inherited``:
    schemas that the parent of this process has built, on a catalog that ``schema_cache`` inherits too.
    """

    def __init__(
        self,
        schema_cache: SchemaCache,
        dialect: Dialect,
        rules: RuleBook,
        of_other_logins: frozenset[str] = frozenset(),
        inherited: BuiltSchemas | None = None,
    ) -> None:
        self._of_other_logins = of_other_logins
        self._schema_cache = schema_cache
        self._dialect = dialect
        self.rules = rules
        self._catalog = inherited.views.catalog if inherited else None
        self._built = inherited.cache if inherited else _kept_schemas()
        self._logged: set[Notice] = set()
        self._building = Lock()

    def of_role(self, role: str) -> ApiSchema:
        """The current schema of ``role``.

        Raises AccessError (403) for a role that does not exist or that the service may not assume.
        """
        try:
            view = self._view(role, self._schema_cache.current())
        except AccessError:
            # The role, or the service's membership in it, may be newer than the catalog.
            view = self._view(role, self._schema_cache.refresh_if_changed())
        known = view.catalog.role_by_name[role]
        comment, bypasses = known.comment, known.bypasses and view.catalog.distributed
        key = view.key, comment, bypasses
        found = self._built.get(key)
        if found is None:
            with self._building:
                found = self._built.get(key)
                if found is None:
                    found = self._build(role, view, comment, bypasses=bypasses)
                    self._keep(key, found)
        return found

    def build(self, roles: Iterable[str]) -> BuiltSchemas:
        """Build the schemas of those roles that exist, for processes that are forked from this one."""
        for role in roles:
            with suppress(AccessError):
                self.of_role(role)
        return BuiltSchemas(self._schema_cache.views(self._schema_cache.current()), self._built)

    def _view(self, role: str, catalog: Catalog) -> RoleView:
        views = self._schema_cache.views(catalog)
        if role in views.settable_roles or (role in self._of_other_logins and role in catalog.role_by_name):
            return views.view(role)
        if role in catalog.role_by_name:
            raise AccessError(f"The service may not act as the role {role!r}.", code="ROLE_NOT_ALLOWED", status=403)
        raise AccessError(f"The role {role!r} does not exist.", code="UNKNOWN_ROLE", status=403)

    def _keep(self, key: Hashable, built: ApiSchema) -> None:
        if built.catalog is not self._catalog and built.catalog is self._schema_cache.current():
            # Schemas of an outdated catalog are large, and no request uses them again.
            self._catalog, self._built = built.catalog, _kept_schemas()
        self._built.put(key, built, _size_of(built))

    def _build(self, role: str, view: RoleView, comment: str | None, *, bypasses: bool) -> ApiSchema:
        rules = replace(self.rules.of_comment(comment), bypasses_policies=bypasses)
        with collector_paused:
            built = ApiSchema(view, self._dialect, rules)
        for problem in rules.problems:
            built.notices.add(f"role {role}", f"its comment directive is left out: {problem}")
        new = [each for each in built.notices.so_far if each not in self._logged]
        self._logged.update(new)
        for notice in new:
            log.debug("%s: %s", notice.subject, notice.reason)
        if new:
            log.warning(
                "%d objects of the database are not in the API, such as %s: %s. `portico doctor` lists them.",
                len(new),
                new[0].subject,
                new[0].reason,
            )
        return built
