"""A value of every type that the server has can be written, and searched for, in the format in which it is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest
from graphql import GraphQLObjectType, get_named_type
from pg8000.native import Connection

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.types_of_server import ServerType, table, types_of
from tests.postgres_server import PostgresServer, connect

COLUMNS = ("v", "vs", "d", "ds", "dl")
"""Columns of a type: of its own values, arrays of them, of a domain over it, arrays of that, a domain over arrays."""

Row = Mapping[str, Any]

ENUM = "kind"
"""Its values are not strings in a document."""


@pytest.fixture(scope="module")
def all_types(postgres: PostgresServer) -> tuple[str, list[ServerType]]:
    made, types = types_of(postgres)
    tables = "".join(table(number, each) for number, each in enumerate(types))
    return made + tables + "grant all on all tables in schema public to anon;", types


def selection(type_: Any) -> str:
    named: Any = get_named_type(type_)
    if not isinstance(named, GraphQLObjectType):
        return ""
    return "{" + " ".join(f"{name} {selection(each.type)}" for name, each in named.fields.items()) + "}"


def literal(value: Any) -> str | None:
    """A JSON value as a literal of GraphQL; None where a key is not a name there."""
    if isinstance(value, list):
        items = [literal(each) for each in value]
        return None if None in items else f"[{', '.join(map(str, items))}]"
    if isinstance(value, dict):
        members = {name: literal(each) for name, each in value.items()}
        if None in members.values() or not all(re.fullmatch(r"[_A-Za-z]\w*", name, re.ASCII) for name in members):
            return None
        return "{" + ", ".join(f"{name}: {each}" for name, each in members.items()) + "}"
    return json.dumps(value)


class Tried:
    """A table of a type, through the API: its row ``key`` is read, and written again as what was read."""

    def __init__(self, api: Api, connection: Connection, number: int, type_: ServerType, key: int) -> None:
        self.api, self.connection, self.key, self.type = api, connection, key, type_
        self.name = f"t_{number}"
        self.types: Any = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map
        fields = self.types[self.name].fields
        written = self.types[f"{self.name}InsertInput"].fields
        self.columns = [each for each in COLUMNS if each in fields and each in written]
        self.selected = " ".join(f"{each} {selection(fields[each].type)}" for each in self.columns)
        self.row: Row = self.ask(
            f"{{ {self.name}Collection(filter: {{id: {{eq: {key}}}}}) {{ edges {{ node {{ {self.selected} }} }} }} }}",
            {},
        )["edges"][0]["node"]

    def ask(self, query: str, variables: Row) -> Any:
        answer = self.api.ask(query, variables)
        if answer.errors:
            raise AssertionError(answer.errors[0])
        return next(iter(answer.data.values()))

    def held(self, key: int) -> list[object]:
        columns = ", ".join(f"{each}::text" for each in self.columns)
        (row,) = self.connection.execute_simple(f"select {columns} from {self.name} where id = {key}").rows or ()
        return list(row)

    def problems(self) -> Iterator[str]:
        """The failures of each way with all columns at once, and then of each column alone if there is one."""
        for way in (self.inserted, self.literally, self.updated, self.updated_by_key, self.found, self.found_by_key):
            try:
                way(self.columns)
            except AssertionError as ex:
                yield f"{way.__name__}: {str(ex)[:300]}"
                for column in self.columns:
                    try:
                        way([column])
                    except AssertionError as ex:
                        yield f"{way.__name__} {column}: {str(ex)[:300]}"

    def given(self, columns: list[str]) -> Row:
        return {each: self.row[each] for each in columns}

    def same(self, columns: list[str], there: list[object], key: int) -> None:
        before = dict(zip(self.columns, self.held(key), strict=True))
        after = dict(zip(self.columns, there, strict=True))
        different = [
            f"{each} was {before[each]}, and is {after[each]}" for each in columns if before[each] != after[each]
        ]
        assert not different, different

    def inserted(self, columns: list[str]) -> None:
        query = f"""mutation ($objects: [{self.name}InsertInput!]!) {{
            insertInto{self.name}Collection(objects: $objects, onConflict: {{updateColumns: [{", ".join(columns)}]}}) {{
                affectedCount }} }}"""
        for objects in (
            [{"id": 10, **self.given(columns)}],
            [{"id": each, **self.given(columns)} for each in (10, 11)],
        ):
            self.ask(query, {"objects": objects})
            self.same(columns, self.held(10), self.key)

    def literally(self, columns: list[str]) -> None:
        given = literal({"id": 12, **self.given(columns)})
        if given is not None and self.type.name != ENUM:
            self.ask(
                f"""mutation {{ insertInto{self.name}Collection(objects: [{given}], onConflict: {{
                    updateColumns: [{", ".join(columns)}]}}) {{ affectedCount }} }}""",
                {},
            )
            self.same(columns, self.held(12), self.key)

    def updated(self, columns: list[str]) -> None:
        self.connection.execute_simple(f"insert into {self.name} values (13) on conflict do nothing")
        query = f"""mutation ($set: {self.name}UpdateInput!) {{
            update{self.name}Collection(set: $set, filter: {{id: {{eq: 13}}}}) {{ affectedCount }} }}"""
        self.ask(query, {"set": self.given(columns)})
        self.same(columns, self.held(13), self.key)

    def updated_by_key(self, columns: list[str]) -> None:
        query = f"""mutation ($updates: [{self.name}KeyedUpdateInput!]!) {{
            update{self.name}CollectionByKey(updates: $updates) {{ affectedCount }} }}"""
        updates = [{"key": {"id": 10}, "set": self.given(columns)}, {"key": {"id": 11}, "set": {"id": 11}}]
        self.ask(query, {"updates": updates})
        self.same(columns, self.held(10), self.key)

    def found(self, columns: list[str]) -> None:
        query = f"""query ($filter: {self.name}Filter!) {{
            {self.name}Collection(filter: $filter) {{ edges {{ node {{ id }} }} }} }}"""
        for column in columns:
            filter_: Any = self.types[f"{self.name}Filter"].fields.get(column)
            operators = set() if filter_ is None else set(get_named_type(filter_.type).fields) & {"eq"}
            if (
                operators
                and (isinstance(self.row[column], list) and None in self.row[column])
                and column in ("vs", "ds")
            ):
                continue  # Lists in filters have no nulls.
            for operator in operators:
                edges = self.ask(query, {"filter": {column: {operator: self.row[column]}}})["edges"]
                assert self.key in [each["node"]["id"] for each in edges], (column, operator, self.row[column])

    def found_by_key(self, columns: list[str]) -> None:
        name = f"k_{self.name[2:]}"
        key: Any = self.types.get(f"{name}KeyInput")
        if key is not None and self.row["v"] is not None and "v" in key.fields and "v" in columns:
            query = f"query ($key: {name}KeyInput!) {{ {name}ByKey(key: $key) {{ nodeId }} }}"
            found = self.ask(query, {"key": {"v": self.row["v"]}})
            assert found is not None, self.row["v"]
            assert self.ask("query ($id: ID!) { node(nodeId: $id) { nodeId } }", {"id": found["nodeId"]}) == found


@pytest.mark.parametrize(("value_types", "key"), [((), 1), ("all", 2)])
def test_values_are_written_and_found_as_they_are_read(
    reading_api: StartApi,
    postgres: PostgresServer,
    all_types: tuple[str, list[ServerType]],
    value_types: Any,
    key: int,
) -> None:
    schema, types = all_types
    api = reading_api(schema, value_types=value_types)
    problems = []
    with closing(connect(api.database_url)) as connection:
        for number, type_ in enumerate(types):
            tried = Tried(api, connection, number, type_, key)
            problems += [f"{type_.name} {key}: {each}" for each in tried.problems()]
    assert types
    assert not problems, "\n".join(problems)
