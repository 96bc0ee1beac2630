"""What a process has for serving requests, made once and shared by its threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.database import ContextBuilder, Database
from app.graphql.bounded_cache import BoundedCache
from app.graphql.dialect import DIALECTS
from app.graphql.limits import Limits
from app.graphql.recursion import allow_levels
from app.graphql.role_schemas import ApiSchemas
from app.graphql.values import Steering
from app.identity import Identity
from app.plugin_guard import Plugins
from app.settings import Settings
from app.storage.opening import open_storage
from app.storage.storage import Storage
from schema_cache.freshness import SchemaCache
from schema_cache.poller import Poller

if TYPE_CHECKING:
    from app.pipeline.records import ParsedDocument, SQLPlan


@dataclass(frozen=True)
class Services:
    """``documents`` are parsed ones by text and operation name; ``valid_documents`` those found valid on a schema;
    ``steering`` what each document's SQL depends on, and ``plans`` the plans by document and shape of the variables."""

    settings: Settings
    plugins: Plugins
    database: Database
    contexts: ContextBuilder
    identity: Identity
    schema_cache: SchemaCache
    poller: Poller
    storage: Storage
    api_schemas: ApiSchemas
    limits: Limits
    documents: BoundedCache[ParsedDocument]
    valid_documents: BoundedCache[bool]
    steering: BoundedCache[Steering]
    plans: BoundedCache[SQLPlan]

    def start(self) -> None:
        """Begin what runs in the background."""
        self.poller.start()
        self.storage.background.start()

    def close(self) -> None:
        """Stop what runs in the background, and let go of the connections."""
        self.poller.close()
        self.storage.close()
        self.database.close()


def make_services(settings: Settings, plugins: Plugins) -> Services:
    """The services of one process, after it was forked. Nothing is connected before the first request needs it."""
    allow_levels(settings.depth_limit)
    database = Database(settings)
    dump = Path(settings.schema_dump) if settings.schema_dump else None
    schema_cache = SchemaCache(database.simple, settings.api_schemas, dump)
    poller = Poller(schema_cache)
    contexts = ContextBuilder(statement_timeout_ms=settings.statement_timeout_ms)
    identity = Identity(settings)
    entries = settings.plan_cache_entries
    return Services(
        settings=settings,
        plugins=plugins,
        database=database,
        contexts=contexts,
        identity=identity,
        schema_cache=schema_cache,
        poller=poller,
        storage=open_storage(settings, plugins, database, contexts, identity),
        api_schemas=ApiSchemas(schema_cache, DIALECTS[settings.graphql_dialect], plugins.hook, settings.max_rows),
        limits=Limits(
            tokens=settings.token_limit,
            depth=settings.depth_limit,
            root_fields=settings.root_field_limit,
            aliases=settings.alias_limit,
            fields=settings.field_limit,
        ),
        documents=BoundedCache(entries),
        valid_documents=BoundedCache(entries),
        steering=BoundedCache(entries),
        plans=BoundedCache(entries),
    )
