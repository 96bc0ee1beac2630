"""Random operations: a response has at most as many rows as estimated, and a dry run returns the same as the
mutation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.conftest import StartApi
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer

SCHEMA = """
create table item (id int primary key, parent_id int references item deferrable initially deferred, name text);
comment on schema public is '@graphql({"max_rows": 4})';
grant all on item to anon;
"""
ROWS = """
truncate item;
insert into item select n, nullif(n / 3, 0), 'item ' || n from generate_series(1, 30) n;
"""
PROPERTIES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def selections(draw: Callable[..., Any], levels: int = 3) -> str:
    """A selection of fields of a row, always with its id."""
    fields = ["id"]
    if levels and draw(st.booleans()):
        fields.append(f"item {{ {draw(selections(levels - 1))} }}")
    if levels and draw(st.booleans()):
        first = draw(st.sampled_from(["", "(first: 2)", "(first: 100)", "(first: 0)", "(last: 3)"]))
        fields.append(f"itemCollection{first} {{ edges {{ node {{ {draw(selections(levels - 1))} }} }} }}")
    return " ".join(fields)


ROOTS = st.one_of(
    st.builds(lambda key, selection: f"itemByPk(id: {key}) {{ {selection} }}", st.integers(1, 40), selections()),
    st.builds(lambda selection: f"itemCollection {{ edges {{ node {{ {selection} }} }} }}", selections()),
    st.builds(lambda first, selection: f"itemCollection(first: {first}) {{ edges {{ node {{ {selection} }} }} }}",
              st.integers(0, 9), selections()),
)  # fmt: skip


def rows_in(value: Any) -> int:
    """The number of rows in a response, counted by their ids."""
    if isinstance(value, list):
        return sum(map(rows_in, value))
    if isinstance(value, dict):
        return ("id" in value) + sum(map(rows_in, value.values()))
    return 0


def test_a_response_has_at_most_as_many_rows_as_estimated(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, ROWS)

    @PROPERTIES
    @given(st.lists(ROOTS, min_size=1, max_size=3))
    def check(roots: list[str]) -> None:
        query = f"{{ {' '.join(f'r{number}: {each}' for number, each in enumerate(roots))} }}"
        response = ask_with(api, {"cost": True}, query)
        assert rows_in(response.data) <= response.body["extensions"]["cost"]["nodes"]

    check()


KEYS = st.integers(1, 40)
CHANGES = st.one_of(
    st.builds(
        lambda key, parent: f"insertIntoitemCollection(objects: [{{id: {key}, parent_id: {parent}}}]) "
        "{ affectedCount records { id parent_id } }", KEYS, KEYS,
    ),
    st.builds(
        lambda key: f"deleteFromitemCollection(filter: {{parent_id: {{eq: {key}}}}}, atMost: 2) "
        "{ affectedCount records { id } }", KEYS,
    ),
    st.builds(
        lambda key, parent: f"updateitemCollection(set: {{parent_id: {parent}}}, filter: {{id: {{gt: {key}}}}}, "
        "atMost: 5) { affectedCount records { id parent_id } }", KEYS, KEYS,
    ),
)  # fmt: skip


def test_a_dry_run_returns_the_same_response_as_the_mutation(writing_api: StartApi, postgres: PostgresServer) -> None:
    api = writing_api(SCHEMA, ROWS, dry_run=True)

    def stored_rows() -> Any:
        return postgres.execute("select id, parent_id from item order by id", api.database_url)

    @PROPERTIES
    @given(st.lists(CHANGES, min_size=1, max_size=3))
    def check(changes: list[str]) -> None:
        postgres.execute(ROWS, api.database_url)
        before = stored_rows()
        query = f"mutation {{ {' '.join(f'r{number}: {each}' for number, each in enumerate(changes))} }}"
        dry_run = ask_with(api, {"dryRun": True}, query)
        assert stored_rows() == before
        assert {key: value for key, value in dry_run.body.items() if key != "extensions"} == api.ask(query).body
        assert ("extensions" in dry_run.body) == (not dry_run.errors)

    check()
