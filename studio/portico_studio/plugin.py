"""The plugin of Portico Studio, a web page. STUDIO=on or DEVELOPMENT turns it on, as in the demonstration."""

from __future__ import annotations

import os
import secrets

from portico import Entrance, Setting, hookimpl, setting_kinds
from portico_studio.database import CatalogResource, RelationResource, TypesResource
from portico_studio.form import FormResource
from portico_studio.guard import Guard, start_secret
from portico_studio.page import Assets, Page
from portico_studio.report import FindingsResource, ServiceResource, SlowOperationsResource
from portico_studio.session import SessionResource, TokenResource
from portico_studio.sql import SqlResource, console

PATH = "/studio"
STUDIO = Setting(
    "studio",
    setting_kinds.SWITCH,
    False,
    "Whether Portico Studio is served at /studio.",
    default_note="off; on with DEVELOPMENT",
    derive=lambda values: values["development"],
)
_SECRET = "PORTICO_STUDIO_SECRET"  # noqa: S105 - the name of a variable


class Studio:
    """A web page that shows the data, the schema, and the rights of each role."""

    def __init__(self):
        self._owner_url = None

    @hookimpl
    def settings(self):
        return [STUDIO]

    @hookimpl
    def before_fork(self, settings, owner_url):
        # All workers must accept the page's token, regardless of the worker that served the page.
        if settings[STUDIO]:
            os.environ[_SECRET] = secrets.token_urlsafe(32)
        if settings.development:
            self._owner_url = owner_url

    @hookimpl
    def entrances(self, settings):
        if not settings[STUDIO]:
            return []
        fragment = f"#start={start_secret(settings)}" if settings.development else ""
        return [Entrance(PATH, "Portico Studio", is_start=True, fragment=fragment)]

    @hookimpl
    def routes(self, app, services):
        if not services.settings[STUDIO]:
            return
        guard = Guard(services, os.environ.get(_SECRET) or secrets.token_urlsafe(32))
        page = Page(guard)
        app.add_route(PATH, page)
        app.add_route(PATH + "/{place:path}", page, suffix="place")
        app.add_route(PATH + "/assets/{name}", Assets())
        app.add_route(PATH + "/api/session", SessionResource(services, guard))
        app.add_route(PATH + "/api/tokens", TokenResource(services, guard))
        app.add_route(PATH + "/api/catalog", CatalogResource(services, guard))
        app.add_route(PATH + "/api/types", TypesResource(services, guard))
        app.add_route(PATH + "/api/relations/{oid:int}", RelationResource(services, guard))
        app.add_route(PATH + "/api/form", FormResource(services, guard))
        app.add_route(PATH + "/api/service", ServiceResource(services, guard))
        app.add_route(PATH + "/api/findings", FindingsResource(services, guard))
        app.add_route(PATH + "/api/slow", SlowOperationsResource(services, guard))
        if services.settings.development:
            own_console = console(self._owner_url or services.settings.database_url, services.settings)
            app.add_route(PATH + "/api/sql", SqlResource(services, guard, own_console))
