"""The extension contract: every hook that a plugin may implement.

Built-in features are loaded in the same way as third-party packages: through entry points of the group ``portico``.
Each names a module, or a class to instantiate, whose functions are marked with ``hookimpl``. Where the order of a
hook's results matters, each result carries its position; nothing depends on the order in which plugins are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import click
    import falcon
    from graphql import GraphQLInterfaceType, GraphQLNamedType

    from app.documents.source import DocumentSource
    from app.entrances import Entrance
    from app.graphql.schema.api_schema import ApiSchema
    from app.graphql.schema.fields import Fields
    from app.graphql.schema.name_conflicts import RelationNames
    from app.graphql.schema.notices import Notice
    from app.graphql.schema.relations import ApiRelation, OwnName
    from app.graphql.schema.role_rules import OperationCheck
    from app.graphql.values.types import ValueType
    from app.identity import Identity
    from app.identity.further_credentials import Identification
    from app.observation import Observer, SlowOperation
    from app.pipeline.extensions import Extension
    from app.pipeline.stage_wrappers import Around
    from app.query.call.computed_fields import ComputedField
    from app.query.read.relationships import Relationship
    from app.query.values.scalars import Scalar
    from app.services import Services
    from app.settings import Setting, Settings
    from app.storage.bytes.backend import Backend
    from app.storage.outside.place import OutsidePlace, PlaceOptions
    from app.storage.upkeep.events import EventReceiver, ObjectCheck
    from schema_cache.directives import Directive
    from schema_cache.model import Type

GROUP = "portico"
hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


class GraphQLHooks:
    """Hooks of the GraphQL API."""

    @hookspec
    def comment_directives(self) -> Sequence[Directive]:
        """Keys of ``@graphql({...})`` comments that this plugin understands."""
        return ()

    @hookspec(firstresult=True)
    def value_type(self, api: ApiSchema, type_: Type) -> ValueType | None:
        """The representation of a PostgreSQL type's values in the API; None if this plugin does not handle the type."""

    @hookspec
    def scalars(self, api: ApiSchema) -> Sequence[Scalar]:
        """Scalars, with the names of the PostgreSQL types that become them. If two plugins map the same type, the one
        registered later wins, and a third-party plugin wins over a built-in one."""
        return ()

    @hookspec
    def relation_names(self, type_name: str) -> RelationNames | None:
        """The names of the types and root fields that this plugin makes for a relation whose type has this name.
        Anything else that needs one of these names is left out of the schema."""

    @hookspec
    def own_type_names(self, api: ApiSchema) -> Iterable[OwnName]:
        """The owners and names that this plugin may pass to ``api.own_type_name`` while it makes fields and members.
        These are made on first use; announcing the names gives each type the same name in whichever order they are
        made. Called once for a schema. A name that was not announced is assigned after all types were made."""
        return ()

    @hookspec
    def own_type_names_of(self, api: ApiSchema, relation: ApiRelation) -> Iterable[OwnName]:
        """Like ``own_type_names``, for the types of one relation, whose names begin with the name of its row type. It
        is called when a name with this beginning is needed, and must not make types. Unlike ``own_type_names`` it
        costs nothing for the relations that are not used."""
        return ()

    @hookspec
    def query_fields(self, api: ApiSchema) -> Fields | None:
        """Root fields of Query. One that needs no database has the extension ``constant``: a function from the
        app.query.plan.walk.Field to the chunks of its JSON text."""

    @hookspec
    def mutation_fields(self, api: ApiSchema) -> Fields | None:
        """Root fields of Mutation."""

    @hookspec
    def node_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of a relation's object type; the scope of their resolvers is a row."""

    @hookspec
    def column_arguments(self, api: ApiSchema, type_: Type) -> Fields | None:
        """Arguments of the fields of columns of a type. The extension ``part`` of each takes the field, the column's
        value and the argument's value, and returns the value of that type to print instead. It is not called if the
        argument is null."""

    @hookspec
    def relationships(self, api: ApiSchema) -> Mapping[int, Sequence[Relationship]]:
        """Relationships between rows, by the oid of the relation on which the fields stand. Fields follow them, and so
        does an order by related rows."""
        return {}

    @hookspec
    def node_interfaces(self, api: ApiSchema) -> Sequence[GraphQLInterfaceType]:
        """Interfaces of every relation's object type."""
        return ()

    @hookspec
    def computed_fields(self, api: ApiSchema, relation: ApiRelation) -> Mapping[str, ComputedField]:
        """Values that database functions compute from a relation's rows, by name. They become fields, and values to
        filter and order by."""
        return {}

    @hookspec
    def connection_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of a relation's connection type; the scope of their resolvers is a collection."""

    @hookspec
    def edge_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of the edges of a relation's connections. The scope of their resolvers is the collection; its
        ``of_row`` makes a value for each row."""

    @hookspec
    def aggregate_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of the aggregates of a relation's rows. The scope of their resolvers is the rows of a query; each
        resolver makes one value from all of them."""

    @hookspec
    def group_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of a group of a relation's rows; the scope of their resolvers is the group
        (app.query.group.grouping.Grouping)."""

    @hookspec
    def filter_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Members of a relation's filter; the extension ``condition`` of each turns its value into a condition on a
        row."""

    @hookspec
    def filter_operators(self, api: ApiSchema, value_type: ValueType) -> Fields | None:
        """Members of the filter on a type's values; the extension ``operator`` of each compares a column with its value
        (app.query.filter.conditions.Operator). Studio lists a member by its name and description."""

    @hookspec
    def collection_arguments(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Arguments of every collection of a relation's rows. The extension ``condition`` of one narrows the rows
        (app.query.filter.conditions.MemberCondition), the extension ``order`` orders them
        (app.query.read.ordering.Order), the extension ``distinct`` leaves out all but the first of equal rows
        (app.query.read.collection.Distinct)."""

    @hookspec
    def order_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Members of an element of orderBy; the extension ``order`` of each turns its value into keys to order by."""

    @hookspec
    def key_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Members of the input that names one row of a relation; a request gives exactly one of them. The extension
        ``key`` of each is the app.query.read.keys.RowKey whose value it is."""

    @hookspec
    def insert_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Members of the input of new rows. The extension ``column`` of one is the ApiColumn that it sets, the
        extension ``link`` the app.query.write.new_rows.Link to rows that are written with it."""

    @hookspec
    def filled_columns(self, api: ApiSchema, relation: ApiRelation) -> frozenset[str]:
        """The columns of new rows that may get a value other than from their own input members. These members are
        therefore nullable: the planning of an insert reports missing values."""
        return frozenset()

    @hookspec
    def insert_arguments(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Arguments of the insert of a relation's rows. The extension ``alter`` of each turns the INSERT statement and
        its value into the statement that is run (app.query.write.inserting.Alter). An argument that skips conflicting
        rows has the extension ``arbiter``: it takes a schema and the argument's value, and returns the
        app.query.write.arbiters.Arbiter in which the existing rows conflict."""

    @hookspec
    def insert_response_fields(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Fields of the response of an insert. The scope of their resolvers has the inserted rows and the input objects
        (app.query.write.inserting.Inserted)."""

    @hookspec
    def update_arguments(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Arguments of the update of a relation's rows. The extension ``assign`` turns an argument's value into new
        values of columns (app.query.write.assignments.Assign); the extension ``condition`` selects the rows."""

    @hookspec
    def delete_arguments(self, api: ApiSchema, relation: ApiRelation) -> Fields | None:
        """Arguments of the deletion of a relation's rows; the extension ``condition`` of one selects the rows."""

    @hookspec
    def advice(self, api: ApiSchema, read: Callable[[str], bytes | None]) -> Sequence[Notice]:
        """Advice of ``portico doctor`` about the database of a schema. ``read`` returns the single value that an SQL
        statement selects, with the rights of the service."""
        return ()

    @hookspec
    def always_listed_types(self, api: ApiSchema) -> Sequence[GraphQLNamedType]:
        """Types that the schema lists even if no field uses them."""
        return ()

    @hookspec
    def database_types(self, api: ApiSchema) -> Sequence[GraphQLNamedType]:
        """Types made from types of the database that the schema lists even if no field uses them."""
        return ()


class StorageHooks:
    """Hooks of the storage API."""

    @hookspec(firstresult=True)
    def storage_backend(self, url: str) -> Backend | None:
        """The backend for a storage URL of this plugin's scheme; None for any other. Raises BackendUnusable."""

    @hookspec(firstresult=True)
    def storage_place(self, url: str, options: PlaceOptions) -> OutsidePlace | None:
        """The place for a URL of this plugin's scheme that objects are imported from or exported to; None for any
        other. Raises PlaceUnusable."""

    @hookspec
    def object_event_receivers(self, settings: Settings) -> Sequence[EventReceiver]:
        """Receivers of events: one for each object created, replaced, moved, copied or removed, after the commit."""
        return ()

    @hookspec
    def object_checks(self, settings: Settings) -> Sequence[ObjectCheck]:
        """Checks that each upload and each copy must pass before it is committed; one that raises refuses it."""
        return ()


class ServiceHooks:
    """Hooks of the service around both APIs."""

    @hookspec
    def features(self) -> Sequence[str]:
        """The features that this plugin adds to the GraphQL API, normally one. If the dialect, GRAPHQL_FEATURES or a
        role omits all of them, the plugin's hooks that build the schema are not called. A plugin that names none is
        always on."""
        return ()

    @hookspec
    def value_types(self) -> Sequence[str]:
        """The value types that this plugin adds. They change the type of columns, so each is off unless the setting
        VALUE_TYPES names it. If it names none of them, the plugin's hooks that build the schema are not called."""
        return ()

    @hookspec
    def settings(self) -> Sequence[Setting[Any]]:
        """Settings of this plugin: declared once, like the built-in ones, and read with ``settings[DECLARATION]``."""
        return ()

    @hookspec
    def commands(self) -> Sequence[click.Command]:
        """Further commands of ``portico``."""
        return ()

    @hookspec
    def before_fork(self, settings: Settings, as_owner: Callable[[str], None], owner_url: str) -> None:
        """Called once in the process that forks the workers, before it forks. ``as_owner`` runs SQL statements in one
        transaction, as the owner of the embedded PostgreSQL or else as the login of DATABASE_URL; it raises a
        PorticoError if the database refuses one. ``owner_url`` is the URL of that owner or login."""

    @hookspec
    def middleware(self, services: Services) -> Sequence[object]:
        """Falcon middleware components for every request of an application."""
        return ()

    @hookspec
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        """Add routes to an application."""

    @hookspec
    def entrances(self, settings: Settings) -> Sequence[Entrance]:
        """Pages and endpoints that this plugin serves besides the APIs, for the page at ``/``. With ``is_start``
        browsers are redirected there from ``/`` and ``/graphql/v1``, and ``serve`` prints its address last."""
        return ()

    @hookspec
    def around_stages(self, settings: Settings) -> Mapping[str, Around]:
        """Functions that wrap stages of GraphQL requests, by the name of the stage. Each takes the stage and its
        arguments. It may act before and after the stage, change arguments and result, or refuse the request by raising
        a PorticoError."""
        return {}

    @hookspec
    def observers(self, services: Services) -> Sequence[Observer]:
        """Functions that are called with an ObservedRequest for every request when its response is ready, also for
        requests that the server itself refused. They run before the response is sent, so they must not block."""
        return ()

    @hookspec(firstresult=True)
    def slow_operations(self) -> Sequence[SlowOperation] | None:
        """The slowest recent GraphQL operations of all workers; None if this plugin keeps none. Called by
        ``Services.slow_operations``."""

    @hookspec
    def closing(self) -> None:
        """Called when an application is closed, after its last request."""

    @hookspec
    def request_extensions(self, settings: Settings) -> Mapping[str, Extension]:
        """Functions for members of a request's ``extensions``, by their names. Each takes ``execute``, the member's
        value and the arguments of that stage, and returns its results; ``results.with_extension(name, value)`` adds a
        member to the response's ``extensions``. A function is not called if its member is null. A mutation with a
        member that no plugin understands is refused; a query ignores such a member."""
        return {}

    @hookspec
    def operation_checks(self, settings: Settings, directives: Mapping[str, Any]) -> Sequence[OperationCheck]:
        """Checks that each operation of a role must pass before it is executed; one that raises refuses it. Called once
        for each comment on a role with its ``directives``: those that a plugin declares on ``role``."""
        return ()

    @hookspec
    def documents(self, settings: Settings, read: Callable[[str], bytes | None]) -> Sequence[DocumentSource]:
        """Sources of registered documents, which requests name by ``documentId``. ``read`` returns the single value
        that an SQL statement selects, with the rights of the service."""
        return ()

    @hookspec
    def identifications(self, settings: Settings, identity: Identity) -> Sequence[Identification]:
        """Further credentials that identify a caller of either API. ``identity`` verifies tokens."""
        return ()
