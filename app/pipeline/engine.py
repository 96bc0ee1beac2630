"""The objects that all stages of a GraphQL request share: created once for an application, used by all its threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from app.bounded_cache import BoundedCache
from app.database import ContextBuilder, Database
from app.documents.named import NamedDocuments
from app.documents.registry import Registry
from app.documents.source import document_sources
from app.graphql.documents.limits import DocumentLimits
from app.graphql.documents.syntax import read_syntax
from app.graphql.schema.comments import MOST_LEVELS
from app.graphql.schema.dialect import Dialect, dialect_of
from app.graphql.schema.features import Features
from app.graphql.schema.recursion import allow_levels
from app.graphql.schema.role_rules import OperationCheck, RoleRules, RuleBook
from app.graphql.schema.role_schemas import BuiltSchemas, RoleSchemas
from app.graphql.values.values import Steering
from app.identity import OWN_ROLES, SERVICE_ROLE, ApiRoles, Identity
from app.identity.further_credentials import Identifications, identifications
from app.pipeline.extensions import RequestExtensions, request_extensions
from app.pipeline.records import ParsedDocument, SQLPlan
from app.pipeline.stage_wrappers import Around, around_stages
from app.plugin_guard import Plugins
from app.settings import Settings
from schema_cache.exclusion import Exclusion
from schema_cache.freshness import SchemaCache


@dataclass(frozen=True)
class Engine:
    """Caches: ``documents`` has parsed documents by text and operation name, ``shapes`` those with literals by their
    document shape, ``valid_documents`` which document shapes are valid on which schema, ``steering`` which values the
    SQL of a document depends on, and ``plans`` the plans by document shape and shape of the variables and literals.

    ``around``: the wrappers of stages, from plugins. ``identifications``: the plugins that identify the caller.
    ``named_documents``: documents that requests name instead of sending their text. ``answer_limit``: the largest
    response, in bytes. ``extensions``: the members of a request's ``extensions`` that plugins handle.
    ``answers_subscriptions``: a subscription is run as the query with the same selection."""

    around: Mapping[str, Around]
    identity: Identity
    identifications: Identifications
    database: Database
    contexts: ContextBuilder
    schema_cache: SchemaCache
    role_schemas: RoleSchemas
    limits: DocumentLimits
    named_documents: NamedDocuments
    documents: BoundedCache[ParsedDocument]
    shapes: BoundedCache[ParsedDocument]
    valid_documents: BoundedCache[bool]
    steering: BoundedCache[Steering]
    plans: BoundedCache[SQLPlan]
    settings: Settings
    answer_limit: int
    extensions: RequestExtensions
    answers_subscriptions: bool = False

    def close(self) -> None:
        """Close the connections."""
        self.named_documents.registry.close()
        self.database.close()


def make_engine(settings: Settings, plugins: Plugins, inherited: BuiltSchemas | None = None) -> Engine:
    """The engine of one process, after it was forked. Nothing is connected before the first request needs it.
    ``inherited``: what ``build_schemas`` returned in the parent, with the same settings."""
    allow_levels(settings.depth_limit)
    database = Database(settings)
    entries = settings.plan_cache_entries
    schema_cache, role_schemas = _schemas(settings, plugins, database, inherited)
    limits = _limits(settings)
    roles = ApiRoles(settings.api_roles, schema_cache.current, schema_cache.refresh_if_changed)
    identity = Identity(settings, roles=roles)
    return Engine(
        around=around_stages(plugins, settings=settings),
        identity=identity,
        identifications=identifications(plugins, settings=settings, identity=identity),
        database=database,
        contexts=ContextBuilder(
            statement_timeout_ms=settings.statement_timeout_ms,
            with_tokens=settings.tokens_in_database,
            with_request_ids=settings.request_ids_in_database,
            keep_callers=settings.keep_callers,
            is_distributed=_is_distributed(settings, schema_cache),
        ),
        schema_cache=schema_cache,
        role_schemas=role_schemas,
        limits=limits,
        named_documents=_named_documents(settings, plugins, database, limits),
        documents=BoundedCache(entries),
        shapes=BoundedCache(entries),
        valid_documents=BoundedCache(entries),
        steering=BoundedCache(entries),
        plans=BoundedCache(entries),
        settings=settings,
        answer_limit=settings.answer_limit,
        extensions=request_extensions(plugins, settings=settings),
    )


def build_schemas(settings: Settings, plugins: Plugins) -> BuiltSchemas:
    """Read the catalog and build the schemas of Portico's own roles, before processes are forked. These share the
    memory, and need not read the catalog. Raises PorticoError if the database cannot be read."""
    with closing(Database(settings)) as database:
        _, role_schemas = _schemas(settings, plugins, database, None)
        return role_schemas.build(OWN_ROLES)


def _schemas(
    settings: Settings, plugins: Plugins, database: Database, inherited: BuiltSchemas | None
) -> tuple[SchemaCache, RoleSchemas]:
    dialect = dialect_of(
        settings.graphql_dialect,
        native_json=settings.json_values == "native",
        described_by_comments=settings.descriptions == "comments",
    )
    schema_cache = SchemaCache(
        database.read,
        settings.api_schemas,
        infer_view_keys=settings.infer_view_keys and dialect.extended,
        exclusion=Exclusion(settings.api_exclude),
        inherited=inherited.views if inherited else None,
    )
    of_other_logins = frozenset({SERVICE_ROLE}) if database.separates_service else frozenset[str]()
    rules = _rule_book(settings, plugins, dialect)
    return schema_cache, RoleSchemas(schema_cache, dialect, rules, of_other_logins, inherited)


def _is_distributed(settings: Settings, schema_cache: SchemaCache) -> Callable[[], bool]:
    """Whether flights must use the transaction mode for Citus. Until the catalog is read the answer is no: the only
    flights until then are those of the storage, whose tables exist on the coordinator alone."""
    if settings.citus == "auto":
        return lambda: schema_cache.known is not None and schema_cache.known.distributed
    return lambda: settings.citus == "on"


def _rule_book(settings: Settings, plugins: Plugins, dialect: Dialect) -> RuleBook:
    features = Features(plugins, settings.value_types if dialect.extended else ())
    offered = features.offered(dialect, settings.graphql_features)
    usual = RoleRules(
        hooks=features.hooks(offered),
        features=offered,
        max_rows=settings.max_rows,
        filter_depth=settings.filter_depth_limit,
        depth=settings.depth_limit,
        nodes=settings.node_limit,
        claim=(settings.citus_claim, settings.citus_claim_column),
    )
    known = [each for some in plugins.hook.comment_directives() for each in some]

    def checks(directives: Mapping[str, Any]) -> Sequence[OperationCheck]:
        made = plugins.hook.operation_checks(settings=settings, directives=directives)
        return [each for some in made for each in some]

    return RuleBook(usual, dialect, features, known, checks)


def _limits(settings: Settings) -> DocumentLimits:
    return DocumentLimits(
        tokens=settings.token_limit,
        depth=MOST_LEVELS,
        root_fields=settings.root_field_limit,
        aliases=settings.alias_limit,
        fields=settings.field_limit,
        variables=settings.variable_limit,
    )


def _named_documents(
    settings: Settings, plugins: Plugins, database: Database, limits: DocumentLimits
) -> NamedDocuments:
    sources = document_sources(plugins, settings=settings, read=database.read)
    registry = Registry(sources, lambda text: read_syntax(text, limits))
    return NamedDocuments(registry, settings.automatic_documents, settings.documents_only)
