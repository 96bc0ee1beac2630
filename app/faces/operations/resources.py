"""The endpoints for operators: health and version."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import falcon

from app.distribution import software_version
from app.errors import PorticoError
from app.services import Services


class HealthResource:
    """``GET /health``: 200 when the process and the database answer, else 503.

    A process in which a plugin failed is ``degraded`` and names the plugin. The status is 200, since everything else
    works. The same holds while replicas are left out; ``replicas`` has them in the order of the setting. ``live``:
    whether the process of live queries runs; None if it does not belong to this service.
    """

    def __init__(self, services: Services, live: Callable[[], bool] | None) -> None:
        self._services = services
        self._live = live

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            self._services.engine.database.probe()
            database = "ok"
        except PorticoError as ex:
            database = ex.message
        resp.status = falcon.HTTP_200 if database == "ok" else falcon.HTTP_503
        faults = self._services.plugins.faults
        more: dict[str, Any] = {}
        if faults:
            more["plugins"] = {name: f"failed in {place}" for name, place in faults.items()}
        replicas = self._services.engine.database.replicas
        if replicas:
            more["replicas"] = ["ok" if state.usable else "left out" for state, _ in replicas.states()]
        if self._live is not None:
            more["live"] = "ok" if self._live() else "not running"
        resp.text = json.dumps({"process": "degraded" if faults else "ok", "database": database, **more})


class VersionResource:
    """``GET /version``: the version of the service."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.text = json.dumps({"name": "portico", "version": software_version()})
