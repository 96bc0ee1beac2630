"""Fixtures: a service with Studio, requests like those of its page, and a browser."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.metadata import entry_points

import pytest
from portico_studio.guard import start_secret
from portico_studio.plugin import Studio
from visitor import CHROMIUM, TABLES, serving

from app.settings import load
from app.testing.service import JWT_SECRET

PAGE = "the token of the page"
START = start_secret(load({}, {"jwt_secret": JWT_SECRET}))


@pytest.fixture
def studio(portico_service, monkeypatch):
    """Makes a service with Studio on its own database; further settings are named like options."""
    monkeypatch.setenv("PORTICO_STUDIO_SECRET", PAGE)

    def make(sql="", plugins=None, **settings):
        wanted = {"studio": Studio, **(plugins or {})}
        # Entry points of what is installed, or was built here for the demonstration, are found; not in a fresh copy.
        own = {name: plugin for name, plugin in wanted.items() if not entry_points(group="portico", name=name)}
        return portico_service(sql, plugins=own, **{"studio": True, **settings})

    return make


@pytest.fixture
def ask():
    """Sends a request to an endpoint of the page, by default with the page's token, the secret of the printed address
    and the key of the service role; returns status and JSON."""

    def ask_(
        service,
        method,
        path,
        *,
        page=PAGE,
        start=START,
        key=None,
        host="localhost",
        remote_addr="127.0.0.1",
        extras=None,
        **options,
    ):
        key = service.service_role_key if key is None else key
        headers = {"X-Studio-Page": page, "X-Studio-Start": start, "X-Studio-Key": key}
        options |= {"headers": headers, "host": host, "extras": {"REMOTE_ADDR": remote_addr, **(extras or {})}}
        done = service.client.simulate_request(method, f"/studio/api/{path}", **options)
        return done.status_code, done.json

    return ask_


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def served(studio):
    """Serves Studio for development on a database made by SQL; returns the service and its address."""
    with ExitStack() as servers:

        def serve(sql=TABLES, **settings):
            service = studio(sql, development=True, **settings)
            return service, servers.enter_context(serving(service.application))

        yield serve


@pytest.fixture
def visit(browser):
    """Opens an address with the secret of the printed one. At the end the page's console must have no error, unless
    ``faults_expected``."""
    contexts, faults = [], []

    def open_(address, *, start=START, faults_expected=False, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        if not faults_expected:
            page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{address}#start={start}")
        return page

    yield open_
    for each in contexts:
        each.close()
    assert faults == []
