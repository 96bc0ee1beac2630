"""The GraphQL API for the command line: a role's schema, and the SQL of a query."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLOneOfDirective,
    is_introspection_type,
    is_specified_scalar_type,
    print_directive,
    print_type,
    specified_rules,
    validate,
)

from app.graphql.documents.errors import DocumentError
from app.graphql.documents.syntax import read_syntax
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.values import Steering
from app.pipeline.engine import Engine, make_engine
from app.pipeline.parse import parse
from app.pipeline.plan import make_plan
from app.pipeline.records import GraphQLRequest
from app.plugin_guard import Plugins
from app.settings import Settings


def schema_sdl(settings: Settings, plugins: Plugins, role: str, *, subscriptions: bool = False) -> Iterator[str]:
    """The GraphQL schema that ``role`` sees, in the schema definition language, one definition after the other. With
    ``subscriptions`` it has the type Subscription of `portico live`.

    Raises PorticoError if the role does not exist or the database is not available.
    """
    with _schema_of(settings, plugins, role) as (_, api):
        yield from sdl_of(api, subscriptions=subscriptions)


def sdl_of(known: ApiSchema, *, subscriptions: bool = False) -> Iterator[str]:
    """The definitions of a schema, each as text."""
    api = known.passing()
    # Types are printed one by one and sorted afterwards: the texts are much smaller than the types.
    printed: dict[str, bytes] = {}
    has_one_of = False
    for each in api.each_type():
        if not is_introspection_type(each) and not is_specified_scalar_type(each):
            printed[each.name] = zlib.compress(print_type(each).encode(), 1)
            has_one_of = has_one_of or (isinstance(each, GraphQLInputObjectType) and each.is_one_of)
    if has_one_of:
        # The specification permits omitting this built-in directive
        # (https://spec.graphql.org/September2025/#sec-Type-System.Directives), but older tools, such as Go's, need it.
        yield print_directive(GraphQLOneOfDirective)
    # No schema definition is printed: older parsers, such as that of Rust's graphql_client, fail at one with a
    # description, and the root types have the default names.
    for name in sorted(printed):
        yield zlib.decompress(printed.pop(name)).decode()
    if subscriptions and api.graphql.query_type is not None:
        # The root types of a schema must differ, so Subscription is a separate type.
        yield print_type(GraphQLObjectType("Subscription", api.graphql.query_type.fields))


def plan_sql(
    settings: Settings, plugins: Plugins, role: str, query: str, variables: Mapping[str, Any] | None = None
) -> str:
    """The SQL of ``query`` for ``role``. A mutation has one statement for each root field.

    Raises PorticoError if the query is not valid.
    """
    with _schema_of(settings, plugins, role) as (engine, api):
        parsed = parse(GraphQLRequest(query, variables or {}), engine)
        syntax = read_syntax(query, engine.limits).document
        errors = validate(api.graphql, syntax, specified_rules) if api.dialect.validates else []
        if errors:
            raise DocumentError(errors[0].message, "GRAPHQL_VALIDATION_FAILED", errors)
        plan = make_plan(parsed.document, api, parsed.variables, Steering())
        return ";\n\n".join(planned.statement.sql for planned in plan.statements)


@contextmanager
def _schema_of(settings: Settings, plugins: Plugins, role: str) -> Iterator[tuple[Engine, ApiSchema]]:
    with closing(make_engine(settings, plugins)) as engine:
        yield engine, engine.role_schemas.of_role(role)
