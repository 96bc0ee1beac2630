"""The responses of the page's own endpoints, and their access control."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import ExitStack, closing

import pytest
from conftest import PAGE, START

from app.server.processes.address import listen
from app.server.processes.worker import Worker
from app.settings import load

TABLES = """
create table note (id int primary key, owner text, body text);
alter table note enable row level security;
create policy own on note for select to authenticated using (owner = current_user);
create policy anything on note for insert to authenticated with check (true);
create table shelf (id int primary key, note_id int references note);
create view latest as select * from note;
revoke all on note, shelf, latest from anon, authenticated;
grant select, insert on note to authenticated;
grant select (id) on note to anon;
grant select, update on shelf to anon;
grant select on latest to anon;
"""


def test_it_is_off_by_default(studio):
    service = studio(studio=False)
    assert service.client.simulate_get("/studio").status_code == 404
    assert service.client.simulate_get("/", headers={"Accept": "text/html"}).status_code == 200


def test_browsers_are_redirected_to_it_and_it_is_closed_to_other_origins(studio):
    service = studio()
    led = service.client.simulate_get("/", headers={"Accept": "text/html"})
    assert (led.status_code, led.headers["location"]) == (303, "/studio")
    page = service.client.simulate_get("/studio/data/Note")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert START not in page.text + str(page.headers) + str(led.headers)
    assert service.client.simulate_get("/studio/assets/..%2F..%2Fplugin.py").status_code == 404


def test_requests_without_the_pages_token_are_refused(studio, ask):
    service = studio(development=True)
    for method, path in (("GET", "session"), ("POST", "tokens"), ("GET", "catalog"), ("GET", "service")):
        status, answer = ask(service, method, path, page="another")
        assert (status, answer["error"]["code"]) == (403, "STUDIO_PAGE_REQUIRED"), path


@pytest.mark.parametrize("origins", [("*",), ("https://app.example",)])
def test_pages_that_may_call_the_apis_may_not_read_the_page_and_its_token(studio, ask, origins):
    service, origin = studio(development=True, cors_origins=origins), {"Origin": "https://app.example"}
    page = service.client.simulate_get("/studio", headers=origin, host="localhost")
    session = service.client.simulate_get("/studio/api/session", headers={**origin, "X-Studio-Page": PAGE})
    assert (page.status_code, session.status_code) == (200, 200)
    for answer in (page, session):
        assert "access-control-allow-origin" not in answer.headers
    api = service.client.simulate_post("/graphql/v1", json={"query": "{ __typename }"}, headers=origin)
    assert api.headers["access-control-allow-origin"] in ("*", origin["Origin"])


@pytest.mark.parametrize("path", ["catalog", "types", "relations/1", "form", "service", "findings", "slow"])
def test_endpoints_about_the_complete_database_need_the_service_role(studio, ask, path):
    service = studio(TABLES)
    status, answer = ask(service, "GET", path, key=service.anon_key)
    assert (status, answer["error"]["code"]) == (403, "SERVICE_ROLE_REQUIRED")


def test_keys_are_handed_out_in_development_and_on_this_machine_only(studio, ask):
    service = studio(development=True)
    assert ask(service, "GET", "session")[1]["keys"]["service"] == service.service_role_key
    for away in ({"host": "studio.example"}, {"remote_addr": "192.0.2.1"}, {"start": ""}, {"start": "a guess"}):
        answer = ask(service, "GET", "session", **away)[1]
        assert (answer["keys"], answer["canSign"]) == (None, False)
    assert ask(studio(), "GET", "session")[1]["keys"] is None


@pytest.fixture
def worker():
    """Serves an application as ``portico serve`` does; returns the port on 127.0.0.1."""
    with ExitStack() as stack:

        def serve(service):
            listener = listen("127.0.0.1", 0)
            serving = Worker(service.application, listener, load({}, {"workers": 1}))
            thread = threading.Thread(target=serving.run)
            thread.start()
            stack.callback(thread.join)
            stack.callback(serving.stop)
            return listener.getsockname()[1]

        yield serve


def session(port, version, *fields):
    """The page's session for a request with these header fields."""
    lines = [
        f"GET /studio/api/session HTTP/{version}",
        f"Host: 127.0.0.1:{port}",
        f"X-Studio-Page: {PAGE}",
        f"X-Studio-Start: {START}",
        *fields,
    ]
    with closing(socket.create_connection(("127.0.0.1", port))) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        answer = connection.makefile("rb").read()
    return json.loads(answer.partition(b"\r\n\r\n")[2])


