"""The GraphQL schemas in use: one for each view of the database and comment on a role, built on first use."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock, Thread
from time import sleep

from app.bounded_cache import UNIT, BoundedCache
from app.errors import AccessError, PorticoError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.dialect import Dialect
from app.graphql.schema.notices import Notice
from app.graphql.schema.remembered import Remembered
from app.graphql.schema.role_rules import RuleBook
from app.graphql.schema.schemas_in_use import SchemasInUse
from schema_cache.collector import collector_paused
from schema_cache.difference import CatalogDifference, difference
from schema_cache.freshness import SchemaCache
from schema_cache.model import Catalog
from schema_cache.role_view import RoleView, RoleViews

log = logging.getLogger("portico.graphql")

KEPT = 64
"""How many schemas of a large database are kept. Roles with different grants have different schemas."""

SMALLER = 16
"""For the smallest databases, whose schemas take a fraction of the memory, ``KEPT * SMALLER`` schemas are kept."""

_RELATIONS = 16
LARGE = _RELATIONS * SMALLER
"""A schema is large if it has at least this number of relations."""

_MOST_BEFORE = 4

_PAUSE_S, _MOST_PAUSES = 0.3, 20
"""How long the schema must stay the same before it is made without a request that needs it, and how often at most the
time starts again."""


def _kept_schemas() -> BoundedCache[ApiSchema]:
    return BoundedCache(KEPT * SMALLER)


def _size_of(schema: ApiSchema) -> int:
    """The size of a schema in that cache: a small one counts as one entry, a large one as ``SMALLER`` entries."""
    return min(len(schema.rows_by_oid) // _RELATIONS, SMALLER - 1) * UNIT


@dataclass(frozen=True, slots=True)
class BuiltSchemas:
    """Schemas that were built on one catalog, the views of roles on that catalog, and what was found out meanwhile, by
    the rules of roles."""

    views: RoleViews
    cache: BoundedCache[ApiSchema]
    remembered: Mapping[Hashable, Remembered]


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
        self.in_use = SchemasInUse(LARGE)
        self._living: list[ApiSchema] = []
        self._of_role: dict[str, ApiSchema] = {}
        self._before: dict[str, ApiSchema] = {}
        self._in_background: set[str] = set()
        self._difference: tuple[Catalog, Catalog, CatalogDifference] | None = None
        self._remembered: dict[Hashable, Remembered] = dict(inherited.remembered) if inherited else {}
        self._logged: set[Notice] = set()
        self._building = Lock()
        self._lock = Lock()

    def of_role(self, role: str) -> ApiSchema:
        """The current schema of ``role``, which is never freed while it is referenced.

        Raises AccessError (403) for a role that does not exist or that the service may not assume.
        """
        found = self.lend(role)
        found.is_kept = True
        return found

    def lend(self, role: str) -> ApiSchema:
        """Like ``of_role``, for as long as this thread holds the schema (``in_use``)."""
        while not self.in_use.hold(found := self._find(role)):
            pass
        return found

    def _find(self, role: str) -> ApiSchema:
        view = self._current_view(role)
        found = self._built.get(self._key(role, view))
        if found is None:
            with self._building:
                # If the schema has changed while this thread waited, the outdated one is not made.
                view = self._current_view(role)
                key = self._key(role, view)
                found = self._built.get(key)
                if found is None:
                    found = self._build(role, view, *key[1:])
                    self._keep(key, found)
        if view.catalog is self._catalog:
            self._of_role[role] = found
            before = self._before.pop(role, None)
            if before is not None and before not in self._before.values():
                self.in_use.retire(before)
        return found

    def _current_view(self, role: str) -> RoleView:
        try:
            return self._view(role, self._schema_cache.current())
        except AccessError:
            # The role, or the service's membership in it, may be newer than the catalog.
            return self._view(role, self._schema_cache.refresh_if_changed())

    def _key(self, role: str, view: RoleView) -> tuple[str, str | None, bool]:
        """The view's key, the comment on the role, and whether it bypasses policies on Citus."""
        known = view.catalog.role_by_name[role]
        return view.key, known.comment, known.bypasses and view.catalog.distributed

    def at_hand(self, role: str) -> tuple[ApiSchema, Catalog] | None:
        """The newest schema of the role that exists, and the current catalog. If that is another one than the schema's,
        the current schema is being made: this starts that. None for small schemas, and if the role has none yet."""
        while (known := self._of_role.get(role) or self._before.get(role)) is not None:
            current = self._schema_cache.known
            if current is None or len(known.rows_by_oid) < LARGE:
                return None
            if self.in_use.hold(known):
                if known.catalog is not current:
                    self._make_in_background(role)
                return known, current
        return None

    def _make_in_background(self, role: str) -> None:
        with self._lock:
            is_first = role not in self._in_background
            self._in_background.add(role)
        if is_first:
            Thread(target=self._make, args=(role,), name="schema-maker", daemon=True).start()

    def _make(self, role: str) -> None:
        self._wait_for_more()
        mark = self.in_use.mark()
        try:
            self.lend(role)
        except PorticoError as ex:
            log.debug("the schema of the role %s could not be made (%s)", role, type(ex).__name__)
        finally:
            self.in_use.release(mark)
            with self._lock:
                self._in_background.discard(role)

    def _wait_for_more(self) -> None:
        """Wait until changes no longer follow each other: a schema made now would be outdated at once. A request that
        needs it makes it without this."""
        for _ in range(_MOST_PAUSES):
            known = self._schema_cache.known
            sleep(_PAUSE_S)
            if known is self._schema_cache.known:
                return

    def is_unchanged(self, api: ApiSchema, current: Catalog, reads: frozenset[int]) -> bool:
        """Whether the relations with these oids are the same in the schema's catalog and in the current one, and
        nothing else has changed that a query of them could notice."""
        known = self._difference
        if known is None or known[0] is not api.catalog or known[1] is not current:
            known = self._difference = api.catalog, current, difference(api.catalog, current)
        return known[2].is_local and known[2].relations.isdisjoint(reads)

    def _remembered_by(self, view: RoleView, rules: Hashable) -> Remembered:
        """The values that schemas on the view's catalog share if they have the same rules."""
        catalog = view.catalog
        context = view.exclusion, tuple((each.name, each.comment) for each in catalog.schemas)
        before = self._remembered.get(rules)
        if before is None or before.version != catalog.version:
            before = self._remembered[rules] = Remembered(catalog.version, context, before)
        return before

    def build(self, roles: Iterable[str]) -> BuiltSchemas:
        """Build the schemas of those roles that exist, for processes that are forked from this one."""
        for role in roles:
            with suppress(AccessError):
                self.of_role(role)
        return BuiltSchemas(self._schema_cache.views(self._schema_cache.current()), self._built, self._remembered)

    def _view(self, role: str, catalog: Catalog) -> RoleView:
        views = self._schema_cache.views(catalog)
        if role in views.settable_roles or (role in self._of_other_logins and role in catalog.role_by_name):
            return views.view(role)
        if role in catalog.role_by_name:
            raise AccessError(f"The service may not act as the role {role!r}.", code="ROLE_NOT_ALLOWED", status=403)
        raise AccessError(f"The role {role!r} does not exist.", code="UNKNOWN_ROLE", status=403)

    def _keep(self, key: Hashable, built: ApiSchema) -> None:
        if built.catalog is not self._catalog:
            # Schemas of an outdated catalog are large, and no request uses them again. They are made one after the
            # other, so this catalog is the newer one, also if it is outdated by now.
            self._catalog, self._built = built.catalog, _kept_schemas()
            # Those of a few roles serve requests that the change does not concern until the new ones are made.
            awaited = {role: each for role, each in self._before.items() if role in self._in_background}
            outdated = {*self._living, *self._before.values()}
            self._before = dict(list((awaited | self._of_role).items())[-_MOST_BEFORE:])
            self._of_role, self._living, self._difference = {}, [], None
            for each in outdated.difference(self._before.values()):
                self.in_use.retire(each)
        self._built.put(key, built, _size_of(built))
        self._living.append(built)

    def _build(self, role: str, view: RoleView, comment: str | None, bypasses: bool) -> ApiSchema:
        rules = replace(self.rules.of_comment(comment), bypasses_policies=bypasses)
        with collector_paused:
            built = ApiSchema(view, self._dialect, rules, self._remembered_by(view, (comment, bypasses)))
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
