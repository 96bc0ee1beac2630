"""Comments on roles: limits and features that one role has, stricter or laxer than the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import build_schema

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door
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
def limited(open_door: OpenDoor, postgres: PostgresServer) -> Any:
    """``limited(directives, **settings)``: a door to a database whose role has such a comment."""

    def make(directives: str, **settings: Any) -> Door:
        door = open_door(SCHEMA, **{**SETTINGS, **settings})
        postgres.execute(f"comment on role {ROLE} is 'Web. @graphql({directives})'", door.database_url)
        return door

    return make


def test_a_lower_node_limit_applies(limited: Any) -> None:
    door = limited('{"node_limit": 19}')
    error = door.ask(TWO_LEVELS, role=ROLE)
    assert (error.code, error.message) == (
        "LIMIT_EXCEEDED",
        "The operation may return 20 rows, more than 19 (NODE_LIMIT)",
    )
    assert door.ask(TWO_LEVELS, role=OTHER).data
    # Also for the plan that the other role has made by now.
    assert door.ask(TWO_LEVELS, role=ROLE).code == "LIMIT_EXCEEDED"


def test_a_higher_node_limit_applies(limited: Any) -> None:
    door = limited('{"node_limit": 20}', node_limit=19)
    assert door.ask(TWO_LEVELS, role=ROLE).data
    assert door.ask(TWO_LEVELS, role=OTHER).code == "LIMIT_EXCEEDED"
    door = limited('{"node_limit": 0}', node_limit=1)
    assert door.ask(TWO_LEVELS, role=ROLE).data


def test_a_lower_depth_limit_applies(limited: Any) -> None:
    door = limited('{"depth_limit": 3}', depth_limit=4)
    assert door.ask("{ itemCollection { edges { cursor } } }", role=ROLE).data
    error = door.ask("{ itemCollection { edges { node { id } } } }", role=ROLE)
    assert (error.code, error.message) == ("LIMIT_EXCEEDED", "The operation is more than 3 levels deep")
    assert door.ask("{ itemCollection { edges { node { id } } } }", role=OTHER).data
    assert door.ask(TWO_LEVELS, role=OTHER).message == "The operation is more than 4 levels deep"


def test_a_higher_depth_limit_applies(limited: Any) -> None:
    deep = "item { " * 60 + "id" + " }" * 60
    door = limited('{"depth_limit": 63}')
    assert door.ask(f"{{ itemByPk(id: 40) {{ {deep} }} }}", role=ROLE).data
    assert door.ask(f"{{ itemByPk(id: 40) {{ {deep} }} }}", role=OTHER).code == "LIMIT_EXCEEDED"


def test_max_rows_applies_to_pages(limited: Any) -> None:
    """A collection's own directive is about that collection, and stays."""
    door = limited('{"max_rows": 3}')
    query = "{ itemCollection { edges { cursor } } pagedCollection { edges { cursor } } }"

    def sizes(role: str) -> list[int]:
        return [len(each["edges"]) for each in door.ask(query, role=role).data.values()]

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
    door = limited(f'{{"features": {words}}}', graphql_features=setting)
    by_key = door.ask("{ itemByKey(key: {id: 1}) { id } }", role=ROLE)
    related = door.ask("{ itemCollection(filter: {itemCollection: {exists: true}}) { edges { cursor } } }", role=ROLE)
    assert (by_key.errors == [], related.errors == []) == (has_key, has_relation_filter)
    usual = door.application.services.engine.role_schemas.of_role(OTHER)
    assert ("itemByKey" in usual.graphql.query_type.fields) == (setting == ("all",))


def test_the_schema_without_a_feature_is_valid(limited: Any) -> None:
    from graphql import print_schema

    door = limited('{"features": ["-keys", "-operators"]}')
    api = door.application.services.engine.role_schemas.of_role(ROLE)
    assert build_schema(print_schema(api.graphql))
    assert "ByKey" not in print_schema(api.graphql)


def test_the_dialect_pg_graphql_has_no_features_for_any_role(limited: Any) -> None:
    door = limited('{"features": ["all"], "node_limit": 5}', graphql_dialect="pg_graphql")
    assert door.ask("{ itemByKey(key: {id: 1}) { id } }", role=ROLE).errors
    assert door.ask("{ itemCollection { edges { cursor } } }", role=ROLE).code == "LIMIT_EXCEEDED"
    assert door.ask("{ itemCollection { edges { cursor } } }", role=OTHER).data


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
    door = limited(directives)
    assert door.ask(TWO_LEVELS, role=ROLE).data
    notices = door.application.services.engine.role_schemas.of_role(ROLE).notices
    (notice,) = [each for each in notices if each.subject == f"role {ROLE}"]
    assert notice.reason.startswith(f"its comment directive is left out: {reported}")


@pytest.mark.parametrize("directives", ['{"node_limit": 1}', '{"depth_limit": 1}', '{"cost_limit": 1}'])
def test_a_comment_counts_within_five_seconds(open_door: OpenDoor, postgres: PostgresServer, directives: str) -> None:
    door = open_door(SCHEMA, **SETTINGS)
    assert door.ask(TWO_LEVELS, role=ROLE).data
    postgres.execute(f"comment on role {ROLE} is '@graphql({directives})'", door.database_url)
    until(lambda: door.ask(TWO_LEVELS, role=ROLE).errors, 5)
    assert door.ask(TWO_LEVELS, role=ROLE).code == "LIMIT_EXCEEDED"
    assert door.ask(TWO_LEVELS, role=OTHER).data
    postgres.execute(f"comment on role {ROLE} is 'nothing'", door.database_url)
    until(lambda: not door.ask(TWO_LEVELS, role=ROLE).errors, 5)


def test_roles_with_equal_grants_share_a_schema_unless_a_comment_differs(limited: Any) -> None:
    door = limited('{"max_rows": 2}')
    schemas = door.application.services.engine.role_schemas
    assert schemas.of_role(ROLE) is not schemas.of_role(OTHER)
    assert schemas.of_role(ROLE) is schemas.of_role(ROLE)
