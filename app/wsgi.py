"""The WSGI application: routes to resources."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import falcon

from app.entrances import entrances
from app.errors import PorticoError
from app.faces.direct.uploads import ROUTES as DIRECT_ROUTES
from app.faces.graphql.admission import GraphQLAdmission
from app.faces.graphql.resource import GraphQLResource
from app.faces.operations import absent_services
from app.faces.operations.fixed_paths import FixedPaths
from app.faces.operations.home import PATHS as HOME
from app.faces.operations.home import Home
from app.faces.operations.observing import Observing
from app.faces.operations.resources import HealthResource, VersionResource
from app.faces.rest.admission import FORM_ENVELOPE, RestAdmission
from app.faces.rest.callers import Callers
from app.faces.rest.resource import PATHS, StorageSink
from app.faces.rest.router import Route, Router
from app.faces.rest.routes import ROUTES as REST_ROUTES
from app.faces.resumable.admission import ResumableAdmission
from app.faces.resumable.resource import PATHS as RESUMABLE_PATHS
from app.faces.resumable.resource import ResumableSink
from app.faces.shared.signing import Signer
from app.graphql.schema.role_schemas import BuiltSchemas
from app.http.admission import Admission, Rule
from app.identity.further_credentials import RequestHead
from app.plugin_guard import Plugins
from app.services import Services, make_services
from app.settings import Settings


class Application:
    """A WSGI callable with the services that it uses. Call ``close`` when it is no longer needed. ``live``: whether the
    process of live queries runs; None if it does not belong to this service."""

    def __init__(self, services: Services, live: Callable[[], bool] | None = None) -> None:
        self.services = services
        observing = Observing(services)
        self.falcon = _routes(services, observing, live)
        self.refused = observing.refused
        """Notifies the observers of a request that the server itself refused."""
        self.share = services.engine.database.share
        """Divides the connections that a server allows among the workers."""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return self.falcon(environ, start_response)

    @property
    def admission(self) -> Admission:
        """The rules by which the server admits or refuses a request before it reads the body."""
        services, settings = self.services, self.services.settings
        storage, signer = services.storage, Signer(services.storage.signing_secret)
        rules: list[Rule] = []
        if services.s3 is not None:
            from app.faces.s3.admission import S3Admission

            rules.append(S3Admission(services.s3, settings.upload_size_limit))
        if settings.resumable_uploads:
            limits = settings.upload_size_limit, settings.resumable_slice
            rules.append(ResumableAdmission(storage.identity, signer, *limits, self.recognizes))
        rules.append(GraphQLAdmission(settings.body_limit))
        rules.append(
            RestAdmission(
                Router(_storage_routes(services)),
                storage.identity,
                signer,
                self.recognizes,
                largest_upload=settings.upload_size_limit,
                largest_other=settings.body_limit,
                fetches_keys=settings.jwt_jwks is not None,
            )
        )
        return Admission(rules, max(settings.body_limit, settings.upload_size_limit * 33 // 32) + FORM_ENVELOPE)

    def recognizes(self, method: str, path: str, headers: Mapping[str, str]) -> bool:
        """Whether a request with these headers, by names in lower case, has a credential that a plugin accepts."""
        try:
            return self.services.engine.identifications.caller(RequestHead(method, path, headers.get)) is not None
        except PorticoError:
            return False

    def close(self) -> None:
        self.services.close()


def import_faces(settings: Settings) -> None:
    """Import the modules of the faces that are switched on. Workers share the memory of modules that are imported
    before they are forked."""
    if settings.images:
        import app.faces.images.face
    if settings.s3_protocol:
        import app.faces.s3.admission
        import app.faces.s3.resource
        import app.faces.s3.setup  # noqa: F401


def create_app(
    settings: Settings,
    plugins: Plugins,
    live: Callable[[], bool] | None = None,
    inherited: BuiltSchemas | None = None,
) -> Application:
    """The application of one process, from the result of ``app.discovery.configure``. Call it after forking, because it
    owns connections and threads. ``live`` is as for Application, ``inherited`` as for ``make_engine``. Raises
    DocumentsUnusable if a registered document cannot be used."""
    services = make_services(settings, plugins, inherited)
    try:
        services.start()
    except Exception:
        services.close()
        raise
    return Application(services, live)


def _routes(services: Services, observing: Observing, live: Callable[[], bool] | None) -> falcon.App[Any, Any]:
    hooks = services.plugins.hook
    middleware = [observing, *(each for some in hooks.middleware(services=services) for each in some)]
    s3 = services.s3
    if s3 is not None and s3.settings.s3_protocol_host:
        from app.faces.s3.resource import S3Host

        middleware.append(S3Host(s3))
    app = falcon.App(middleware=middleware, router=FixedPaths())
    app.set_error_serializer(_write_error)
    home = Home(entrances(services.plugins, services.settings))
    graphql = GraphQLResource(services, home)
    app.add_route("/graphql/v1", graphql)
    app.add_route("/graphql/v1/{document_id:path}", graphql, suffix="document")
    app.add_route("/health", HealthResource(services, live))
    app.add_route("/version", VersionResource())
    callers = Callers(services.storage.identity, services.engine.identifications)
    storage = StorageSink(services.storage, callers, _storage_routes(services))
    app.add_sink(storage, PATHS)
    if services.settings.resumable_uploads:
        app.add_sink(ResumableSink(services.settings, services.storage, callers, storage), RESUMABLE_PATHS)
    if s3 is not None:
        from app.faces.s3.resource import PATHS as S3_PATHS
        from app.faces.s3.resource import S3Sink

        app.add_sink(S3Sink(s3), S3_PATHS)
    app.add_sink(absent_services.refuse, absent_services.PATHS)
    app.add_sink(home.sink, HOME)
    hooks.routes(app=app, services=services)
    return app


def _storage_routes(services: Services) -> Sequence[Route]:
    """The routes below ``/storage/v1`` without their own sink."""
    return (*REST_ROUTES, *DIRECT_ROUTES, *(services.images.routes if services.images else ()))


_ADDRESSES = "The GraphQL API is at /graphql/v1, the storage at /storage/v1."


def _write_error(req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError) -> None:
    """Write a routing error, such as an unknown path, in the format of a GraphQL error."""
    code = error.title.upper().replace(" ", "_").removeprefix(f"{error.status_code}_") if error.title else "ERROR"
    extensions = {"code": code, "hint": _ADDRESSES} if isinstance(error, falcon.HTTPNotFound) else {"code": code}
    body = {"errors": [{"message": error.description or error.title, "extensions": extensions}]}
    resp.content_type = "application/json"
    resp.data = json.dumps(body).encode()
