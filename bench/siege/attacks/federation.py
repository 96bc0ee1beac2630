"""The subgraph of Apollo Federation: what representations can find out, and what they can run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from bench.siege.client import Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds, with_plugins
from tests.distributions import installed

_SCHEMA = """
create table account (
  id int primary key, email text unique, code uuid unique, salary int, body text, unique (email, salary)
);
insert into account select n, 'user' || n || '@example.com', md5(n::text)::uuid, n, 'SECRET' || n
  from generate_series(1, 100) n;
alter table account enable row level security;
create policy own on account for select using (id::text = auth.jwt() ->> 'sub');
create table vault (id int primary key, body text);
insert into vault values (1, 'SECRET');
create schema inner_part;
create table inner_part.plan (id int primary key, body text);
insert into inner_part.plan values (1, 'SECRET');
revoke all on account, vault from anon, authenticated;
grant usage on schema public to anon, authenticated;
grant select (id, email, code, body) on account to anon, authenticated;
grant select on vault to authenticated;
"""
_ASKED = "query ($r: [_Any!]!) { _entities(representations: $r) { __typename ... on account { id body } } }"
_SQL = (
    "1; drop table account", "1) or (1=1", "'; select pg_sleep(5); --", "{1,2}", '{"1"}', "1,2", "NULL", "\\", '"',
    "$1", "%s", "1::regclass", "(select 1)", "\0", "\ud800", "pg_class", "now", "9" * 5000, "{" * 200, "", " ",
)  # fmt: skip
_ODD: tuple[Any, ...] = (*_SQL, None, True, 0, -1, 1e308, 2**63, [], [1], {}, {"a": {}}, [[]], {"__typename": "vault"})
_TYPES = (
    "account", "vault", "plan", "inner_part.plan", "inner_part_plan", "pg_class", "pg_catalog.pg_authid", "Query",
    "Mutation", "_Service", "_Entity", "_Any", "__Schema", "accountConnection", "Int", *_SQL,
)  # fmt: skip
_INNER = (b"SECRET", b"unnest", b"SELECT ", b"Traceback", b"INTERNAL_ERROR", b"RESOLVER_FAILED", b"portico_")
"""Parts of rows, of SQL and of the program."""


def _serving(grounds: Grounds) -> Any:
    return grounds.serving(grounds.database(_SCHEMA), **with_plugins(installed(grounds.place, "federation")))


def _entities(service: Besieged, representations: list[Any], credential: str | None = None) -> Answer:
    return service.graphql(_ASKED, {"r": representations}, credential)


def _keys(number: int) -> Iterator[dict[str, Any]]:
    """The keys of an account, and a column that the caller may not read."""
    email = f"user{number}@example.com"
    yield from ({"id": number}, {"email": email}, {"salary": number}, {"email": email, "salary": number})


def _hidden(grounds: Grounds, _: float) -> Finding:
    """A row that a policy hides gives the same response as one that does not exist."""
    tally = Tally()
    with _serving(grounds) as service:
        own = _entities(service, [{"__typename": "account", "id": 7}], token(sub="7"))
        tally.add(b"SECRET7" in own.body, ("the owner sees the row", own.body))
        for credential in (None, token(sub="7")):
            for there, absent in zip(_keys(8), _keys(1000), strict=True):
                answers = [
                    _entities(service, [{"__typename": "account", **each}], credential) for each in (there, absent)
                ]
                same = answers[0].status == answers[1].status and answers[0].body == answers[1].body
                tally.add(same and b"SECRET" not in answers[0].body, (there, answers))
            many = _entities(service, [{"__typename": "account", "id": each} for each in range(200)], credential)
            tally.add(many.body.count(b"SECRET") == (credential is not None), many.body[:300])
    return tally.finding()


def _odd(grounds: Grounds, _: float) -> Finding:
    """Types that the caller does not see, and values that are SQL, fail alone and run nothing."""
    tally = Tally()
    with _serving(grounds) as service:
        for name in _TYPES:
            answer = _entities(service, [{"__typename": name, "id": 1}])
            tally.add(_is_refused(answer), (name, answer.status, answer.body))
        for field, value in product(("id", "email", "code", "nodeId", "salary", "__typename"), _ODD):
            answer = _entities(service, [{"__typename": "account", field: value}, {"__typename": "account", "id": 1}])
            tally.add(_is_refused(answer), (field, value, answer.status, answer.body))
            inline = json.dumps(value) if isinstance(value, str) and value.isprintable() else "1"
            query = f'{{ _entities(representations: {{__typename: "account", {field}: {inline}}}) {{ __typename }} }}'
            answer = service.graphql(query) if field != "__typename" else answer
            tally.add(_is_refused(answer), (query, answer.status, answer.body))
        tally.add(service.sql("select count(*) from account") == [[100]], "the table has changed")
        sdl = service.graphql("{ _service { sdl } }").body
        tally.add(
            b"vault" not in sdl and b"salary" not in sdl and b"plan" not in sdl, "the schema shows hidden objects"
        )
    return tally.finding()


def _is_refused(answer: Answer) -> bool:
    """Whether the response is one to a wrong request: without rows, SQL, and traces of the program."""
    body = answer.body
    inner = (
        b"SECRET",
        b"unnest",
        b"SELECT ",
        b"Traceback",
        b"INTERNAL_ERROR",
        b"RESOLVER_FAILED",
        b"portico_federation",
    )
    return answer.status in (200, 400) and not any(each in body for each in inner)


ATTACKS = (
    Attack("entities that are hidden", "a hidden row and one that does not exist have the same response", _hidden),
    Attack("representations that are SQL", "odd types and values fail alone, and nothing is run or revealed", _odd),
)
