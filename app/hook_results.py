"""Checks of the results of hooks. They run where the plugin is known, so that an error names the plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import partial
from typing import Any

import click
from graphql import GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLInterfaceType, GraphQLNamedType

from app.documents.source import DocumentSource
from app.entrances import Entrance
from app.graphql.schema import names
from app.graphql.schema.fields import Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.notices import Notice
from app.graphql.values.types import ValueType
from app.identity.further_credentials import Identification
from app.query.call.computed_fields import ComputedField
from app.query.values.scalars import Scalar
from app.settings import Setting
from app.storage.upkeep.events import EventReceiver
from schema_cache.directives import Directive

ReadResult = Callable[[Any], Any]
"""Checks the result of a hook and returns it. Raises TypeError or ValueError that says what was expected."""


def _wrong(result: Any, expected: str) -> TypeError:
    return TypeError(f"it returned {result!r:.100}, which is not {expected}")


def _one(kind: type, result: Any) -> Any:
    if not isinstance(result, kind):
        raise _wrong(result, f"a {kind.__name__}")
    return result


def _several(kind: type, result: Any) -> tuple[Any, ...]:
    """The result as a tuple of ``kind``. A generator runs here, where its failure can be attributed to the plugin."""
    if not isinstance(result, Iterable) or isinstance(result, str | bytes | Mapping):
        raise _wrong(result, f"a sequence of {kind.__name__}")
    several = tuple(result)
    for each in several:
        if not isinstance(each, kind):
            raise _wrong(each, f"a {kind.__name__}")
    return several


def _functions(result: Any) -> tuple[Any, ...]:
    several = _several(object, result)
    for each in several:
        if not callable(each):
            raise _wrong(each, "a function")
    return several


def _by_name(kind: type, result: Any) -> Any:
    if not isinstance(result, Mapping):
        raise _wrong(result, f"a mapping of {kind.__name__} by name")
    for name, each in result.items():
        if not isinstance(name, str) or not isinstance(each, kind):
            raise _wrong({name: each}, f"a {kind.__name__} by its name")
    return result


def _by_oid(result: Any) -> Any:
    if not isinstance(result, Mapping) or not all(isinstance(each, int) for each in result):
        raise _wrong(result, "a mapping by oids")
    return result


def _set(result: Any) -> Any:
    return _one(Set, result)


def _fields(kind: type, result: Any) -> Fields:
    if not isinstance(result, Fields):
        raise _wrong(result, "a Fields")
    if not isinstance(result.position, int | float) or not isinstance(result.fields, Mapping):
        raise _wrong(result, "Fields(position, {name: ...})")
    # Other mappings make their fields on first use.
    if type(result.fields) is dict:
        _by_name(kind, result.fields)
    return result


def _arguments(result: Any) -> Fields:
    arguments = _fields(GraphQLArgument, result)
    for name in arguments.fields:
        if not names.is_valid(name):
            raise ValueError(f"it returned an argument called {name!r}, which is not a GraphQL name")
    return arguments


def _read_all(read: ReadResult, *hooks: str) -> dict[str, ReadResult]:
    return dict.fromkeys(hooks, read)


RESULTS: Mapping[str, ReadResult] = {
    **_read_all(
        partial(_fields, GraphQLField),
        "query_fields", "mutation_fields", "node_fields", "connection_fields", "edge_fields", "aggregate_fields",
        "group_fields", "insert_response_fields",
    ),
    **_read_all(
        partial(_fields, GraphQLInputField),
        "filter_fields", "filter_operators", "order_fields", "key_fields", "insert_fields",
    ),
    **_read_all(
        _arguments,
        "column_arguments", "collection_arguments", "insert_arguments", "update_arguments", "delete_arguments",
    ),
    **_read_all(partial(_several, GraphQLNamedType), "always_listed_types", "database_types"),
    **_read_all(partial(_several, tuple), "own_type_names", "own_type_names_of"),
    **_read_all(partial(_several, str), "features", "value_types"),
    **_read_all(_functions, "object_checks", "observers", "operation_checks"),
    **_read_all(partial(_by_name, Callable), "around_stages", "request_extensions"),  # type: ignore[arg-type]
    "comment_directives": partial(_several, Directive),
    "value_type": partial(_one, ValueType),
    "scalars": partial(_several, Scalar),
    "relation_names": partial(_one, RelationNames),
    "relationships": _by_oid,
    "node_interfaces": partial(_several, GraphQLInterfaceType),
    "computed_fields": partial(_by_name, ComputedField),
    "filled_columns": _set,
    "advice": partial(_several, Notice),
    "object_event_receivers": partial(_several, EventReceiver),
    "settings": partial(_several, Setting),
    "commands": partial(_several, click.Command),
    "middleware": partial(_several, object),
    "entrances": partial(_several, Entrance),
    "documents": partial(_several, DocumentSource),
    "identifications": partial(_several, Identification),
}  # fmt: skip
"""The check of each hook's result. A hook that is missing here returns nothing, or the storage checks its result."""
