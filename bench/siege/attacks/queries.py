"""Queries that try to write, by anything that a query can call, hidden at any depth."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote

from bench.siege.client import ANON, Answer
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds

_WAYS = 40
"""The number of generated ways to write."""

_WRITERS = {
    "insert": "insert into hidden.log default values",
    "delete": "delete from hidden.kept",
    "nextval": "perform nextval('hidden.numbers')",
    "setval": "perform setval('hidden.numbers', 9)",
    "large object": "perform lo_create(0)",
    "set": "perform set_config('transaction_read_only', null, true); insert into hidden.log default values",
    "reset": "reset transaction_read_only; insert into hidden.log default values",
    "characteristics": "set session characteristics as transaction read write; insert into hidden.log default values",
    "caught": "begin delete from hidden.kept; exception when others then insert into hidden.log default values; end",
    "table": "create table hidden.made (id int)",
    "dynamic": "execute 'delete from hid' || 'den.kept'",
}
"""The last step of a way, in PL/pgSQL."""

_STEPS = (
    "create function hidden.{name}() returns int language sql stable as 'select hidden.{next}()'",
    "create function hidden.{name}() returns int language plpgsql stable as 'begin return hidden.{next}(); end'",
    "create function hidden.{name}() returns int language sql immutable as 'select HIDDEN.{NEXT}()'",
    "create function hidden.{name}() returns int language sql stable security definer as"
    " 'select pg_catalog.max(hidden.{next}()) from pg_catalog.generate_series(1, 2)'",
    "create function hidden.{name}() returns int language plpgsql stable as $f$ declare n int;"
    " begin execute 'select hidden.' || '{next}()' into n; return n; end $f$",
    "create view hidden.v_{name} as select hidden.{next}() as n;"
    " create function hidden.{name}() returns int language sql stable as 'select n from hidden.v_{name}'",
    "create function hidden.d_{name}(n int default hidden.{next}()) returns int language sql stable as 'select n';"
    " create function hidden.{name}() returns int language sql stable as 'select hidden.d_{name}()'",
    "create function hidden.a_{name}(int, int) returns int language sql stable as 'select hidden.{next}()';"
    " create aggregate hidden.g_{name}(int) (sfunc = hidden.a_{name}, stype = int, initcond = '0');"
    " create function hidden.{name}() returns int language sql stable as"
    " 'select hidden.g_{name}(n) from pg_catalog.generate_series(1, 2) n'",
    'create function hidden."{name} ""x"""() returns int language sql stable as \'select hidden.{next}()\';'
    ' create function hidden.{name}() returns int language sql stable as \'select hidden."{name} ""x"""()\'',
)
"""The calls that lead to the next step; each is a function with its own name."""

_ENDS = {
    "view": (
        "create view w{n} as select 1 as id, hidden.{next}() as n;"
        """ comment on view w{n} is '@graphql({{"primary_key_columns": ["id"]}})'""",
        "{{ w{n}Collection {{ edges {{ node {{ n }} }} }} }}",
    ),
    "policy": (
        "create table w{n} as select 1 as id; alter table w{n} add primary key (id);"
        " alter table w{n} enable row level security; create policy p on w{n} using (hidden.{next}() > 0)",
        "{{ w{n}Collection {{ edges {{ node {{ id }} }} }} }}",
    ),
    "root": ("create function w{n}() returns int language sql stable as 'select hidden.{next}()'", "{{ w{n} }}"),
    "computed": (
        "create function w{n}(item) returns int language sql stable as 'select hidden.{next}()'",
        "{{ itemCollection(first: 2) {{ edges {{ node {{ w{n} }} }} }} }}",
    ),
    "filter": (
        "create function w{n}(item) returns int language sql stable as 'select hidden.{next}()';"
        """ comment on function w{n}(item) is '@graphql({{"filter": true}})'""",
        "{{ itemCollection(first: 2, filter: {{ w{n}: {{ gt: 0 }} }}) {{ edges {{ node {{ id }} }} }} }}",
    ),
    "volatile field": (
        "create function w{n}(item) returns int language plpgsql as 'begin return hidden.{next}(); end'",
        "{{ itemCollection(first: 2) {{ edges {{ node {{ w{n} }} }} }} }}",
    ),
}
"""The part of a way that a query sees, and the query."""