# A worker leaves some of its sockets open until its process ends.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_proxy_on_this_machine_gets_no_keys(studio, worker):
    service = studio(development=True)
    port = worker(service)
    assert session(port, "1.1")["keys"]["service"] == service.service_role_key
    for name in ("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Server", "Forwarded", "Via", "X-Real-IP"):
        answer = session(port, "1.1", f"{name}: 192.0.2.7")
        assert (answer["keys"], answer["canSign"]) == (None, False), name
    # The default of nginx: it forwards requests without additional headers.
    assert session(port, "1.0")["keys"] is None


def test_a_service_behind_a_trusted_proxy_hands_out_no_keys(studio, ask):
    service = studio(development=True, trusted_proxy="127.0.0.1")
    assert ask(service, "GET", "session")[1]["keys"] is None


def test_an_invalid_host_name_is_not_this_machine(studio, ask):
    for host in ("[::1", "[1]", "", "localhost.example", "127.0.0.1.example", "a@localhost.b"):
        assert ask(studio(development=True), "GET", "session", host=host)[1]["keys"] is None, host


def test_users_are_signed_only_in_development(studio, ask):
    body = {"role": "authenticated", "claims": {"sub": "ann"}}
    service = studio(TABLES + "insert into note values (1, 'authenticated', 'x')", development=True)
    status, made = ask(service, "POST", "tokens", json=body)
    assert (status, made["claims"]["sub"]) == (200, "ann")
    query = {"query": "{ noteCollection { edges { node { id } } } }"}
    headers = {"apikey": service.anon_key, "Authorization": f"Bearer {made['token']}"}
    found = service.client.simulate_post("/graphql/v1", json=query, headers=headers).json
    assert found["data"]["noteCollection"]["edges"] == [{"node": {"id": 1}}]
    assert ask(service, "POST", "tokens", json={"role": 1, "claims": {}})[0] == 400
    assert ask(service, "POST", "tokens", json={"role": "none", "claims": {}})[0] == 401
    assert ask(studio(), "POST", "tokens", json=body)[0] == 403


def test_the_catalog_has_the_access_of_each_role_with_its_reason(studio, ask):
    catalog = ask(studio(TABLES), "GET", "catalog")[1]
    assert [each["name"] for each in catalog["roles"]] == ["anon", "authenticated", "service_role"]
    relations = {each["name"]: each for each in catalog["relations"]}
    rows = {
        name: {
            role: "".join(each["rows"][0] for each in verdicts.values()) for role, verdicts in found["access"].items()
        }
        for name, found in relations.items()
    }
    # The first letter of all, policy or none, for select, insert, update and delete.
    assert rows["note"] == {"anon": "nnnn", "authenticated": "pann", "service_role": "aaaa"}
    assert rows["shelf"]["anon"] == "anan"
    assert rows["latest"]["anon"] == "annn"
    note, anon = relations["note"], relations["note"]["access"]["anon"]["select"]
    assert anon["columns"] == ["id"]
    assert anon["fix"] == "create policy anon_select on public.note for select to anon using (true);"
    assert note["access"]["authenticated"]["select"]["policies"] == ["own"]
    assert note["access"]["anon"]["delete"]["fix"] == "grant delete on public.note to anon;"
    assert [each["definition"] for each in relations["shelf"]["keys"] if each["type"] == "f"] == [
        "FOREIGN KEY (note_id) REFERENCES note(id)"
    ]


