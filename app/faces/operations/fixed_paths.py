"""The application's router: Falcon's own, with a cache for routes without parameters."""

from __future__ import annotations

from typing import Any

import falcon
from falcon.routing import CompiledRouter

Found = tuple[object, dict[str, Any], dict[str, Any], str | None]


class FixedPaths(CompiledRouter):
    """Caches the routes whose template is the path itself."""

    def __init__(self) -> None:
        super().__init__()
        self._fixed: dict[str, tuple[object, dict[str, Any]]] = {}

    def add_route(self, uri_template: str, resource: object, **named: Any) -> None:
        self._fixed.clear()
        super().add_route(uri_template, resource, **named)

    def find(self, uri: str, req: falcon.Request | None = None) -> Found | None:
        fixed = self._fixed.get(uri)
        if fixed is not None:
            # A new dict of parameters for each request, since middleware may change it.
            return *fixed, {}, uri
        found = super().find(uri, req)
        if found is not None and found[3] == uri and not found[2]:
            self._fixed[uri] = found[:2]
        return found
