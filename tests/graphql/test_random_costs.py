"""Of random operations: no answer holds more rows than were counted, and a trial answers what the change then does."""

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
    """What to select of a row; each row has its id."""
    fields = ["id"]
    if levels and draw(st.booleans()):
        fields.append(f"item {{ {draw(selections(levels - 1))} }}")
    if levels and draw(st.booleans()):
        first = draw(st.sampled_from(["", "(first: 2)", "(first: 100)", "(first: 0)", "(last: 3)"]))
        fields.append(f"itemCollection{first} {{ edges {{ node {{ {draw(selections(levels - 1))} }} }} }}")
    return " ".join(fields)


ROOTS = st.one_of(
    st.builds(lambda key, of_row: f"itemByPk(id: {key}) {{ {of_row} }}", st.integers(1, 40), selections()),
    st.builds(lambda of_row: f"itemCollection {{ edges {{ node {{ {of_row} }} }} }}", selections()),
    st.builds(lambda first, of_row: f"itemCollection(first: {first}) {{ edges {{ node {{ {of_row} }} }} }}",
              st.integers(0, 9), selections()),
)  # fmt: skip


def rows_in(value: Any) -> int:
    """How many rows an answer holds: each has its id."""
    if isinstance(value, list):
        return sum(map(rows_in, value))
    if isinstance(value, dict):
        return ("id" in value) + sum(map(rows_in, value.values()))
    return 0


def test_no_answer_holds_more_rows_than_were_counted(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, ROWS)

    @PROPERTIES
    @given(st.lists(ROOTS, min_size=1, max_size=3))
    def check(roots: list[str]) -> None:
        query = f"{{ {' '.join(f'r{number}: {each}' for number, each in enumerate(roots))} }}"
        answer = ask_with(api, {"cost": True}, query)
        assert rows_in(answer.data) <= answer.body["extensions"]["cost"]["nodes"]

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


def test_a_trial_answers_what_the_change_then_does(writing_api: StartApi, postgres: PostgresServer) -> None:
    api = writing_api(SCHEMA, ROWS, dry_run=True)

    def kept() -> Any:
        return postgres.execute("select id, parent_id from item order by id", api.database_url)

    @PROPERTIES
    @given(st.lists(CHANGES, min_size=1, max_size=3))
    def check(changes: list[str]) -> None:
        postgres.execute(ROWS, api.database_url)
        before = kept()
        query = f"mutation {{ {' '.join(f'r{number}: {each}' for number, each in enumerate(changes))} }}"
        trial = ask_with(api, {"dryRun": True}, query)
        assert kept() == before
        assert {key: value for key, value in trial.body.items() if key != "extensions"} == api.ask(query).body
        assert ("extensions" in trial.body) == (not trial.errors)

    check()
