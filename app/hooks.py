"""The extension contract: every hook that a plugin may implement.

Built-in features come through the same door as a stranger's package: entry points of the group ``portico``, each
naming a module, or a class to make an instance of, with functions marked by ``hookimpl``. Where a hook's results have
an order of their own, the result says its position; nothing depends on the order in which plugins are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import falcon
    from graphql import GraphQLInterfaceType, GraphQLNamedType

    from app.graphql.api_schema import ApiSchema
    from app.graphql.relations import ApiRelation, ValueType
    from app.services import Services
    from app.settings import Settings
    from app.storage.bytes.backend import Backend
    from app.storage.checks import ObjectCheck
    from app.storage.upkeep.events import EventReceiver
    from schema_cache.directives import Directive
    from schema_cache.model import Type

GROUP = "portico"
hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields that a plugin adds to a type. Contributions are laid out by ``position``, lower first."""

    position: int
    fields: Mapping[str, Any]


class GraphQLHooks:
    """What the GraphQL API is made of."""

    @hookspec
    def comment_directives(self) -> Sequence[Directive]:
        """Keys of ``@graphql({...})`` comments that this plugin understands."""
        return ()

    @hookspec(firstresult=True)
    def value_type(self, api: ApiSchema, type_: Type) -> ValueType | None:
        """How values of a PostgreSQL type cross the API; None if this plugin does not say."""

    @hookspec
    def query_fields(self, api: ApiSchema) -> Fields | None:
        """Root fields of Query."""

    @hookspec
    def mutation_fields(self, api: ApiSchema) -> Fields | None:
        """Root fields of Mutation."""

    @hookspec
    def node_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of a relation's object type; their resolvers stand in the scope of a row."""

    @hookspec
    def node_interfaces(self, api: ApiSchema) -> Sequence[GraphQLInterfaceType]:
        """Interfaces of every relation's object type."""
        return ()

    @hookspec
    def connection_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of a relation's connection type; their resolvers stand in the scope of a collection."""

    @hookspec
    def filter_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Members of a relation's filter; the resolver of each makes a condition on a row."""

    @hookspec
    def always_listed_types(self, api: ApiSchema) -> Sequence[GraphQLNamedType]:
        """Types that the schema lists even where no field uses them."""
        return ()


class StorageHooks:
    """What the storage API is made of."""

    @hookspec(firstresult=True)
    def storage_backend(self, url: str) -> Backend | None:
        """The backend for a storage URL of this plugin's scheme; None for any other. Raises BackendUnusable."""

    @hookspec
    def object_event_receivers(self, settings: Settings) -> Sequence[EventReceiver]:
        """Who is told of objects that were created, replaced, moved, copied or removed, after the commit."""
        return ()

    @hookspec
    def object_checks(self, settings: Settings) -> Sequence[ObjectCheck]:
        """Checks that each upload must pass before it is committed; one that raises refuses the upload."""
        return ()


class ServiceHooks:
    """What runs around the APIs."""

    @hookspec
    def before_fork(self, settings: Settings) -> None:
        """Called once in the process that forks workers, before it does."""

    @hookspec
    def middleware(self, services: Services) -> Sequence[object]:
        """Falcon middleware components for every request of an application."""
        return ()

    @hookspec
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        """Add routes to an application."""

    @hookspec
    def stages_timed(self, milliseconds: Mapping[str, float]) -> None:
        """Called after each GraphQL request with the milliseconds that each of its stages took."""


def in_order(contributions: Sequence[Fields | None]) -> dict[str, Any]:
    """The fields of all contributions by position; of two with one name the earlier stays."""
    result: dict[str, Any] = {}
    for contribution in sorted((each for each in contributions if each), key=lambda each: each.position):
        for name, field in contribution.fields.items():
            result.setdefault(name, field)
    return result