_GROUND = """
create schema hidden;
create table item (id int primary key); insert into item select generate_series(1, 5);
create table hidden.log (id int generated always as identity); create sequence hidden.numbers;
create table hidden.kept as select generate_series(1, 5) as id;
grant usage on schema public, hidden to anon; grant all on all tables in schema hidden to anon;
grant all on all sequences in schema hidden to anon; grant all on schema hidden to anon;
"""
_STATE = """
select (select count(*) from hidden.log), (select count(*) from hidden.kept), (select last_value from hidden.numbers),
       (select is_called from hidden.numbers), (select count(*) from pg_largeobject_metadata),
       to_regclass('hidden.made')
"""


def _ways(chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """The SQL that makes each way, its query, and what it is."""
    for number in range(_WAYS):
        writer, end = chance.choice(list(_WRITERS)), chance.choice(list(_ENDS))
        sql = [
            f"create function hidden.w{number}_0() returns int language plpgsql as"
            f" $w$ begin {_WRITERS[writer]}; return 1; end $w$"
        ]
        steps = chance.randrange(4)
        for step in range(1, steps + 1):
            called, name = f"w{number}_{step - 1}", f"w{number}_{step}"
            sql.append(chance.choice(_STEPS).format(name=name, next=called, NEXT=called.upper()))
        made, query = (part.format(n=number, next=f"w{number}_{steps}") for part in _ENDS[end])
        yield ";".join((*sql, made)), query, f"{writer} in {steps} steps by {end}"


def _by_post(service: Besieged, query: str) -> Answer:
    return service.graphql(query)


def _by_get(service: Besieged, query: str) -> Answer:
    return service.ask("GET", f"/graphql/v1?query={quote(query)}", None, None, apiKey=ANON)


def _by_csv(service: Besieged, query: str) -> Answer:
    return service.ask("POST", "/graphql/v1", {"query": query}, None, apiKey=ANON, Accept="text/csv")


def _by_batch(service: Besieged, query: str) -> Answer:
    body = f'[{{"query": "{query}"}}, {{"query": "{{ __typename }}"}}]'
    return service.ask("POST", "/graphql/v1", body, None, apiKey=ANON, Content_Type="application/json")


def _by_explain(service: Besieged, query: str) -> Answer:
    return service.ask("POST", "/graphql/v1", {"query": query, "extensions": {"explain": "analyze"}}, None, apiKey=ANON)


_FACES: tuple[Callable[[Besieged, str], Answer], ...] = (_by_post, _by_get, _by_csv, _by_batch, _by_explain)


def _writing(grounds: Grounds, seconds: float) -> Finding:
    tally, chance = Tally(), random.Random(31)
    ways = list(_ways(chance))
    made = ";".join(sql for sql, _, _ in ways)
    readable = "grant select on all tables in schema public, hidden to anon"
    settings = {"BATCH_LIMIT": "2", "EXPLAIN_ROLES": "anon"}
    answered, deadline = 0, time.monotonic() + seconds
    for dialect in ("standard", "pg_graphql"):
        database = grounds.database(f"{_GROUND}{made};{readable}")
        with grounds.serving(database, GRAPHQL_DIALECT=dialect, **settings) as service:
            before = service.sql(_STATE)
            for _, query, way in ways:
                for face in _FACES:
                    if time.monotonic() > deadline and tally.tried > _WAYS:
                        break
                    answer = face(service, query)
                    answered += answer.status == 200
                    state = service.sql(_STATE)
                    tally.add(answer.status < 500 and state == before, (way, face.__name__, state, answer.body))
                    before = state
    return tally.finding(f"{answered} were answered")


ATTACKS = (Attack("queries that write", "no query changes anything, though functions try", _writing),)
