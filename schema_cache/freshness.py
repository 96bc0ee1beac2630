"""Holds the current catalog, and keeps it current."""

from __future__ import annotations

import logging
from threading import Lock, Thread
from time import time

from schema_cache.ahead import changed_relations
from schema_cache.changes import with_changes
from schema_cache.decode import decode
from schema_cache.exclusion import NOTHING, Exclusion
from schema_cache.loader import Run, fetch_catalog, fetch_changes
from schema_cache.model import Catalog
from schema_cache.role_view import RoleViews
from schema_cache.shared_call import SharedCall
from schema_cache.state import SchemaState, read_schema_state

_CATALOGS_WITH_VIEWS = 2

log = logging.getLogger(__name__)


class SchemaCache:
    """Holds the catalog of one database, and replaces it when the schema has changed.

    A request calls ``current()`` once and keeps the catalog, which a reload does not change. All methods may be called
    from any thread. Errors of ``run`` are passed on, and the previous catalog stays current.
    """

    def __init__(
        self,
        run: Run,
        api_schemas: tuple[str, ...],
        *,
        infer_view_keys: bool = False,
        exclusion: Exclusion = NOTHING,
        inherited: RoleViews | None = None,
    ) -> None:
        """``run`` queries the database (see ``loader.Run``); several threads may call it at the same time. With
        ``infer_view_keys`` views have the keys that follow from their queries. ``exclusion``: objects that no role
        sees. ``inherited``: views on a catalog that was read before, with the same arguments; it becomes current if the
        database's schema has not changed since then."""
        self._run = run
        self._api_schemas = api_schemas
        self._infer_view_keys = infer_view_keys
        self._exclusion = exclusion
        self._catalog: Catalog | None = None
        self.read_at = 0.0
        """When the catalog was read, in seconds since 1970; 0 before that."""
        self._missing: list[str] = []
        self._views_lock = Lock()
        self._views: tuple[RoleViews, ...] = ()
        self._inherited = inherited
        self._reading = Lock()
        self._outdated: Catalog | None = None
        self._listed: tuple[Catalog, bytes, frozenset[int] | None] | None = None
        self._is_refreshing = Lock()
        self._contents: tuple[Catalog | None, str] = None, ""
        self._first_load = SharedCall(self._first)
        self._update = SharedCall(self._read_changes)
        self._reload = SharedCall(self._load)
        self._thorough_refresh = SharedCall(lambda: self._refresh(thorough=True))
        self._quick_refresh = SharedCall(lambda: self._refresh(thorough=False))

    def current(self) -> Catalog:
        """The current catalog. The first call reads it from the database."""
        return self._catalog or self._first_load()

    @property
    def known(self) -> Catalog | None:
        """The current catalog; None if none was read yet."""
        return self._catalog

    def reload(self) -> Catalog:
        """Read the catalog now. Threads that call this at the same time share one read, which begins after their
        calls."""
        return self._reload()

    def refresh_if_changed(self, *, thorough: bool = True) -> Catalog:
        """The current catalog, read again if the database's schema has changed.

        If the support objects count changes, ``thorough=False`` relies only on their counter and the shared
        fingerprint: this is cheaper, and enough if the counter is known to differ.
        """
        return self._thorough_refresh() if thorough else self._quick_refresh()

    def is_outdated(self, catalog: Catalog) -> bool:
        """Whether a catalog is known to be outdated, and another thread reads what has changed (``follow``)."""
        return self._outdated is catalog

    def follow(self, catalog: Catalog) -> None:
        """Let another thread read what has changed since a catalog was read, which is outdated."""
        if catalog is not self._catalog:
            return
        self._outdated = catalog
        if self._is_refreshing.acquire(blocking=False):
            Thread(target=self._refresh_aside, name="schema-reader", daemon=True).start()

    def changed_relations(self, catalog: Catalog, listed: bytes) -> frozenset[int] | None:
        """The result of that function, kept for the requests until the next change."""
        kept = self._listed
        if kept is not None and kept[0] is catalog and kept[1] == listed:
            return kept[2]
        found = changed_relations(listed, catalog)
        if catalog is self._catalog:
            self._listed = catalog, listed, found
        return found

    def _refresh_aside(self) -> None:
        try:
            self.refresh_if_changed(thorough=False)
        except Exception as ex:
            # A request that needs the new catalog reads it again, and reports the error.
            log.debug("the schema could not be read (%s)", type(ex).__name__)
        finally:
            self._is_refreshing.release()

    def views(self, catalog: Catalog) -> RoleViews:
        """The views of roles on that catalog, along the API search path."""
        return self._find_views(catalog) or self._make_views(catalog)

    def _find_views(self, catalog: Catalog) -> RoleViews | None:
        for views in self._views:
            if views.catalog is catalog:
                return views
        return None

    def _make_views(self, catalog: Catalog) -> RoleViews:
        with self._views_lock:
            views = self._find_views(catalog)
            if views is None:
                before = next(iter(self._views), None)
                views = RoleViews(catalog, self._api_schemas, self._exclusion, before)
                # Requests that began before a change may still use the previous catalog.
                self._views = (views, *self._views[: _CATALOGS_WITH_VIEWS - 1])
            return views

    def _first(self) -> Catalog:
        return self._catalog or self._adopt_inherited() or self._reload()

    def _adopt_inherited(self) -> Catalog | None:
        views, self._inherited = self._inherited, None
        if views is None:
            return None
        known, began = views.catalog, time()
        state = read_schema_state(self._run, counted=known.counted, distributed=known.distributed, thorough=True)
        if not state.is_of(known):
            return None
        self._views, self._catalog, self.read_at = (views,), known, began
        return known

    def _load(self) -> Catalog:
        with self._reading:
            return self._use(decode(fetch_catalog(self._run, with_queries=self._infer_view_keys)))

    def _read_changes(self) -> Catalog:
        """Read what has changed, or the whole catalog if the database does not list that."""
        known = self._catalog
        if known is None or not known.snapshot or self._infer_view_keys:
            return self._reload()
        with self._reading:
            known = self._catalog or known
            changed = self._fetch_changes(known)
            if changed is not None:
                return self._use(changed)
        return self._reload()

    def _fetch_changes(self, known: Catalog) -> Catalog | None:
        try:
            return with_changes(known, fetch_changes(self._run, known))
        except Exception as ex:
            # As for the whole catalog, an object may be dropped while PostgreSQL prints it. Reading all is tried again.
            log.debug("the changes of the schema could not be read (%s)", type(ex).__name__)
            return None

    def _use(self, catalog: Catalog) -> Catalog:
        self._catalog = catalog
        self._outdated = self._listed = None
        self.read_at = time()
        self._log_missing_schemas(catalog)
        return catalog

    def _log_missing_schemas(self, catalog: Catalog) -> None:
        missing = [name for name in self._api_schemas if name not in catalog.schema_by_name]
        if missing and missing != self._missing:
            log.warning(
                "the database has no schema %s, which API_SCHEMAS names; create it or correct the setting",
                " and no schema ".join(missing),
            )
        self._missing = missing

    def _refresh(self, thorough: bool) -> Catalog:
        known = self.current()
        state = read_schema_state(self._run, counted=known.counted, distributed=known.distributed, thorough=thorough)
        # Another thread may have read the schema again in the meantime.
        current = self.current()
        if self._is_current(state, known) or self._is_current(state, current):
            return current
        contents = state.contents_fingerprint
        if current.contents_fingerprint and state.counts_as(current):
            # No event trigger reports every change, such as REASSIGN OWNED.
            return self._reload()
        current = self._update()
        if contents and not current.contents_fingerprint and state.counts_as(current):
            # The changes were read after this fingerprint, so they include all that it covers.
            self._contents = current, contents
        return current

    def _is_current(self, state: SchemaState, catalog: Catalog) -> bool:
        confirmed, contents = self._contents
        return state.is_of(catalog, contents if confirmed is catalog else None)
