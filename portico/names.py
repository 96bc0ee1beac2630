"""The public names. ``portico`` imports them when one of them is used."""

from __future__ import annotations

from app.database.console import SqlConsole
from app.database.identifiers import identifier, qualified
from app.discovery import configure, plugin_manager
from app.documents.source import DocumentSource, DocumentsUnusable
from app.entrances import Entrance
from app.errors import AccessError, OverLimit, PorticoError, RequestError, Unavailable
from app.graphql.introspection.answers import schema_text
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ToText, ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.http.this_machine import is_from_this_machine
from app.identity import Caller, Identity
from app.identity.further_credentials import Identification, RequestHead
from app.observation import ObservedOperation, ObservedRequest, SlowOperation
from app.pipeline.stage_wrappers import Around
from app.plugin_guard import Plugins, PluginUnusable
from app.query.filter.conditions import Compared
from app.query.plan.planning import ItemErrors, Planning
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.read.by_keys import rows_by_keys
from app.query.read.collection import Collection
from app.query.read.keys import KeyPart, RowKey, row_keys
from app.query.read.relationships import Relationship
from app.query.sql.constructs import as_text, cast_to
from app.query.sql.json_texts import json_list, json_object
from app.query.sql.texts import ArrayText, StringText
from app.query.values.scalars import Scalar, scalar_type
from app.services import Services
from app.settings import Setting, Settings
from app.settings import kinds as setting_kinds
from app.settings import shown as shown_settings
from app.storage.bytes.backend import (
    Backend,
    BackendFull,
    BackendUnavailable,
    BackendUnusable,
    Blob,
    BlobMissing,
    Creating,
    Labels,
    Linking,
    Piece,
    Readable,
    Stored,
    StreamCutShort,
    checked_key,
)
from app.storage.bytes.upload_links import Arrived, UploadLink, UploadLinking
from app.storage.errors import StorageError, UploadRefused
from app.storage.outside.place import (
    ObjectDescription,
    OutsidePlace,
    PlacedObject,
    PlaceOptions,
    PlaceRefused,
    PlaceUnusable,
)
from app.storage.upkeep.events import EventReceiver, ObjectEvent, UploadedObject
from app.wsgi import Application, create_app
from schema_cache import directive_values as directive_kinds
from schema_cache.directives import Directive

__all__ = [
    "AccessError",
    "ApiColumn",
    "ApiRelation",
    "ApiSchema",
    "Application",
    "Around",
    "ArrayText",
    "Arrived",
    "Backend",
    "BackendFull",
    "BackendUnavailable",
    "BackendUnusable",
    "Blob",
    "BlobMissing",
    "Caller",
    "Collection",
    "Compared",
    "Creating",
    "Deferred",
    "Directive",
    "DocumentSource",
    "DocumentsUnusable",
    "Entrance",
    "EventReceiver",
    "Field",
    "Fields",
    "Identification",
    "Identity",
    "ItemErrors",
    "KeyPart",
    "Labels",
    "Leaf",
    "Linking",
    "ObjectDescription",
    "ObjectEvent",
    "ObservedOperation",
    "ObservedRequest",
    "OutsidePlace",
    "OverLimit",
    "Piece",
    "PlaceOptions",
    "PlaceRefused",
    "PlaceUnusable",
    "PlacedObject",
    "Planning",
    "PluginUnusable",
    "Plugins",
    "PorticoError",
    "Readable",
    "Relationship",
    "RequestError",
    "RequestHead",
    "RowKey",
    "Rows",
    "Scalar",
    "Services",
    "Setting",
    "Settings",
    "SlowOperation",
    "SqlConsole",
    "StorageError",
    "Stored",
    "StreamCutShort",
    "StringText",
    "ToText",
    "Unavailable",
    "UploadLink",
    "UploadLinking",
    "UploadRefused",
    "UploadedObject",
    "ValueType",
    "as_text",
    "cast_to",
    "checked_key",
    "configure",
    "create_app",
    "directive_kinds",
    "hookimpl",
    "identifier",
    "is_from_this_machine",
    "json_list",
    "json_object",
    "plugin_manager",
    "qualified",
    "row_keys",
    "rows_by_keys",
    "scalar_type",
    "schema_text",
    "setting_kinds",
    "shown_settings",
]
