"""Headers for caches in answers to GET requests, and compressed answers."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from falcon.testing import Result

from portico import Caller, Identification, hookimpl
from tests.graphql.api import ANON_KEY, Api, token
from tests.graphql.conftest import StartApi

SCHEMA = """
create table item (id int primary key, name text);
insert into item select n, repeat('x', 40) from generate_series(1, 30) n;
create function _dice(i item) returns float language sql volatile as 'select random()';
create function _loud(i item) returns text language sql stable as 'select upper(i.name)';
create function now_is() returns int language sql stable as 'select 1';
grant select, insert on item to anon, authenticated;
"""
INTROSPECTED = """comment on schema public is '@graphql({"introspection": true})';"""
ITEMS = "query ($n: Int) { itemCollection(first: $n) { edges { node { id name } } } }"


def get(api: Api, query: str = ITEMS, /, *, role: str | None = None, variables: Any = None, **headers: str) -> Result:
    sent = {"apiKey": ANON_KEY, **{name.replace("_", "-"): value for name, value in headers.items()}}
    if role:
        sent["Authorization"] = f"Bearer {token({'role': role})}"
    parameters = {"query": query, "variables": json.dumps(variables or {})}
    return api.client.simulate_get("/graphql/v1", params=parameters, headers=sent)


def cached(result: Result) -> tuple[str | None, str | None, str | None]:
    return tuple(result.headers.get(name) for name in ("etag", "cache-control", "vary"))


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, graphql_max_age_s=60)


def test_a_known_answer_is_not_sent_again(api: Api) -> None:
    first = get(api)
    etag = first.headers["etag"]
    assert etag == get(api).headers["etag"]
    assert etag != get(api, variables={"n": 1}).headers["etag"]
    for known in (etag, f'"x", {etag}', f"W/{etag}", "*"):
        again = get(api, If_None_Match=known)
        assert (again.status_code, again.content) == (304, b"")
        assert cached(again) == cached(first)
    for unknown in ('"x"', "", etag.strip('"')):
        assert get(api, If_None_Match=unknown).json == first.json


def test_only_answers_for_anon_are_public(api: Api, reading_api: StartApi) -> None:
    vary = "Accept, apiKey, Authorization"
    assert cached(get(api))[1:] == ("public, max-age=60", vary)
    assert cached(get(api, role="authenticated"))[1:] == ("private, no-cache", vary)
    assert cached(get(reading_api(SCHEMA)))[1:] == ("private, no-cache", vary)


def test_an_answer_of_a_volatile_function_is_not_kept(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, graphql_max_age_s=60, graphql_dialect="pg_graphql")
    node = "query {{ itemCollection(first: 1) {{ edges {{ node {{ {} }} }} }} }}"
    for _ in range(2):  # planned, and found
        assert get(api, node.format("dice")).headers["cache-control"] == "private, no-cache"
        assert get(api, node.format("loud")).headers["cache-control"] == "public, max-age=60"
        assert get(api, "{ now_is }").headers["cache-control"] == "public, max-age=60"


def test_posts_and_errors_have_no_validator(api: Api) -> None:
    posted = api.ask(ITEMS)
    wrong = get(api, "{ nothing }", If_None_Match="*")
    assert wrong.json["errors"]
    for headers in (posted.headers, wrong.headers, get(api, ITEMS, apiKey="x").headers):
        assert not {"etag", "cache-control", "vary"} & {name.lower() for name in headers}


def test_a_partial_answer_is_not_cacheable(reading_api: StartApi) -> None:
    half = get(reading_api(SCHEMA, graphql_dialect="pg_graphql"), "{ __typename nothing }")
    assert half.json["data"]
    assert half.json["errors"]
    assert "etag" not in half.headers


class Cookies:
    @hookimpl
    def identifications(self) -> list[Identification]:
        return [Identification("cookie", lambda head: Caller.of({}, default_role="anon"))]


def test_vary_names_credentials_of_plugins(start_api: StartApi) -> None:
    api = start_api(SCHEMA, plugins={"cookies": Cookies})
    assert get(api, Cookie="a=b").headers["vary"] == "Accept, apiKey, Authorization, cookie"


def test_vary_names_the_bookmark_of_replicas(reading_api: StartApi) -> None:
    """A cache that keeps answers for all would else return one of before a client's own write."""
    api = reading_api(SCHEMA, database_read_urls=("postgresql://127.0.0.1:1/absent",), graphql_max_age_s=60)
    kept = ("public, max-age=60", "Accept, apiKey, Authorization, Portico-Read-After")
    assert cached(get(api))[1:] == kept
    assert cached(get(api, Portico_Read_After="1-0/1"))[1:] == kept


# Compression


def test_a_large_answer_is_compressed(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, compression="gzip")
    plain = get(api)
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "Accept, apiKey, Authorization, Accept-Encoding"
    packed = get(api, Accept_Encoding="br;q=1, gzip;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2
    assert packed.headers["etag"] == f"W/{plain.headers['etag']}"
    assert get(api, Accept_Encoding="gzip", If_None_Match=packed.headers["etag"]).status_code == 304
    for refused in ("gzip;q=0", "gzip; q=0.000", "br", "identity", ""):
        assert get(api, Accept_Encoding=refused).content == plain.content
    small = get(api, variables={"n": 1}, Accept_Encoding="gzip")
    assert "content-encoding" not in small.headers
    headers = {"apiKey": ANON_KEY, "Accept-Encoding": "gzip", "Content-Type": "application/json"}
    posted = api.client.simulate_post("/graphql/v1", body=json.dumps({"query": ITEMS}), headers=headers)
    assert gzip.decompress(posted.content) == plain.content
    assert "etag" not in posted.headers


TYPES = "{ __schema { types { name fields { name } } } }"


def post(api: Api, query: str, accepted: str = "") -> Result:
    headers = {"apiKey": ANON_KEY, "Accept-Encoding": accepted, "Content-Type": "application/json"}
    return api.client.simulate_post("/graphql/v1", body=json.dumps({"query": query}), headers=headers)


def test_introspection_is_compressed_once(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    api = start_api(SCHEMA + INTROSPECTED)
    plain = post(api, TYPES)
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "Accept-Encoding"
    first = post(api, TYPES, "gzip, br")
    # A response does not show when it was compressed.
    monkeypatch.setattr(gzip, "compress", lambda *_, **__: pytest.fail("it is compressed again"))
    for packed in (first, post(api, TYPES, "gzip")):
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.content) == plain.content
        assert int(packed.headers["content-length"]) == len(packed.content) < len(plain.content) / 4
    got = get(api, TYPES, Accept_Encoding="gzip")
    assert got.headers["content-encoding"] == "gzip"
    assert got.headers["etag"] == f"W/{get(api, TYPES).headers['etag']}"
    small = post(api, "{ __typename }", "gzip")
    assert "vary" not in small.headers
    assert json.loads(small.content) == {"data": {"__typename": "Query"}}
    # Responses that are not cached are compressed only with COMPRESSION=gzip.
    assert "content-encoding" not in post(api, ITEMS, "gzip").headers


def test_nothing_is_compressed_with_the_setting_off(start_api: StartApi) -> None:
    api = start_api(SCHEMA + INTROSPECTED, compression="off")
    answered = post(api, TYPES, "gzip")
    assert "content-encoding" not in answered.headers
    assert "vary" not in answered.headers


def test_other_answers_are_compressed_only_with_the_setting(api: Api) -> None:
    assert "content-encoding" not in get(api, Accept_Encoding="gzip").headers
    health = api.client.simulate_get("/health", headers={"Accept-Encoding": "gzip"})
    assert "vary" not in health.headers
