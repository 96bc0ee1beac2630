"""The objects that live as long as an application: the engine of its GraphQL API, its storage, and its plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.database.wire.statement import Statement
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.role_schemas import BuiltSchemas
from app.identity import SERVICE_ROLE, Caller
from app.identity.further_credentials import RequestHead
from app.observation import SlowOperation
from app.pipeline.engine import Engine, make_engine
from app.plugin_guard import Plugins
from app.settings import Settings
from app.storage.request_context import operator_context
from app.storage.storage import Storage, open_storage
from app.storage.upkeep.lifecycle import Lifecycle
from schema_cache.poller import Poller

if TYPE_CHECKING:
    from app.faces.images.face import ImagesFace
    from app.faces.s3.face import S3Face

RunStatement = Callable[..., list[tuple[str | None, ...]]]
"""Takes a statement with placeholders ``$1`` and so on, and their values as text or None. Returns the rows as text."""


@dataclass(frozen=True)
class Services:
    """Made once for each application and shared by its threads. Hooks receive it; stages receive only the engine."""

    settings: Settings
    plugins: Plugins
    engine: Engine
    poller: Poller
    storage: Storage
    images: ImagesFace | None
    s3: S3Face | None
    lifecycle: Lifecycle

    def start(self) -> None:
        """Start the background threads. Raises DocumentsUnusable if registered documents cannot be used."""
        self.engine.database.start()
        self.engine.named_documents.registry.start()
        self.poller.start()
        self.storage.background.start()

    def caller(self, head: RequestHead) -> Caller | None:
        """The sender of a request; None if it has no known credential. Raises AccessError for a wrong credential."""
        return self.engine.identifications.caller(head)

    def schema(self, role: str) -> ApiSchema:
        """The GraphQL schema of what ``role`` may see now. Raises AccessError if there is no such role."""
        return self.engine.role_schemas.of_role(role)

    def read(self, sql: str) -> bytes | None:
        """The single value that an SQL statement selects, with the rights of the service."""
        return self.engine.database.read(sql)

    @contextmanager
    def as_service(self) -> Iterator[RunStatement]:
        """A transaction with the rights of service_role, for a ``with`` block: it commits at the end, and rolls back if
        the block raises. Yields a function that runs a statement. Raises a PorticoError, with the name of the SQLSTATE
        as its code if the database refuses the statement."""
        service = Caller.of({"role": SERVICE_ROLE}, default_role=SERVICE_ROLE)
        with self.engine.database.transaction(self.engine.contexts.build(service)) as transaction:

            def run(sql: str, *parameters: str | None) -> list[tuple[str | None, ...]]:
                values = [None if each is None else each.encode() for each in parameters]
                rows = transaction.run(Statement(sql, "service"), values)
                return [tuple(None if each is None else each.decode() for each in row) for row in rows]

            yield run

    def slow_operations(self) -> Sequence[SlowOperation]:
        """The slowest recent GraphQL operations of all workers, slowest first."""
        found: Sequence[SlowOperation] | None = self.plugins.hook.slow_operations()
        return found or ()

    def close(self) -> None:
        """Stop the background threads, close the connections, and call the hook ``closing`` of plugins."""
        self.poller.close()
        if self.images:
            self.images.close()
        self.storage.close()
        self.engine.close()
        self.plugins.hook.closing()


def make_services(settings: Settings, plugins: Plugins, inherited: BuiltSchemas | None = None) -> Services:
    """The services of a process; call it after forking. Connections are opened when they are first needed.
    ``inherited`` is as for ``make_engine``."""
    engine = make_engine(settings, plugins, inherited)
    storage = open_storage(settings, plugins, engine.database, engine.contexts, engine.identity)
    interval_s = settings.lifecycle_interval_s
    # Another service that has just done it counts, however the intervals of both lie.
    rules = Lifecycle(
        storage,
        operator_context(engine.contexts, "storage.lifecycle"),
        day_s=settings.lifecycle_day_s,
        interval_s=interval_s / 2,
    )
    storage.background.every(interval_s, rules.run)
    return Services(
        settings=settings,
        plugins=plugins,
        engine=engine,
        poller=Poller(engine.schema_cache),
        images=_open_images(settings),
        storage=storage,
        s3=_open_s3(settings, storage),
        lifecycle=rules,
    )


def _open_images(settings: Settings) -> ImagesFace | None:
    if not settings.images:
        return None
    from app.faces.images.face import open_images

    return open_images(settings)


def _open_s3(settings: Settings, storage: Storage) -> S3Face | None:
    if not settings.s3_protocol:
        return None
    from app.faces.s3.setup import open_s3

    return open_s3(settings, storage)
