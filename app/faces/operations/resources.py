"""The endpoints for operators: health and version."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import falcon

from app.errors import PorticoError
from app.services import Services


class HealthResource:
    """``GET /health``: 200 when the process and the database answer, else 503.

    A process in which a plugin failed is ``degraded`` and names the plugin; it answers 200, since the rest is served.
    So it does while replicas are left out, which are told apart by their place in the setting.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            self._services.engine.database.probe()
            database = "ok"
        except PorticoError as ex:
            database = ex.message
        resp.status = falcon.HTTP_200 if database == "ok" else falcon.HTTP_503
        faults = self._services.plugins.faults
        told: dict[str, Any] = {}
        if faults:
            told["plugins"] = {name: f"failed in {place}" for name, place in faults.items()}
        replicas = self._services.engine.database.replicas
        if replicas:
            told["replicas"] = ["ok" if state.usable else "left out" for state, _ in replicas.states()]
        resp.text = json.dumps({"process": "degraded" if faults else "ok", "database": database, **told})


class VersionResource:
    """``GET /version``: the version of the service."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.text = json.dumps({"name": "portico", "version": version("portico")})
