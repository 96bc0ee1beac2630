"""Documents that requests name: registered ones, those that clients teach, and roles that may run no others."""

from __future__ import annotations

import json
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from app.documents.source import DocumentSource, DocumentsUnusable
from portico import hookimpl
from tests.graphql.api import ANON_KEY, Answer, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer
from tests.process.running import until

SCHEMA = """
create table item (id int primary key, name text);
insert into item values (1, 'one'), (2, 'two');
grant select, insert on item to anon, authenticated, service_role;
create schema if not exists graphql;
create table graphql.documents (id text primary key, document text not null);
"""
ITEMS = "query Items($first: Int = 1) { itemCollection(first: $first) { edges { node { id } } } }"
NAMES = "query Names { itemCollection { edges { node { name } } } }"
ADD = 'mutation { insertIntoitemCollection(objects: [{ id: 9, name: "x" }]) { affectedCount } }'
GRAPHQL = {"Accept": "application/graphql-response+json"}


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def ask(api: Api, _headers: dict[str, str] | None = None, _role: str | None = None, **body: Any) -> Answer:
    return api.post(json.dumps(body), headers=_headers, role=_role)


def get(api: Api, path: str = "/graphql/v1", **parameters: str) -> Answer:
    result = api.client.simulate_get(path, params=parameters, headers={"apiKey": ANON_KEY})
    return Answer(result.status_code, json.loads(result.content), result.headers)


def ids(answer: Answer) -> list[int]:
    return [edge["node"]["id"] for edge in answer.data["itemCollection"]["edges"]]


def persisted(text: str, **others: Any) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": hash_of(text), **others}}


