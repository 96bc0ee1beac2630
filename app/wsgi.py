"""The WSGI application: routes to resources."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import falcon

from app.entrances import entrances
from app.errors import PorticoError
from app.identity.identification import RequestHead
from app.plugin_guard import Plugins
from app.resources import absent_services
from app.resources.callers import Callers
from app.resources.fixed_paths import FixedPaths
from app.resources.graphql import GraphQLResource
from app.resources.home import PATHS as HOME
from app.resources.home import Home
from app.resources.observing import Observing
from app.resources.operations import HealthResource, VersionResource
from app.resources.resumable import PATHS as RESUMABLE_PATHS
from app.resources.resumable import ResumableSink
from app.resources.s3 import PATHS as S3_PATHS
from app.resources.s3 import S3Host, S3Sink
from app.resources.storage import PATHS, StorageSink
from app.services import Services, make_services
from app.settings import Settings
from app.storage.http.signing import Signer
from app.storage.resumable.face import ResumableFace
from app.storage.s3.door import Door


class Application:
    """A WSGI callable with the services it uses. Call ``close`` when it is no longer needed."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._observing = Observing(services)
        self.falcon = _routes(services, self._observing)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return self.falcon(environ, start_response)

    @property
    def signing_secret(self) -> bytes:
        """The key that signs URLs."""
        return self.services.storage.signing_secret

    @property
    def faces(self) -> Sequence[Door | ResumableFace]:
        """The protocols with rules of their own for what they accept; the first one that a request leads to has it."""
        door, storage, settings = self.services.s3_door, self.services.storage, self.services.settings
        faces: list[Door | ResumableFace] = [] if door is None else [door]
        if settings.resumable_uploads:
            limits = settings.upload_size_limit, settings.resumable_slice
            faces.append(ResumableFace(storage.identity, Signer(storage.signing_secret), *limits, self.recognizes))
        return faces

    def recognizes(self, method: str, path: str, headers: Mapping[str, str]) -> bool:
        """Whether a request with these headers, by names in lower case, has a credential that a plugin accepts."""
        try:
            return self.services.engine.identifications.caller(RequestHead(method, path, headers.get)) is not None
        except PorticoError:
            return False

    def refused(
        self, method: str, path: str, headers: Mapping[str, str], status: int, code: str
    ) -> Sequence[tuple[str, str]]:
        """Tell the observers of a request that the server refused itself, and give what its answer passes on."""
        return self._observing.refused(method, path, headers, status, code)

    def share(self, surplus: Callable[[int, int, bool], int]) -> None:
        """Give up the connections that ``surplus`` says, for workers that the database, or a replica, allows none."""
        self.services.engine.database.share(surplus)

    def close(self) -> None:
        self.services.close()


def create_app(settings: Settings, plugins: Plugins) -> Application:
    """The application of one process, from the result of ``app.discovery.configure``. Call it after forking, because it
    owns connections and threads. Raises DocumentsUnusable where a registered document cannot be used."""
    services = make_services(settings, plugins)
    try:
        services.start()
    except Exception:
        services.close()
        raise
    return Application(services)


def _routes(services: Services, observing: Observing) -> falcon.App[Any, Any]:
    hooks = services.plugins.hook
    middleware = [observing, *(each for some in hooks.middleware(services=services) for each in some)]
    door = services.s3_door
    if door is not None and door.settings.host:
        middleware.append(S3Host(door))
    app = falcon.App(middleware=middleware, router=FixedPaths())
    app.set_error_serializer(_write_error)
    home = Home(entrances(services.plugins, services.settings))
    graphql = GraphQLResource(services, home)
    app.add_route("/graphql/v1", graphql)
    app.add_route("/graphql/v1/{document_id:path}", graphql, suffix="document")
    app.add_route("/health", HealthResource(services))
    app.add_route("/version", VersionResource())
    callers = Callers(services.storage.identity, services.engine.identifications)
    storage = StorageSink(services.storage, callers, services.images.routes if services.images else ())
    app.add_sink(storage, PATHS)
    if services.settings.resumable_uploads:
        app.add_sink(ResumableSink(services.settings, services.storage, callers, storage), RESUMABLE_PATHS)
    if door is not None:
        app.add_sink(S3Sink(door, services.storage.project_ref), S3_PATHS)
    app.add_sink(absent_services.refuse, absent_services.PATHS)
    app.add_sink(home.sink, HOME)
    hooks.routes(app=app, services=services)
    return app


_ADDRESSES = "The GraphQL API is at /graphql/v1, the storage at /storage/v1."


def _write_error(req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError) -> None:
    """Write an error of routing, such as an unknown path, in the form of a GraphQL error."""
    code = error.title.upper().replace(" ", "_").removeprefix(f"{error.status_code}_") if error.title else "ERROR"
    extensions = {"code": code, "hint": _ADDRESSES} if isinstance(error, falcon.HTTPNotFound) else {"code": code}
    body = {"errors": [{"message": error.description or error.title, "extensions": extensions}]}
    resp.content_type = "application/json"
    resp.data = json.dumps(body).encode()
