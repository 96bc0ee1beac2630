"""Comments on roles: limits and features that one role has, stricter or laxer than the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import build_schema

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer
from tests.process.running import until

ROLE, OTHER = "limited_by_comment", "not_limited"
ROLES_SQL = "".join(
    f"do $$ begin create role {role} nologin noinherit; exception when duplicate_object or unique_violation then null;"
    " end $$;"
    for role in (ROLE, OTHER)
)
SCHEMA = f"""
{ROLES_SQL}
create table item (id int primary key, parent_id int references item);
create table paged (id int primary key);
comment on table paged is '@graphql({{"max_rows": 7}})';
insert into item select n, nullif(n / 2, 0) from generate_series(1, 40) n;
insert into paged select generate_series(1, 40);
grant select on item, paged to {ROLE}, {OTHER};
"""
SETTINGS: dict[str, Any] = {"api_roles": (ROLE, OTHER, "anon"), "max_rows": 10}
TWO_LEVELS = "{ itemCollection { edges { node { id item { id } } } } }"


@pytest.fixture(autouse=True)
def uncommented(postgres: PostgresServer) -> Iterator[None]:
    """Roles belong to the server, and so do the comments on them."""
    yield
    postgres.execute(f"{ROLES_SQL} comment on role {ROLE} is null")


@pytest.fixture
def limited(start_api: StartApi, postgres: PostgresServer) -> Any:
    """``limited(directives, **settings)``: the API of a database whose role has such a comment."""

    def make(directives: str, **settings: Any) -> Api:
        api = start_api(SCHEMA, **{**SETTINGS, **settings})
        postgres.execute(f"comment on role {ROLE} is 'Web. @graphql({directives})'", api.database_url)
        return api

    return make


def test_a_lower_node_limit_applies(limited: Any) -> None:
    api = limited('{"node_limit": 19}')
    error = api.ask(TWO_LEVELS, role=ROLE)
    assert (error.code, error.message) == (
        "LIMIT_EXCEEDED",
        "The operation may return 20 rows, more than 19 (NODE_LIMIT)",
    )
    assert api.ask(TWO_LEVELS, role=OTHER).data
    # The limit also applies to the plan that the other role's request has cached.
    assert api.ask(TWO_LEVELS, role=ROLE).code == "LIMIT_EXCEEDED"


def test_a_higher_node_limit_applies(limited: Any) -> None:
    api = limited('{"node_limit": 20}', node_limit=19)
    assert api.ask(TWO_LEVELS, role=ROLE).data
    assert api.ask(TWO_LEVELS, role=OTHER).code == "LIMIT_EXCEEDED"
    api = limited('{"node_limit": 0}', node_limit=1)
    assert api.ask(TWO_LEVELS, role=ROLE).data


def test_a_lower_depth_limit_applies(limited: Any) -> None:
    api = limited('{"depth_limit": 3}', depth_limit=4)
    assert api.ask("{ itemCollection { edges { cursor } } }", role=ROLE).data
    error = api.ask("{ itemCollection { edges { node { id } } } }", role=ROLE)
    assert (error.code, error.message) == ("LIMIT_EXCEEDED", "The operation is more than 3 levels deep")
    assert api.ask("{ itemCollection { edges { node { id } } } }", role=OTHER).data
    assert api.ask(TWO_LEVELS, role=OTHER).message == "The operation is more than 4 levels deep"


def test_a_higher_depth_limit_applies(limited: Any) -> None:
    deep = "item { " * 60 + "id" + " }" * 60
    api = limited('{"depth_limit": 63}')
    assert api.ask(f"{{ itemByPk(id: 40) {{ {deep} }} }}", role=ROLE).data
    assert api.ask(f"{{ itemByPk(id: 40) {{ {deep} }} }}", role=OTHER).code == "LIMIT_EXCEEDED"


def test_max_rows_applies_to_pages(limited: Any) -> None:
    """A collection's own directive is about that collection, and stays."""
    api = limited('{"max_rows": 3}')
    query = "{ itemCollection { edges { cursor } } pagedCollection { edges { cursor } } }"

    def sizes(role: str) -> list[int]:
        return [len(each["edges"]) for each in api.ask(query, role=role).data.values()]

    assert sizes(ROLE) == [3, 7]
    assert sizes(OTHER) == [10, 7]