def filled(folder: Path) -> Path:
    """A folder with registered documents, and another file."""
    (folder / "Items.graphql").write_text(ITEMS)
    (folder / "both.graphql").write_text(f"{ITEMS}\n{NAMES}")
    (folder / "add.graphql").write_text(ADD)
    (folder / "README.md").write_text("no document")
    return folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents for tests that leave them as they are."""
    return filled(tmp_path_factory.mktemp("documents"))


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    """A api that registers nothing and learns nothing."""
    return reading_api(SCHEMA)


# Registered documents


def test_a_document_is_run_by_its_name_and_by_its_hash(reading_api: StartApi, folder: Path) -> None:
    api = reading_api(SCHEMA, documents=str(folder))
    assert ids(ask(api, documentId="Items")) == [1]
    assert ids(ask(api, documentId="Items", variables={"first": 2})) == [1, 2]
    assert ids(ask(api, documentId=f"sha256:{hash_of(ITEMS)}")) == [1]
    assert ids(ask(api, documentId="both", operationName="Items")) == [1]
    assert ask(api, documentId="add").data["insertIntoitemCollection"] == {"affectedCount": 1}
    assert ids(get(api, documentId="Items", variables='{"first": 2}')) == [1, 2]
    assert ids(get(api, "/graphql/v1/Items", variables='{"first": 2}')) == [1, 2]
    assert ids(get(api, f"/graphql/v1/sha256:{hash_of(ITEMS)}")) == [1]
    assert ids(get(api, "/graphql/v1/both", operationName="Items")) == [1]


@pytest.mark.parametrize(
    ("unknown", "explained"),
    [
        ("Items.graphql", "such as that of its file without .graphql, or sha256: and the hash of its text."),
        ("sha256:" + hash_of(ITEMS).upper(), "as 64 lower-case hexadecimal digits"),
    ],
)
def test_an_unknown_id_is_answered_with_what_an_id_is(
    reading_api: StartApi, folder: Path, unknown: str, explained: str
) -> None:
    api = reading_api(SCHEMA, documents=str(folder))
    for answer in (ask(api, documentId=unknown), get(api, f"/graphql/v1/{unknown}")):
        assert answer.message == "No document has this documentId"
        assert explained in answer.errors[0]["extensions"]["hint"]
        # Names are not revealed: DOCUMENTS_ONLY keeps the schema from being explored.
        assert "Items" not in answer.errors[0]["extensions"]["hint"]


def test_without_documents_an_id_is_answered_with_how_to_register_one(reading_api: StartApi) -> None:
    answer = ask(reading_api(SCHEMA), documentId="Items")
    assert answer.errors[0]["extensions"]["hint"].startswith("No document is registered: set DOCUMENTS")


def test_an_unknown_or_invalid_name_is_refused(reading_api: StartApi, folder: Path) -> None:
    api = reading_api(SCHEMA, documents=str(folder))
    for unknown in ("items", "README", "sha256:" + "0" * 64, "../Items", ""):
        answer = ask(api, documentId=unknown)
        assert (answer.status, answer.code) == (200, "PERSISTED_QUERY_NOT_FOUND")
    assert ask(api, GRAPHQL, documentId="items").status == 400
    assert get(api, "/graphql/v1/items").code == "PERSISTED_QUERY_NOT_FOUND"
    # Also what looks like the route itself, however often.
    for _ in range(2):
        assert get(api, "/graphql/v1/{document_id:path}").code == "PERSISTED_QUERY_NOT_FOUND"
    for odd in (1, ["Items"], {}):
        answer = ask(api, documentId=odd)
        assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    mutation = get(api, "/graphql/v1/add")
    assert (mutation.status, mutation.code) == (405, "METHOD_NOT_ALLOWED")
    assert api.client.simulate_post("/graphql/v1/Items", headers={"apiKey": ANON_KEY}).status_code == 405
    keyless = api.client.simulate_get("/graphql/v1/Items")
    assert keyless.status_code == 401


def test_an_id_and_a_text_must_agree(reading_api: StartApi, folder: Path) -> None:
    api = reading_api(SCHEMA, documents=str(folder))
    assert ids(ask(api, documentId="Items", query=ITEMS)) == [1]
    # The hash of any text is its id, registered or not.
    assert ask(api, documentId=f"sha256:{hash_of(NAMES)}", query=NAMES).data
    for named in ("Items", f"sha256:{hash_of(ITEMS)}", "sha256:" + "0" * 64):
        assert ask(api, documentId=named, query=NAMES).code == "BAD_USER_INPUT"
    assert ask(api, documentId="nothing", query=NAMES).code == "PERSISTED_QUERY_NOT_FOUND"


def test_no_document_is_found_without_registered_ones(api: Api) -> None:
    assert ask(api, documentId="Items").code == "PERSISTED_QUERY_NOT_FOUND"
    assert ids(ask(api, documentId=f"sha256:{hash_of(ITEMS)}", query=ITEMS)) == [1]
    assert get(api, "/graphql/v1/Items").code == "PERSISTED_QUERY_NOT_FOUND"


@pytest.mark.parametrize(
    "manifest",
    [
        {"0ab3": ITEMS, hash_of(NAMES): NAMES},
        {
            "format": "apollo-persisted-query-manifest",
            "version": 1,
            "operations": [
                {"id": "0ab3", "name": "Items", "type": "query", "body": ITEMS},
                {"id": hash_of(NAMES), "name": "Names", "type": "query", "body": NAMES},
            ],
        },
    ],
    ids=["Relay", "Apollo"],
)
def test_a_manifest_names_documents(reading_api: StartApi, tmp_path: Path, manifest: Any) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest))
    api = reading_api(SCHEMA, documents=str(path))
    assert ids(ask(api, documentId="0ab3")) == [1]
    assert ask(api, documentId=hash_of(NAMES)).data
    assert ask(api, documentId=f"sha256:{hash_of(NAMES)}").data
    # Apollo's clients send this for a registered operation with any kind of id.
    assert ask(api, extensions=persisted(NAMES)).data
    assert ids(ask(api, extensions={"persistedQuery": {"version": 1, "sha256Hash": "0ab3"}})) == [1]
    assert ask(api, extensions=persisted("{ __typename }")).code == "PERSISTED_QUERY_NOT_SUPPORTED"


def test_a_table_is_read_with_the_rights_of_the_service(reading_api: StartApi) -> None:
    sql = f"insert into graphql.documents values ('Items', '{ITEMS}'), ('nested/names', '{NAMES}')"
    api = reading_api(SCHEMA + sql, documents="table:graphql.documents")
    assert ids(ask(api, documentId="Items")) == [1]
    assert get(api, "/graphql/v1/nested/names").data
    # The caller may not read the table, and a request does not.
    assert "documents" not in json.dumps(ask(api, query="{ __schema { types { name } } }").body)


@pytest.mark.parametrize(
    ("files", "place", "problem"),
    [
        ({"a.graphql": "{ itemCollection"}, "", "the document 'a' cannot be used: Syntax Error"),
        ({"a.graphql": "fragment F on Item { id }"}, "", "the document 'a' cannot be used: Operation not found"),
        ({"a.graphql": "{" + " __typename" * 5000 + "}"}, "", "the document 'a' cannot be used: The document has more"),
        ({"a.graphql": b"\xff"}, "", "a.graphql is not text in UTF-8"),
        ({"m.json": "{"}, "m.json", "m.json is not JSON"),
        ({"m.json": "[]"}, "m.json", "m.json must be a JSON object"),
        ({"m.json": '{"a": 1}'}, "m.json", "a document whose id or text is not a string"),
        ({"m.json": '{"operations": [1]}'}, "m.json", "a document whose id or text is not a string"),
        ({"m.json": '{"": "{ __typename }"}'}, "m.json", "a document is registered without an id"),
        ({"m.json": '{"sha256:00": "{ __typename }"}'}, "m.json", "under a hash that does not match its text"),
        (
            {"m.json": '{"operations": [{"id": "a", "body": "{ a }"}, {"id": "a", "body": "{ b }"}]}'},
            "m.json",
            "two documents with the id 'a'",
        ),
        ({"m.json": '{"a": "{ a }", "a": "{ b }"}'}, "m.json", "m.json has 'a' twice"),
        ({}, "nothing.json", "nothing.json cannot be read: No such file"),
    ],
)
def test_a_bad_document_stops_the_start(
    reading_api: StartApi, tmp_path: Path, files: dict[str, str | bytes], place: str, problem: str
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DocumentsUnusable) as refused:
        reading_api("", documents=str(tmp_path / place))
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("table:graphql.nothing", 'cannot be read: relation "graphql.nothing" does not exist'),
        ("table:documents", "must name a table with its schema"),
        ('table:graphql.documents"; drop table item; --', "does not exist"),
        ("table:public.item", "cannot be read: column"),
    ],
)
def test_a_bad_table_stops_the_start(reading_api: StartApi, place: str, problem: str) -> None:
    with pytest.raises(DocumentsUnusable, match="DOCUMENTS: ") as refused:
        reading_api(SCHEMA, documents=place)
    assert problem in str(refused.value)


class Broken:
    @hookimpl
    def documents(self) -> list[DocumentSource]:
        return [DocumentSource(lambda: {}["x"], lambda: 1)]


def test_a_source_that_breaks_is_named(start_api: StartApi) -> None:
    with pytest.raises(DocumentsUnusable, match="the plugin broken failed to read documents: KeyError"):
        start_api(SCHEMA, plugins={"broken": Broken})


# Changes


def test_a_changed_folder_is_read_again(start_api: StartApi, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = filled(tmp_path)
    api = start_api(SCHEMA, documents=str(folder), documents_only=("anon",))
    assert ask(api, query=NAMES).code == "DOCUMENT_NOT_ALLOWED"
    (folder / "Names.graphql").write_text(NAMES)
    until(lambda: not ask(api, documentId="Names").errors)
    assert ask(api, query=NAMES).data
    (folder / "Names.graphql").unlink()
    until(lambda: bool(ask(api, documentId="Names").errors))
    # Unusable documents change nothing, and are reported once.
    (folder / "broken.graphql").write_text("{")
    until(lambda: "the document 'broken' cannot be used" in caplog.text)
    assert ids(ask(api, documentId="Items")) == [1]
    assert len([each for each in caplog.messages if "stay as they were" in each]) == 1


def test_a_changed_table_is_read_again_by_every_worker(start_api: StartApi, postgres: PostgresServer) -> None:
    first = start_api(SCHEMA, documents="table:graphql.documents")
    second = Api(first.database_url, documents="table:graphql.documents")
    try:
        assert ask(first, documentId="Items").code == "PERSISTED_QUERY_NOT_FOUND"
        postgres.execute(f"insert into graphql.documents values ('Items', '{ITEMS}')", first.database_url)
        for api in (first, second):
            until(lambda api=api: not ask(api, documentId="Items").errors)  # type: ignore[misc]
        postgres.execute(f"update graphql.documents set document = '{NAMES}'", first.database_url)
        for api in (first, second):
            until(lambda api=api: "name" in json.dumps(ask(api, documentId="Items").body))  # type: ignore[misc]
    finally:
        second.close()


def test_documents_are_unavailable_while_the_database_is_down(
    start_api: StartApi, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is allowed that may not be, and the documents are read when they can be."""
    from app.database import Database
    from app.errors import Unavailable

    away = threading.Event()
    away.set()
    read = Database.read

    def unreachable(self: Database, sql: str) -> bytes | None:
        if away.is_set() and "document::text" in sql:
            raise Unavailable("The database is not there.")
        return read(self, sql)

    # Only this query fails, so that all else starts as usual.
    monkeypatch.setattr(Database, "read", unreachable)
    sql = f"insert into graphql.documents values ('Items', '{ITEMS}')"
    api = start_api(SCHEMA + sql, documents="table:graphql.documents", documents_only=("anon",))
    assert "cannot be read yet: The database is not there." in caplog.text
    for body in ({"documentId": "Items"}, {"query": ITEMS}):
        answer = ask(api, **body)
        assert (answer.status, answer.code) == (503, "UNAVAILABLE")
    assert ask(api, _role="authenticated", query=ITEMS).data
    away.clear()
    until(lambda: not ask(api, documentId="Items").errors)


