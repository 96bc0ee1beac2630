"""Tests each plugin over HTTP, on a real database, with Portico's fixtures. Nothing is registered here: Portico finds
the plugins by their entry points."""

from __future__ import annotations

import json
import logging
import time

import pytest
from portico_extras.sessions import make_cookie

SQL = """
comment on schema public is '@graphql({"inflect_names": true})';
create table note (id int primary key, body text, document tsvector generated always as
  (to_tsvector('english', body)) stored, lasts interval, owner text default auth.jwt() ->> 'sub');
insert into note (id, body, lasts) values (1, 'A fat cat sat', '1 hour'), (2, 'Dogs run', '3 days'), (3, 'A cat', null);
grant all on note to anon, authenticated;
"""
BUCKET = "insert into storage.buckets (id, name, public) values ('b', 'b', true)"


@pytest.fixture
def service(portico_service):
    return portico_service(SQL)


def ids(data):
    return [edge["node"]["id"] for edge in data["noteCollection"]["edges"]]


def test_text_search(service):
    query = "query ($words: String) { noteCollection(filter: {document: {matches: $words}}) { edges { node { id } } } }"
    assert ids(service.graphql(query, {"words": "cats"})) == [1, 3]
    assert ids(service.graphql(query, {"words": "cats -fat"})) == [3]
    assert ids(service.graphql(query, {"words": None})) == []


def test_intervals(service):
    query = "query ($lasts: IntervalFilter) { noteCollection(filter: {lasts: $lasts}) { edges { node { id lasts } } } }"
    found = service.graphql(query, {"lasts": {"longerThan": "P1D"}})
    assert found["noteCollection"]["edges"] == [{"node": {"id": 2, "lasts": "3 days"}}]
    assert ids(service.graphql(query, {"lasts": {"shorterThan": "1 day"}})) == [1]
    assert ids(service.graphql(query, {"lasts": {"eq": "60 minutes"}})) == [1]


def test_at_least(service):
    query = """query ($filter: NoteFilter) { noteCollection(filter: $filter, first: 1) {
        two: hasAtLeast(count: 2) three: hasAtLeast(count: 3) } }"""
    assert service.graphql(query)["noteCollection"] == {"two": True, "three": True}
    few = service.graphql(query, {"filter": {"id": {"gt": 1}}})
    assert few["noteCollection"] == {"two": True, "three": False}
    refused = service.request(
        "POST", "/graphql/v1", body=json.dumps({"query": "{ noteCollection { hasAtLeast(count: -1) } }"})
    )
    assert refused.json["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


def test_sessions(portico_service):
    service = portico_service(SQL, session_secret="the secret of session cookies")
    body = json.dumps({"query": "mutation { insertIntoNoteCollection(objects: [{id: 4}]) { records { owner } } }"})

    def ask(cookie):
        headers = {"apikey": None, "Authorization": None, "Cookie": f"session={cookie}"}
        return service.request("POST", "/graphql/v1", body=body, headers=headers)

    later = time.time() + 60
    answer = ask(make_cookie("the secret of session cookies", sub="ann", exp=later))
    assert answer.json["data"]["insertIntoNoteCollection"]["records"] == [{"owner": "ann"}]
    forged = ask(make_cookie("another secret", sub="ann", exp=later))
    assert (forged.status_code, forged.json["errors"][0]["extensions"]["code"]) == (401, "INVALID_SESSION")
    old = ask(make_cookie("the secret of session cookies", sub="ann", exp=1))
    assert old.json["errors"][0]["extensions"]["code"] == "SESSION_EXPIRED"


def test_memory(portico_service):
    service = portico_service(BUCKET, storage_url="mem://")
    put = service.request(
        "POST", "/object/b/a.txt", role="service_role", body=b"hello", headers={"Content-Type": "text/plain"}
    )
    assert put.status_code == 200
    assert service.request("GET", "/object/public/b/a.txt").content == b"hello"
    part = service.request("GET", "/object/public/b/a.txt", headers={"Range": "bytes=1-2"})
    assert (part.status_code, part.content) == (206, b"el")
    copy = json.dumps({"bucketId": "b", "sourceKey": "a.txt", "destinationKey": "c.txt"})
    assert service.request("POST", "/object/copy", role="service_role", body=copy).status_code == 200
    assert service.request("GET", "/object/public/b/c.txt").content == b"hello"


def test_audit(service, caplog):
    caplog.set_level(logging.INFO, "portico_extras.audit")
    mutation = """mutation Rename($id: Int!) {
        first: updateNoteCollection(set: {body: "new"}, filter: {id: {lt: $id}}, atMost: 5) { records { body } }
        deleteFromNoteCollection(filter: {id: {eq: 99}}) { affectedCount } }"""
    data = service.graphql(mutation, {"id": 3}, claims={"sub": "ann"})
    assert data == {"first": {"records": [{"body": "new"}] * 2}, "deleteFromNoteCollection": {"affectedCount": 0}}
    service.graphql("{ noteCollection { edges { node { id } } } }")
    (line,) = caplog.messages
    reported = json.loads(line)
    assert (reported["role"], reported["sub"], reported["operation"]) == ("authenticated", "ann", "Rename")
    assert reported["affected"] == {"first": 2, "deleteFromNoteCollection": 0}


def test_rate_limit(portico_service):
    service = portico_service(SQL, rate_limit=2)
    answers = [service.request("GET", "/health") for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert 1 <= int(answers[2].headers["retry-after"]) <= 60
    assert answers[2].json["errors"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"
    assert service.request("GET", "/health", headers={"apikey": "another"}).status_code == 200
