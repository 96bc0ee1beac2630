"""Holds the current catalog, and keeps it current."""

from __future__ import annotations

import logging
from threading import Lock
from time import time

from schema_cache.decode import decode
from schema_cache.exclusion import NOTHING, Exclusion
from schema_cache.loader import Run, fetch_catalog
from schema_cache.model import Catalog
from schema_cache.role_view import RoleViews
from schema_cache.shared_call import SharedCall
from schema_cache.state import read_schema_state

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
        self._first_load = SharedCall(self._first)
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
                views = RoleViews(catalog, self._api_schemas, self._exclusion)
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
        catalog = self._catalog = decode(fetch_catalog(self._run, with_queries=self._infer_view_keys))
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
        if state.is_of(known) or state.is_of(self.current()):
            return self.current()
        return self._reload()
