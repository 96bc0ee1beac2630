"""A walk through any database: tables are filled with made up rows, and all answers are compared with SQL."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLSchema,
    build_client_schema,
    get_introspection_query,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_required_argument,
    validate_schema,
)

from app.verification.walk import Extent, verify
from tests.graphql.api import SERVICE_KEY, Api

FOR_VALUES = {
    "BAD_USER_INPUT", "CHECK_VIOLATION", "DATA_EXCEPTION", "FOREIGN_KEY_VIOLATION", "INVALID_DATETIME_FORMAT",
    "INVALID_TEXT_REPRESENTATION", "LIMIT_EXCEEDED", "NOT_NULL_VIOLATION", "NUMERIC_VALUE_OUT_OF_RANGE",
    "STRING_DATA_RIGHT_TRUNCATION", "SYNTAX_ERROR", "UNIQUE_VIOLATION",
}  # fmt: skip
"""Codes of errors that a made up value can cause."""
EXAMPLES: dict[str, Any] = {
    "Int": 1, "BigInt": "1", "Float": 1.5, "BigFloat": "1.5", "Boolean": True, "JSON": "{}", "ID": "WyJhIl0=",
    "UUID": "2b2e2b39-5b4a-4b3e-9d5e-1f0d1f1d1f1d", "Date": "2024-01-02", "Time": "03:04:05",
    "Datetime": "2024-01-02T03:04:05+00:00",
}  # fmt: skip
ROUNDS = 4
"""How often inserts are tried: rows of other tables, which theirs refer to, may be there the next time."""


def inserted_and_verified(database_url: str, **settings: Any) -> set[str]:
    """The mutations that inserted a made up row into a database, all of whose answers were those of SQL afterwards."""
    with closing(Api(database_url, token_limit=50_000, field_limit=20_000, dry_run=True, **settings)) as api:
        schema = build_client_schema(_answered(api, get_introspection_query())["data"])
        assert validate_schema(schema) == []
        inserted = _insert_into_all(api, schema)
        compared = verify(api.application.services.engine, database_url, "service_role", Extent(writes=True))
    assert compared.is_equal, "\n".join(compared.lines())
    assert compared.equal["rows"] == compared.relations > 0
    return inserted


def _insert_into_all(api: Api, schema: GraphQLSchema) -> set[str]:
    fields = schema.mutation_type.fields if schema.mutation_type else {}
    inserted: set[str] = set()
    for _ in range(ROUNDS):
        for name, field in fields.items():
            if "objects" in field.args and name not in inserted:
                taken: Any = get_named_type(field.args["objects"].type)
                row = {
                    member: _example(each.type)
                    for member, each in taken.fields.items()
                    if is_leaf_type(get_named_type(each.type))
                }
                response: Any = get_named_type(field.type)
                records = _columns(get_named_type(response.fields["records"].type))
                document = f"mutation ($row: {taken.name}!) {{ {name}(objects: [$row]) {{ records {{ {records} }} }} }}"
                if "errors" not in _answered(api, document, {"row": row}):
                    inserted.add(name)
    return inserted


def _answered(api: Api, document: str, variables: dict[str, Any] | None = None) -> Any:
    answer = api.ask(document, variables, key=SERVICE_KEY)
    unexpected = [each for each in answer.errors if each["extensions"]["code"] not in FOR_VALUES]
    assert answer.status < 500, (answer.status, document)
    assert unexpected == [], document
    return answer.body


def _columns(type_: Any) -> str:
    return " ".join(
        name
        for name, field in type_.fields.items()
        if is_leaf_type(get_named_type(field.type)) and not any(map(is_required_argument, field.args.values()))
    )


def _example(type_: Any) -> Any:
    named = get_named_type(type_)
    value = next(iter(named.values)) if isinstance(named, GraphQLEnumType) else EXAMPLES.get(named.name, "a")
    return [value] if is_list_type(get_nullable_type(type_)) else value
