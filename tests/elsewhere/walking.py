"""A walk through the API of any database: what its schema offers is asked for, and the answers must be plausible."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
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

from app.verification import Extent, verify
from tests.graphql.door import SERVICE_KEY, Door

FOR_VALUES = {
    "BAD_USER_INPUT", "CHECK_VIOLATION", "DATA_EXCEPTION", "FOREIGN_KEY_VIOLATION", "INVALID_DATETIME_FORMAT",
    "INVALID_TEXT_REPRESENTATION", "LIMIT_EXCEEDED", "NOT_NULL_VIOLATION", "NUMERIC_VALUE_OUT_OF_RANGE",
    "STRING_DATA_RIGHT_TRUNCATION", "SYNTAX_ERROR", "UNIQUE_VIOLATION",
}  # fmt: skip
"""Codes of errors that a made up value can cause, or a value of a row taken for a pattern."""
EXAMPLES: dict[str, Any] = {
    "Int": 1, "BigInt": "1", "Float": 1.5, "BigFloat": "1.5", "Boolean": True, "JSON": "{}", "ID": "WyJhIl0=",
    "UUID": "2b2e2b39-5b4a-4b3e-9d5e-1f0d1f1d1f1d", "Date": "2024-01-02", "Time": "03:04:05",
    "Datetime": "2024-01-02T03:04:05+00:00",
}  # fmt: skip
ROUNDS = 4
"""How often inserts are tried: rows of other tables, which theirs refer to, may be there the next time."""


def walked(database_url: str, **settings: Any) -> Walk:
    """A walk through all of a database, whose answers were plausible, and are those of SQL."""
    with closing(Door(database_url, token_limit=50_000, field_limit=20_000, dry_run=True, **settings)) as door:
        walk = Walk(door)
        walk.all()
        engine = door.application.services.engine
        compared = verify(engine, database_url, "service_role", Extent(writes=True))
    assert compared.is_equal, "\n".join(compared.lines())
    assert compared.equal["rows"] == compared.relations > 0
    assert walk.unexpected == {}
    assert walk.lost == []
    return walk


class Walk:
    """``requests`` that were sent, ``unexpected`` errors with an example of a document for each, ``lost`` values that
    a row has but its filter does not find, and the mutations that ``inserted`` a row."""

    def __init__(self, door: Door) -> None:
        self.requests = 0
        self.unexpected: dict[str, str] = {}
        self.lost: list[str] = []
        self.inserted: set[str] = set()
        self._door = door
        self.schema: GraphQLSchema = build_client_schema(self._ask(get_introspection_query())["data"])

    def all(self) -> None:
        """Read every collection, order and filter it by everything, and insert into it."""
        assert validate_schema(self.schema) == []
        for name, field, node in self._collections():
            row = self._first_row(name, node)
            self._aggregate(name, get_named_type(field.type))
            self._order(name, field)
            self._filter(name, field, node, row)
        for _ in range(ROUNDS):
            self._insert()

    def _collections(self) -> Iterator[tuple[str, Any, GraphQLObjectType]]:
        assert self.schema.query_type is not None
        for name, field in self.schema.query_type.fields.items():
            edges = getattr(get_named_type(field.type), "fields", {}).get("edges")
            if edges is not None and not any(map(is_required_argument, field.args.values())):
                yield name, field, _fields_below(edges)["node"]

    def _first_row(self, name: str, node: GraphQLObjectType) -> Mapping[str, Any]:
        answer = self._ask(f"{{ {name}(first: 3) {{ edges {{ node {{ {_selection(node, 1)} }} }} }} }}")
        rows = answer["data"][name]["edges"] if answer.get("data") else []
        return rows[0]["node"] if rows else {}

    def _aggregate(self, name: str, connection: Any) -> None:
        for member, field in connection.fields.items():
            if member not in ("edges", "pageInfo") and not any(map(is_required_argument, field.args.values())):
                of = get_named_type(field.type)
                below = "" if is_leaf_type(of) else f" {{ {_selection(of, 1)} }}"
                self._ask(f"{{ {name} {{ {member}{below} }} }}")

    def _order(self, name: str, field: Any) -> None:
        orders: Any = get_named_type(field.args["orderBy"].type)
        for member, order in orders.fields.items():
            directions = get_named_type(order.type)
            for direction in directions.values if isinstance(directions, GraphQLEnumType) else ():
                by = f"first: 2, orderBy: [{{{member}: {direction}}}]"
                page = self._ask(f"{{ {name}({by}) {{ pageInfo {{ endCursor }} }} }}")
                cursor = page["data"][name]["pageInfo"]["endCursor"] if page.get("data") else None
                if cursor is not None:
                    self._ask(f"{{ {name}({by}, after: {json.dumps(cursor)}) {{ edges {{ cursor }} }} }}")

    def _filter(self, name: str, field: Any, node: GraphQLObjectType, row: Mapping[str, Any]) -> None:
        filters: Any = get_named_type(field.args["filter"].type)
        for member, filter_ in filters.fields.items():
            operators = get_named_type(filter_.type)
            if member not in node.fields or not isinstance(operators, GraphQLInputObjectType):
                continue  # and, or, not; related rows
            own = get_named_type(node.fields[member].type)
            for operator, taken in operators.fields.items():
                of = get_named_type(taken.type)
                if is_leaf_type(of):
                    known = of == own and row.get(member) is not None
                    value = row[member] if known else _example(taken.type)
                    condition = f"{{{member}: {{{operator}: {_literal(taken.type, value)}}}}}"
                    found = self._ask(f"{{ {name}(filter: {condition}) {{ edges {{ cursor }} }} }}")
                    if known and operator == "eq" and found.get("data") and not found["data"][name]["edges"]:
                        self.lost.append(f"{name} {condition}")

    def _insert(self) -> None:
        fields = self.schema.mutation_type.fields if self.schema.mutation_type else {}
        for name, field in fields.items():
            if "objects" in field.args and name not in self.inserted:
                taken: Any = get_named_type(field.args["objects"].type)
                row = {
                    member: _example(each.type)
                    for member, each in taken.fields.items()
                    if is_leaf_type(get_named_type(each.type))
                }
                records = _selection(_fields_below(field)["records"], 0)
                document = f"mutation ($row: {taken.name}!) {{ {name}(objects: [$row]) {{ records {{ {records} }} }} }}"
                if "errors" not in self._ask(document, {"row": row}):
                    self.inserted.add(name)

    def _ask(self, document: str, variables: Mapping[str, Any] | None = None) -> Any:
        self.requests += 1
        answer = self._door.ask(document, variables, key=SERVICE_KEY)
        for error in answer.errors:
            code = error["extensions"]["code"]
            if answer.status >= 500 or code not in FOR_VALUES:
                self.unexpected.setdefault(f"{answer.status} {code} {error['message']}", f"{document} {variables}")
        return answer.body


def _fields_below(field: Any) -> dict[str, Any]:
    below: Any = get_named_type(field.type)
    return {name: get_named_type(each.type) for name, each in below.fields.items()}


def _selection(type_: Any, depth: int) -> str:
    """All fields without required arguments: those with a value, and ``depth`` levels of related rows."""
    chosen = []
    for name, field in type_.fields.items():
        of: Any = get_named_type(field.type)
        if any(map(is_required_argument, field.args.values())):
            continue
        if is_leaf_type(of):
            chosen.append(name)
        elif depth and isinstance(of, GraphQLObjectType):
            below = _fields_below(of.fields["edges"])["node"] if "edges" in of.fields else of
            inner = _selection(below, depth - 1)
            page = f"(first: 2) {{ edges {{ cursor node {{ {inner} }} }} }}" if below is not of else f" {{ {inner} }}"
            chosen.append(name + page)
    return " ".join(chosen) or "__typename"


def _example(type_: Any) -> Any:
    named = get_named_type(type_)
    value = next(iter(named.values)) if isinstance(named, GraphQLEnumType) else EXAMPLES.get(named.name, "a")
    return [value] if is_list_type(get_nullable_type(type_)) else value


def _literal(type_: Any, value: Any) -> str:
    if is_list_type(get_nullable_type(type_)):
        inner = get_nullable_type(type_).of_type
        values = value if isinstance(value, list) else [value]
        return f"[{', '.join(_literal(inner, each) for each in values)}]"
    if isinstance(get_named_type(type_), GraphQLEnumType):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