@pytest.mark.parametrize(
    ("setting", "words", "has_key", "has_relation_filter"),
    [
        (("all",), '["-keys"]', False, True),
        (("all",), '["none"]', False, False),
        (("all",), '["keys"]', True, False),
        (("none",), '["keys", "relation_filters"]', True, True),
        (("-keys",), '["-relation_filters"]', False, False),
        (("none",), '["all"]', True, True),
    ],
)
def test_features_of_a_role_apply(
    limited: Any, setting: tuple[str, ...], words: str, has_key: bool, has_relation_filter: bool
) -> None:
    api = limited(f'{{"features": {words}}}', graphql_features=setting)
    by_key = api.ask("{ itemByKey(key: {id: 1}) { id } }", role=ROLE)
    related = api.ask("{ itemCollection(filter: {itemCollection: {exists: true}}) { edges { cursor } } }", role=ROLE)
    assert (by_key.errors == [], related.errors == []) == (has_key, has_relation_filter)
    usual = api.application.services.engine.role_schemas.of_role(OTHER)
    assert ("itemByKey" in usual.graphql.query_type.fields) == (setting == ("all",))


def test_the_schema_without_a_feature_is_valid(limited: Any) -> None:
    from graphql import print_schema

    api = limited('{"features": ["-keys", "-operators"]}')
    role_schema = api.application.services.engine.role_schemas.of_role(ROLE)
    assert build_schema(print_schema(role_schema.graphql))
    assert "ByKey" not in print_schema(role_schema.graphql)


def test_the_dialect_pg_graphql_has_no_features_for_any_role(limited: Any) -> None:
    api = limited('{"features": ["all"], "node_limit": 5}', graphql_dialect="pg_graphql")
    assert api.ask("{ itemByKey(key: {id: 1}) { id } }", role=ROLE).errors
    assert api.ask("{ itemCollection { edges { cursor } } }", role=ROLE).code == "LIMIT_EXCEEDED"
    assert api.ask("{ itemCollection { edges { cursor } } }", role=OTHER).data


@pytest.mark.parametrize(
    ("directives", "reported"),
    [
        ('{"node_limit": -1}', "invalid value: integer `-1`, expected u64 at node_limit"),
        ('{"depth_limit": 0}', "invalid value: integer `0`, expected an integer from 1 to 200 at depth_limit"),
        ('{"depth_limit": "8"}', 'invalid type: string "8", expected an integer from 1 to 200 at depth_limit'),
        ('{"max_rows": true}', "invalid type: boolean `true`, expected u64 at max_rows"),
        ('{"cost_limit": 1.5}', "invalid type: floating point `1.5`, expected u64 at cost_limit"),
        ('{"features": "-keys"}', 'invalid type: string "-keys", expected a sequence at features'),
        ('{"features": ["-kees"]}', "no feature is called 'kees'; the features are "),
        ('{"node_limits": 1}', 'unknown key "node_limits"; did you mean "node_limit"?'),
    ],
)
def test_a_malformed_directive_is_ignored_and_reported(limited: Any, directives: str, reported: str) -> None:
    api = limited(directives)
    assert api.ask(TWO_LEVELS, role=ROLE).data
    notices = api.application.services.engine.role_schemas.of_role(ROLE).notices
    (notice,) = [each for each in notices if each.subject == f"role {ROLE}"]
    assert notice.reason.startswith(f"its comment directive is left out: {reported}")


@pytest.mark.parametrize("directives", ['{"node_limit": 1}', '{"depth_limit": 1}', '{"cost_limit": 1}'])
def test_a_comment_counts_within_five_seconds(start_api: StartApi, postgres: PostgresServer, directives: str) -> None:
    api = start_api(SCHEMA, **SETTINGS)
    assert api.ask(TWO_LEVELS, role=ROLE).data
    postgres.execute(f"comment on role {ROLE} is '@graphql({directives})'", api.database_url)
    until(lambda: api.ask(TWO_LEVELS, role=ROLE).errors, 5)
    assert api.ask(TWO_LEVELS, role=ROLE).code == "LIMIT_EXCEEDED"
    assert api.ask(TWO_LEVELS, role=OTHER).data
    postgres.execute(f"comment on role {ROLE} is 'nothing'", api.database_url)
    until(lambda: not api.ask(TWO_LEVELS, role=ROLE).errors, 5)


def test_roles_with_equal_grants_share_a_schema_unless_a_comment_differs(limited: Any) -> None:
    api = limited('{"max_rows": 2}')
    schemas = api.application.services.engine.role_schemas
    assert schemas.of_role(ROLE) is not schemas.of_role(OTHER)
    assert schemas.of_role(ROLE) is schemas.of_role(ROLE)