def test_documents_are_not_read_by_requests(start_api: StartApi) -> None:
    reads: list[str] = []

    class Counted:
        @hookimpl
        def documents(self) -> list[DocumentSource]:
            def read() -> dict[str, str]:
                reads.append(threading.current_thread().name)
                return {"Items": ITEMS}

            return [DocumentSource(read, lambda: 1)]

    api = start_api(SCHEMA, plugins={"counted": Counted})
    api.application.services.engine.named_documents.registry.refresh()
    for _ in range(3):
        assert ids(ask(api, documentId="Items")) == [1]
    assert len(reads) == 1


# Roles that may run registered documents only


def test_a_restricted_role_runs_registered_documents_only(reading_api: StartApi, folder: Path) -> None:
    api = reading_api(SCHEMA, documents=str(folder), documents_only=("anon",))
    assert ids(ask(api, documentId="Items")) == ids(ask(api, query=ITEMS)) == [1]
    assert ids(ask(api, documentId="Items", query=ITEMS)) == [1]
    introspection = "{ __schema { types { name } } }"
    for text in (NAMES, f"{ITEMS} ", introspection, "{ nothingCollection { x } }", ADD + "\n"):
        answer = ask(api, query=text)
        assert (answer.status, answer.code) == (200, "DOCUMENT_NOT_ALLOWED")
        assert answer.message == "The role 'anon' may run registered documents only"
        assert ask(api, GRAPHQL, query=text).status == 403
        assert ask(api, documentId=f"sha256:{hash_of(text)}", query=text).code == "DOCUMENT_NOT_ALLOWED"
    assert get(api, query=NAMES).code == "DOCUMENT_NOT_ALLOWED"
    # Others may.
    assert ask(api, _role="authenticated", query=NAMES).data
    assert ask(api, _role="authenticated", query=introspection).data