def test_a_form_has_the_requirements_defaults_and_targets_of_fields(studio, ask):
    service = studio(
        "comment on schema public is '@graphql({\"inflect_names\": true})';"
        "create table shelf (id int primary key, shelf_name text);"
        "create table book (id int generated always as identity primary key, shelf_id int not null references shelf,"
        " title text not null check (title <> ''), made_on date default now(), note text)"
    )
    form = ask(service, "GET", "form?role=service_role&type=Book")[1]
    assert {name: (each["required"], each["default"]) for name, each in form["fields"].items()} == {
        "id": (False, "the next number"),
        "shelfId": (True, None),
        "title": (True, None),
        "madeOn": (False, "now()"),
        "note": (False, None),
    }
    assert form["fields"]["shelfId"]["target"] == {"type": "Shelf", "field": "id"}
    assert form["constraints"]["book_title_check"] == ["title"]
    assert ask(service, "GET", "form?role=service_role&type=Nothing")[0] == 400
    assert ask(service, "GET", "form?role=none&type=Book")[0] >= 400


def test_statements_quote_names_that_are_keywords(studio, ask):
    service = studio('create table "order" (id int primary key); revoke all on "order" from anon')
    (order,) = ask(service, "GET", "catalog")[1]["relations"]
    assert order["access"]["anon"]["select"]["fix"] == 'grant select on public."order" to anon;'


def test_a_relation_has_a_type_for_each_role(studio, ask):
    service = studio(TABLES)
    oid = service.sql("select 'note'::regclass::oid")[0][0]
    assert ask(service, "GET", "types")[1]["authenticated"][oid] == "note"
    types = ask(service, "GET", f"relations/{oid}")[1]["types"]
    assert "body" in types["authenticated"]
    assert types["anon"] is None or "body" not in types["anon"]


def test_a_relation_has_all_notices_about_it_and_no_others(studio, ask):
    service = studio(
        TABLES
        + """comment on table note is '@graphql({"totalCount": 1, "max_rows": "many"})';
        comment on column note.body is '@graphql({"name": 1})';
        create table note_of_old (id int primary key);
        grant select on note_of_old to anon;
        comment on table note_of_old is '@graphql({"totalCount": 1})';"""
    )
    oid = service.sql("select 'note'::regclass::oid")[0][0]
    notices = ask(service, "GET", f"relations/{oid}")[1]["notices"]
    assert sorted(each["what"] for each in notices) == ["column public.note.body", *2 * ["relation public.note"]]


def test_the_response_about_the_service_has_no_secret(studio, ask):
    service = studio()
    status, answer = ask(service, "GET", "service")
    assert status == 200
    assert service.service_role_key not in str(answer)
    assert next(each for each in answer["settings"] if each["name"] == "STUDIO")["value"] == "on"
    assert any(each["name"] == "collections" for each in answer["plugins"])
    marks = [each["mark"] for each in ask(service, "GET", "findings")[1]["findings"]]
    assert marks == sorted(marks, key=lambda mark: mark != "WRONG")


def test_a_finding_of_both_reports_of_the_doctor_is_listed_once_with_the_worse_mark(studio, ask):
    service = studio("create table open_to_all (id int primary key); grant insert on open_to_all to anon")
    found = ask(service, "GET", "findings")[1]["findings"]
    assert [each["mark"] for each in found if "open_to_all" in each["what"]] == ["WRONG"]


def test_slow_operations_are_listed_without_their_values(studio, ask):
    service = studio(TABLES, slow_operation_ms=1)
    assert ask(service, "GET", "slow") == (200, {"operations": []})
    service.request(
        "POST", "/graphql/v1", role="authenticated", json={"query": 'query Mine { node(nodeId: "secret") { nodeId } }'}
    )
    (answer,) = ask(service, "GET", "slow")[1]["operations"]
    assert (answer["name"], answer["kind"], answer["role"]) == ("Mine", "query", "authenticated")
    assert answer["milliseconds"] >= 1
    assert "secret" not in answer["document"]
