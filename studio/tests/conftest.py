"""A service with Studio, asked as its page asks it."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest
from portico_studio.plugin import Studio

PAGE = "the token of the page"


@pytest.fixture
def studio(portico_service, monkeypatch):
    """Makes a service with Studio on a database of its own; further settings are named like options."""
    monkeypatch.setenv("PORTICO_STUDIO_SECRET", PAGE)
    # Installed, or built here for the demonstration, it is found by its entry point; in a fresh copy it is not.
    plugins = {} if entry_points(group="portico", name="studio") else {"studio": Studio}

    def make(sql="", **settings):
        return portico_service(sql, plugins=plugins, **{"studio": True, **settings})

    return make


@pytest.fixture
def ask():
    """Asks an endpoint of the page's own, with the page's token and the key of the service role unless told otherwise;
    gives status and JSON."""

    def ask_(service, method, path, *, page=PAGE, key=None, host="localhost", remote_addr="127.0.0.1", **options):
        headers = {"X-Studio-Page": page, "X-Studio-Key": service.service_role_key if key is None else key}
        options |= {"headers": headers, "host": host, "extras": {"REMOTE_ADDR": remote_addr}}
        done = service.client.simulate_request(method, f"/studio/api/{path}", **options)
        return done.status_code, done.json

    return ask_