def test_no_role_may_run_others(reading_api: StartApi, folder: Path) -> None:
    api = reading_api(SCHEMA, documents=str(folder), documents_only="*", graphql_dialect="pg_graphql")
    for role in (None, "authenticated", "service_role"):
        assert ask(api, _role=role, query=NAMES).code == "DOCUMENT_NOT_ALLOWED"
        assert ids(ask(api, _role=role, query=ITEMS)) == [1]


# Documents that clients teach


def test_a_client_registers_an_automatic_document(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, automatic_documents=10)
    unknown = ask(api, extensions=persisted(NAMES))
    assert (unknown.status, unknown.message, unknown.code) == (
        200, "PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND"
    )  # fmt: skip
    assert ask(api, query=NAMES, extensions=persisted(NAMES)).data
    assert ask(api, extensions=persisted(NAMES)).data
    assert get(api, extensions=json.dumps(persisted(NAMES))).data
    assert ask(api, documentId=f"sha256:{hash_of(NAMES)}").data
    assert ask(api, extensions=persisted(ITEMS)).code == "PERSISTED_QUERY_NOT_FOUND"
    assert ask(api, query=ITEMS).data
    assert ask(api, extensions=persisted(ITEMS)).code == "PERSISTED_QUERY_NOT_FOUND", "it came without its hash"


