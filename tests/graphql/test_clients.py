"""Released clients, gql from PyPI and Apollo Client from npm, and the audit of GraphQL over HTTP, against a service."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, token
from tests.graphql.serving import serving
from tests.packages import program as node_program
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S

SCHEMA = """
comment on schema public is '@graphql({"inflect_names": true})';
create table category (id int primary key, name text not null);
create table note (
  id int generated always as identity primary key, body varchar(40) not null, done boolean not null default false,
  tags text[], category_id int references category, created_at timestamptz not null default now(),
  owner text not null default current_setting('request.jwt.claim.sub', true));
comment on table note is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create function _shout(n note) returns text language sql immutable as 'select upper(n.body)';
create function _close_all() returns setof note language sql volatile as 'update note set done = true returning *';
alter table note enable row level security;
create policy own on note to authenticated using (owner = current_setting('request.jwt.claim.sub', true));
insert into category values (1, 'odd'), (2, 'even');
grant select on category, note to anon, authenticated; grant insert, update, delete on note to authenticated;
"""


@pytest.fixture
def service(postgres: PostgresServer, tmp_path: Path) -> Iterator[str]:
    """The URL of a service with two processes, used by this test only."""
    with serving(postgres, tmp_path, SCHEMA, workers=2) as url:
        yield url


# gql


ADD = """
mutation Add($objects: [NoteInsertInput!]!) {
  insertIntoNoteCollection(objects: $objects) { affectedCount records { nodeId id body tags category { name } shout } }
}
"""
PAGE = """
query Page($first: Int!, $after: Cursor, $filter: NoteFilter) {
  noteCollection(first: $first, after: $after, filter: $filter, orderBy: [{id: DescNullsLast}]) {
    totalCount aggregate { count max { id } } edges { node { body done } } pageInfo { endCursor hasNextPage }
  }
}
"""


def test_gql_reads_and_writes(service: str) -> None:
    gql_package = pytest.importorskip("gql")
    from gql.transport.exceptions import TransportQueryError, TransportServerError
    from gql.transport.requests import RequestsHTTPTransport

    gql = gql_package.gql
    headers = {"apiKey": ANON_KEY, "Authorization": f"Bearer {token({'role': 'authenticated', 'sub': 'ann'})}"}
    transport = RequestsHTTPTransport(url=service, headers=headers, retries=2)
    # The client reads the schema by introspection, and checks each document and its variables against it.
    with gql_package.Client(transport=transport, fetch_schema_from_transport=True) as session:
        add = gql(ADD)
        objects = [{"body": f"note {n}", "tags": ["t", str(n)], "categoryId": 1 + n % 2} for n in range(5)]
        add.variable_values = {"objects": objects}
        added = session.execute(add)["insertIntoNoteCollection"]
        assert added["affectedCount"] == 5
        assert [each["body"] for each in added["records"]] == [each["body"] for each in objects]
        assert (added["records"][0]["category"], added["records"][0]["shout"]) == ({"name": "odd"}, "NOTE 0")

        page = gql(PAGE)
        bodies, after = [], None
        while True:
            page.variable_values = {"first": 2, "after": after, "filter": {"done": {"eq": False}}}
            got = session.execute(page)["noteCollection"]
            assert got["totalCount"] == got["aggregate"]["count"] == 5
            bodies += [each["node"]["body"] for each in got["edges"]]
            after = got["pageInfo"]["endCursor"]
            if not got["pageInfo"]["hasNextPage"]:
                break
        assert bodies == [f"note {n}" for n in (4, 3, 2, 1, 0)]

        second = added["records"][1]["id"]
        changed = session.execute(
            gql(f"""mutation {{
          updateNoteCollection(set: {{body: "changed", categoryId: null}}, filter: {{id: {{eq: {second}}}}}) {{
            records {{ body category {{ name }} }} }}
          closeAll {{ edges {{ node {{ done }} }} }}
          deleteFromNoteCollection(filter: {{body: {{startsWith: "note"}}}}, atMost: 9) {{ affectedCount }} }}""")
        )
        assert changed["updateNoteCollection"]["records"] == [{"body": "changed", "category": None}]
        assert changed["closeAll"]["edges"] == [{"node": {"done": True}}] * 5
        assert changed["deleteFromNoteCollection"] == {"affectedCount": 4}

        for variables, code in (
            ([{"body": "x" * 41}], "BAD_USER_INPUT"),
            ([{"body": "x", "categoryId": 9}, {"body": "y", "categoryId": 9}], "FOREIGN_KEY_VIOLATION"),
            ([{"body": "x", "owner": "bob"}], "INSUFFICIENT_PRIVILEGE"),
        ):
            add.variable_values = {"objects": variables}
            with pytest.raises(TransportQueryError) as refused:
                session.execute(add)
            assert refused.value.errors is not None
            assert refused.value.errors[0]["extensions"]["code"] == code
            assert refused.value.errors[0]["path"] == ["insertIntoNoteCollection"]
        # A missing required member is found before execution, so the error has no path.
        add.variable_values = {"objects": [{"body": None}]}
        with pytest.raises(TransportQueryError, match="body"):
            session.execute(add)
        page.variable_values = {"first": 9}
        assert session.execute(page)["noteCollection"]["totalCount"] == 1

    with pytest.raises((TransportServerError, TransportQueryError), match="apiKey"):
        gql_package.Client(transport=RequestsHTTPTransport(url=service)).execute(gql("{ __typename }"))


def test_gql_builds_documents_from_the_schema(service: str) -> None:
    """The DSL builds documents from introspection, so it works only if that is right."""
    gql_package = pytest.importorskip("gql")
    from gql.dsl import DSLMutation, DSLSchema, dsl_gql
    from gql.transport.requests import RequestsHTTPTransport

    headers = {"apiKey": ANON_KEY, "Authorization": f"Bearer {token({'role': 'authenticated', 'sub': 'ann'})}"}
    transport = RequestsHTTPTransport(url=service, headers=headers)
    with gql_package.Client(transport=transport, fetch_schema_from_transport=True) as session:
        assert session.client.schema is not None
        schema = DSLSchema(session.client.schema)
        response = schema.NoteInsertResponse
        add = schema.Mutation.insertIntoNoteCollection(objects=[{"body": "by DSL", "tags": ["a", 'b"c']}])
        document = dsl_gql(DSLMutation(add.select(response.records.select(schema.Note.body, schema.Note.tags))))
        answer = session.execute(document)["insertIntoNoteCollection"]
        assert answer["records"] == [{"body": "by DSL", "tags": ["a", 'b"c']}]


# Apollo Client


def test_apollo_client_reads_and_writes(service: str) -> None:
    seen = printed_by("apollo.mjs", service, ANON_KEY, token({"role": "authenticated", "sub": "ann"}))
    added = seen["added"]["insertIntoNoteCollection"]
    assert (added["__typename"], added["affectedCount"]) == ("NoteInsertResponse", 5)
    assert added["records"][0]["category"]["name"] == "even"
    assert added["records"][4]["tags"] == ["t", "5"]
    assert seen["first"]["noteCollection"]["totalCount"] == 5
    assert seen["all"] == [f"note {n}" for n in (1, 2, 3, 4, 5)]
    assert seen["changed"]["updateNoteCollection"]["records"][0]["done"] is True
    assert (seen["cached"]["body"], seen["cached"]["category"], seen["cached"]["shout"]) == ("changed", None, "CHANGED")
    assert seen["node"]["node"]["body"] == "changed"
    assert seen["tooMany"] == [
        {"message": "delete impacts too many records", "code": "BAD_USER_INPUT", "path": ["deleteFromNoteCollection"]}
    ]
    assert seen["removed"]["deleteFromNoteCollection"]["affectedCount"] == 4
    assert [edge["node"]["body"] for edge in seen["left"]["noteCollection"]["edges"]] == ["changed"]
    codes = {name: seen[name][0]["code"] for name in ("tooLong", "notMine", "noCategory", "unknownField")}
    assert codes == {
        "tooLong": "BAD_USER_INPUT", "notMine": "INSUFFICIENT_PRIVILEGE", "noCategory": "FOREIGN_KEY_VIOLATION",
        "unknownField": "GRAPHQL_VALIDATION_FAILED",
    }  # fmt: skip
    assert seen["stranger"] == {"noteCollection": {"__typename": "NoteConnection", "edges": []}}
    assert "MISSING_API_KEY" in json.dumps(seen["keyless"])


# The audit


def test_all_audits_of_graphql_over_http_pass(service: str) -> None:
    seen = printed_by("audit.mjs", service, ANON_KEY)
    assert seen["unmet"] == []
    assert len(seen["audits"]) > 60


def printed_by(name: str, *arguments: str) -> dict[str, Any]:
    """The output of a program in tests/node."""
    program = node_program(name)
    done = subprocess.run(
        ["node", str(program), *arguments], cwd=program.parent, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed
