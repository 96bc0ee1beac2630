"""_service: the subgraph's schema in the schema definition language, for the gateway."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from graphql import GraphQLField, GraphQLNonNull, GraphQLObjectType, GraphQLString

from portico import ApiSchema, Field, OverLimit, RequestError, schema_text
from portico_federation.schema import subgraph_schema

SERVICE = "_Service"


def service_type(api: ApiSchema) -> GraphQLObjectType:
    sdl = GraphQLField(GraphQLNonNull(GraphQLString), description="The schema, with the directives of the federation")
    return api.named(SERVICE, lambda name: GraphQLObjectType(name, {"sdl": sdl}, description="This subgraph"))


def service_field(api: ApiSchema) -> GraphQLField:
    """The root field. It needs no database."""
    return GraphQLField(
        GraphQLNonNull(service_type(api)), extensions={"constant": _service}, description="Describes this subgraph"
    )


def _service(field: Field) -> Iterator[bytes]:
    api = field.api.introspected
    if api is None:
        raise RequestError("Introspection is off, so the schema is not shown", code="GRAPHQL_VALIDATION_FAILED")
    selected = field.walk.collect(cast(GraphQLObjectType, field.type), field.nodes)
    if len(selected) > len({nodes[0].name.value for nodes in selected.values()}):
        raise OverLimit("_service has the same field several times")
    between = "{"
    for key, nodes in selected.items():
        yield f"{between}{json.dumps(key)}:".encode()
        between = ","
        if nodes[0].name.value == "__typename":
            yield json.dumps(SERVICE).encode()
        else:
            text: Any = schema_text(api, "subgraph", _json_string)
            yield from (text,) if isinstance(text, bytes) else text.chunks()
    yield b"}"


def _json_string(api: ApiSchema) -> Iterator[bytes]:
    """The schema as a JSON string."""
    yield b'"'
    for definition in subgraph_schema(api):
        yield json.dumps(f"{definition}\n\n", ensure_ascii=False)[1:-1].encode()
    yield b'"'