def test_invalid_automatic_documents_are_not_kept(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, automatic_documents=11)
    lie = ask(api, query=NAMES, extensions=persisted(ITEMS))
    assert lie.code == "BAD_USER_INPUT"
    assert ask(api, extensions=persisted(ITEMS)).code == "PERSISTED_QUERY_NOT_FOUND"
    for invalid in ("{ nothing }", "{"):
        assert ask(api, query=invalid, extensions=persisted(invalid)).errors
        assert ask(api, extensions=persisted(invalid)).code == "PERSISTED_QUERY_NOT_FOUND"
    # Nothing is learned from an anonymous caller.
    body = json.dumps({"query": NAMES, "extensions": persisted(NAMES)})
    assert api.post(body, key=None).status == 401
    assert ask(api, extensions=persisted(NAMES)).code == "PERSISTED_QUERY_NOT_FOUND"


@pytest.mark.parametrize("extension", [1, None, {}, {"version": 2, "sha256Hash": "0"}, {"version": 1, "sha256Hash": 5}])
def test_a_malformed_extension_is_refused(reading_api: StartApi, extension: Any) -> None:
    api = reading_api(SCHEMA, automatic_documents=10)
    answer = ask(api, query=NAMES, extensions={"persistedQuery": extension})
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


def test_the_least_recently_used_document_is_dropped(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, automatic_documents=2)
    texts = ["{ __typename }", "{ a: __typename }", "{ b: __typename }"]
    for text in texts:
        assert ask(api, query=text, extensions=persisted(text)).data
    known = [not ask(api, extensions=persisted(text)).errors for text in texts]
    assert known == [False, True, True]


def test_a_restricted_role_registers_no_documents(reading_api: StartApi, folder: Path) -> None:
    api = reading_api(SCHEMA, documents=str(folder), documents_only=("anon",), automatic_documents=10)
    assert ids(ask(api, query=ITEMS, extensions=persisted(ITEMS))) == [1]
    assert ids(ask(api, extensions=persisted(ITEMS))) == [1]
    assert ask(api, query=NAMES, extensions=persisted(NAMES)).code == "DOCUMENT_NOT_ALLOWED"
    # Its clients go on with texts; those of others teach theirs.
    assert ask(api, extensions=persisted(NAMES)).code == "PERSISTED_QUERY_NOT_SUPPORTED"
    assert ask(api, _role="authenticated", extensions=persisted(NAMES)).code == "PERSISTED_QUERY_NOT_FOUND"
    assert ask(api, _role="authenticated", query=NAMES, extensions=persisted(NAMES)).data
    assert ask(api, _role="authenticated", extensions=persisted(NAMES)).data
    assert ask(api, extensions=persisted(NAMES)).code == "DOCUMENT_NOT_ALLOWED"
