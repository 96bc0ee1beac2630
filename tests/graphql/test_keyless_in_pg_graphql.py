"""In the dialect pg_graphql a relation without a key does not exist: neither its rows' type nor what returns them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.conftest import StartApi

SCHEMA = """
create view account as select 1 as foo;
create function returns_account() returns account language sql stable as 'select 1';
create function returns_accounts() returns setof account language sql stable as 'select 1';
create function foo_twice(account) returns int language sql stable as 'select 2';
create materialized view kept as select 1 as foo;
create function returns_kept() returns kept language sql stable as 'select 1';
create table keyless (foo int);
create function returns_keyless() returns keyless language sql stable as 'select 1';
create table owner (id int primary key);
create table held (id int, owner int references owner);
create view declared as select 1 as foo;
comment on view declared is '@graphql({"primary_key_columns": ["foo"]})';
create function returns_declared() returns declared language sql stable as 'select 1';
create view misspelt as select 1 as foo;
comment on view misspelt is '@graphql({"primary_key_columns": ["bar"]})';
grant select on all tables in schema public to anon;
comment on schema public is '@graphql({"introspection": true})';
"""
NAMES = "{ __schema { queryType { fields { name } } types { name fields { name } } } }"
ABSENT = ("account", "kept", "keyless", "held", "misspelt")


def reported(start_api: StartApi, dialect: str) -> tuple[set[str], dict[str, Any]]:
    schema = start_api(SCHEMA, graphql_dialect=dialect).ask(NAMES).data["__schema"]
    return {each["name"] for each in schema["queryType"]["fields"]}, {each["name"]: each for each in schema["types"]}


def test_pg_graphql_leaves_out_relations_without_keys(start_api: StartApi) -> None:
    fields, types = reported(start_api, "pg_graphql")
    assert {"declaredCollection", "returns_declared", "ownerCollection"} <= fields
    assert not [each for each in fields for name in ABSENT if name in each]
    assert not [each for each in types for name in ABSENT if name in each]
    assert "heldCollection" not in {each["name"] for each in types["owner"]["fields"]}


@pytest.mark.parametrize("function", ["returns_account", "returns_kept", "returns_keyless"])
def test_the_standard_keeps_functions_that_return_one_row(start_api: StartApi, function: str) -> None:
    assert start_api(SCHEMA).ask(f"{{ {function} {{ foo }} }}").data == {function: {"foo": 1}}
