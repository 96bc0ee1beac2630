"""Hidden rows that constraints reveal, as described in docs/security.md ("Hidden rows and constraints")."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs.blocks import blocks
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

ANN, BEN = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
AUTH = """
create schema auth; grant usage on schema auth to authenticated;
create function auth.uid() returns uuid language sql stable as
  $$ select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid $$;
"""
OWN = """
create table {name} ({columns}, owner uuid not null default auth.uid());
alter table {name} enable row level security;
create policy own on {name} using (owner = auth.uid()) with check (owner = auth.uid());
grant select, insert, update, delete on {name} to authenticated;
"""
TABLES = (
    ("code", "id int primary key, code text unique"),
    ("stay", "id int primary key, nights int4range, exclude using gist (nights with &&)"),
    ("parent", "id int primary key"),
    ("kept", "id int primary key, parent_id int references parent"),
    ("gone", "id int primary key, parent_id int references parent on delete cascade"),
    ("cleared", "id int primary key, parent_id int references parent on delete set null"),
    ("needed", "id int primary key, parent_id int not null references parent on delete set null"),
)
SCHEMA = AUTH + "".join(OWN.format(name=name, columns=columns) for name, columns in TABLES)
ROWS = f"""
truncate {", ".join(name for name, _ in TABLES)};
insert into code values (1, 'taken', '{BEN}'), (2, 'own', '{ANN}');
insert into stay values (1, '[1,5)', '{BEN}');
insert into parent values (1, '{BEN}'), (2, '{ANN}'), (3, '{ANN}'), (4, '{ANN}'), (5, '{ANN}'), (6, '{ANN}');
insert into kept values (1, 2, '{BEN}'); insert into gone values (1, 3, '{BEN}');
insert into cleared values (1, 4, '{BEN}');
insert into needed values (1, 5, '{BEN}');
"""


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def as_ann(api: Api, mutation: str) -> Answer:
    return api.ask(f"mutation {{ {mutation} }}", claims={"sub": ANN})


def insert(table: str, values: str) -> str:
    return f"insertInto{table}Collection(objects: [{{ {values} }}]) {{ affectedCount }}"


def delete(table: str, number: int) -> str:
    return f"deleteFrom{table}Collection(filter: {{ id: {{ eq: {number} }} }}) {{ affectedCount }}"


def code_of(answer: Answer) -> str | None:
    return answer.code if answer.errors else None


@pytest.mark.parametrize(
    ("hidden", "absent", "code"),
    [
        (insert("code", "id: 1"), insert("code", "id: 9"), "UNIQUE_VIOLATION"),
        (insert("code", 'id: 8, code: "taken"'), insert("code", 'id: 9, code: "free"'), "UNIQUE_VIOLATION"),
        (
            'updatecodeCollection(set: { code: "taken" }) { affectedCount }',
            'updatecodeCollection(set: { code: "free" }) { affectedCount }',
            "UNIQUE_VIOLATION",
        ),
        (insert("stay", 'id: 8, nights: "[2,3)"'), insert("stay", 'id: 9, nights: "[7,8)"'), "EXCLUSION_VIOLATION"),
    ],
)
def test_keys_of_hidden_rows_are_taken(api: Api, hidden: str, absent: str, code: str) -> None:
    refused = as_ann(api, hidden)
    assert (refused.code, code_of(as_ann(api, absent))) == (code, None)
    assert BEN not in str(refused.body)


@pytest.mark.parametrize("change", ["insert", "update"])
def test_a_reference_to_a_hidden_row_succeeds(api: Api, change: str) -> None:
    def refer(to: int) -> str:
        if change == "insert":
            return insert("kept", f"id: {10 + to}, parent_id: {to}")
        return f"updatekeptCollection(set: {{ parent_id: {to} }}, filter: {{ id: {{ eq: 10 }} }}) {{ affectedCount }}"

    assert code_of(as_ann(api, insert("kept", "id: 10"))) is None
    assert [code_of(as_ann(api, refer(to))) for to in (1, 99)] == [None, "FOREIGN_KEY_VIOLATION"]


def test_a_row_to_which_a_hidden_one_refers_stays(api: Api) -> None:
    assert [code_of(as_ann(api, delete("parent", number))) for number in (2, 6)] == ["FOREIGN_KEY_VIOLATION", None]
    change = "updateparentCollection(set: {{ id: {} }}, filter: {{ id: {{ eq: {} }} }}) {{ affectedCount }}"
    assert code_of(as_ann(api, change.format(12, 2))) == "FOREIGN_KEY_VIOLATION"


@pytest.mark.parametrize(
    ("number", "table", "left"), [(3, "gone", []), (4, "cleared", [[1, None]])], ids=["cascade", "set null"]
)
def test_cascades_change_hidden_rows(
    api: Api, postgres: PostgresServer, number: int, table: str, left: list[Any]
) -> None:
    answer = as_ann(api, delete("parent", number))
    assert answer.data["deleteFromparentCollection"] == {"affectedCount": 1}
    assert postgres.execute(f"select id, parent_id from {table}", api.database_url) == left


def test_a_cascade_may_violate_a_constraint_of_a_hidden_row(api: Api) -> None:
    refused = as_ann(api, delete("parent", 5))
    assert refused.code == "NOT_NULL_VIOLATION"
    assert BEN not in str(refused.body)


def test_a_policy_hides_whether_a_referenced_row_exists(start_api: StartApi, postgres: PostgresServer) -> None:
    (example,) = (each.text for each in blocks("docs/security.md", "sql") if "references project" in each.text)
    api = start_api(
        f"{AUTH}{example}; grant select, insert, update on project, task to authenticated;"
        f" insert into project values (1, '{BEN}'), (2, '{ANN}')"
    )
    answers = [as_ann(api, insert("task", f"id: {number}, project_id: {number}")) for number in (1, 99, 2)]
    assert [code_of(each) for each in answers] == ["INSUFFICIENT_PRIVILEGE", "INSUFFICIENT_PRIVILEGE", None]
    hidden, absent = (str(each.body) for each in answers[:2])
    assert hidden == absent
    change = "updatetaskCollection(set: {{ project_id: {} }}) {{ affectedCount }}"
    hidden, absent = (str(as_ann(api, change.format(number)).body) for number in (1, 99))
    assert hidden == absent
