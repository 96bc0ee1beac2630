"""Documents as large as the limits let them be, on small tables: neither the service nor PostgreSQL's planner is kept
busy by one. Older versions of PostgreSQL plan more slowly: TEST_DATABASE_URL may lead to one."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_SCHEMA = """
create table account (id int primary key, boss_id int references account, name text, body text, tags text[],
  data jsonb, n1 int, n2 int, n3 int, n4 int);
create table post (id int primary key, account_id int references account, kind int, title text,
  unique (account_id, kind));
create table reply (id int primary key, post_id int references post, account_id int references account, n int);
insert into account select k, greatest(k / 2, 1), 'name ' || k, repeat('word ' || k, 20), array['t' || k % 7],
  jsonb_build_object('k', k, 's', 'text ' || k), k, k, k, k from generate_series(1, 200) k;
insert into post select k, 1 + k % 200, k, 'title ' || k from generate_series(1, 200) k;
insert into reply select k, 1 + k % 200, 1 + k * 3 % 200, k % 20 from generate_series(1, 200) k;
create view joined as select r.id, p.title, a.name, b.name as boss from reply r join post p on p.id = r.post_id
  join account a on a.id = p.account_id join account b on b.id = a.boss_id;
comment on view joined is '@graphql({"primary_key_columns": ["id"]})';
comment on schema public is '@graphql({"inflect_names": true})';
comment on table account is e'@graphql({"aggregate": {"enabled": true}, "search": {"columns": ["name", "body"]}})';
comment on table post is '@graphql({"aggregate": {"enabled": true}})';
alter table reply enable row level security;
create policy seen on reply using (exists (select from post p where p.id = post_id));
grant usage on schema public to anon;
grant select on all tables in schema public to anon;
analyze;
"""
_ONE = {
    "Account": {"account": "Account"},
    "Post": {"account": "Account"},
    "Response": {"post": "Post", "account": "Account"},
}
_MANY = {
    "Account": {"accountCollection": "Account", "postCollection": "Post", "replyCollection": "Response"},
    "Post": {"replyCollection": "Response"},
    "Response": {},
}
_STEPS, _DEEPEST = 50, 8
_SLOWEST_S = 1.5
"""On a machine that does other things as well; on a quiet one such a request takes a tenth of it."""
_FILTER = "query ($x: %sFilter) { x%d: %sCollection(first: 3, filter: $x) { edges { node { id } } } }"


class _Related:
    """Filters that lead to related rows as often as they may."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def made(self, relation: str) -> dict[str, Any]:
        self._left = self._chance.choice((8, 20, _STEPS))
        parts = []
        while self._left > 0:
            parts.append(self._filter(relation, self._chance.randint(1, _DEEPEST)))
        return {"and": parts}

    def _filter(self, relation: str, depth: int) -> dict[str, Any]:
        if depth == 0 or self._left <= 0:
            return {"id": {"gt": -self._chance.randrange(1000)}}
        shape = self._chance.choice(("one", "one", "many", "many", "and", "or", "not"))
        if shape == "and":
            return {"and": [self._filter(relation, depth) for _ in range(self._chance.randint(1, 4))]}
        if shape == "or":
            return {"or": [self._filter(relation, depth) for _ in range(self._chance.choice((1, 1, 2)))]}
        if shape == "not":
            return {"not": self._filter(relation, depth)}
        self._left -= 1
        if shape == "one" or not _MANY[relation]:
            name, target = self._chance.choice([*_ONE[relation].items()])
            return {name: self._filter(target, depth - 1)}
        name, target = self._chance.choice([*_MANY[relation].items()])
        return {name: {self._chance.choice(("some", "none", "every")): self._filter(target, depth - 1)}}


def _wide() -> Iterator[tuple[str, str, Any]]:
    """A name, a document and the value of its variable: lists as long as a request holds."""
    for name, value in {
        "conditions": {"and": [{"id": {"gt": -number}} for number in range(1900)]},
        "alternatives": {"or": [{"name": {"ilike": f"%{number}%x%"}} for number in range(380)]},
        "too many": {"or": [{"name": {"like": "a"}}] * 19_000},
        "patterns": {"body": {"ilikeAny": [f"%{number}%x%" for number in range(250)]}},
        "arrays": {"tags": {"overlaps": [f"z{number}" for number in range(30_000)]}},
        "keys": {"data": {"hasAnyKey": [f"z{number}" for number in range(30_000)]}},
        "paths": {"data": {"path": [{"at": [f"z{number}"], "number": {"gt": "1"}} for number in range(400)]}},
        "searches": {"or": [{"search": {"plain": f"none{number}"}} for number in range(38)]},
        "regular expressions": {"or": [{"name": {"regex": f"(?:a?){{60}}x{number}"}} for number in range(19)]},
        "one relation": {"and": [{"account": {"n1": {"gt": -number}}} for number in range(50)]},
        "one of": {"and": [{"or": [{"account": {"n1": {"gt": -number}}}]} for number in range(50)]},
        "some": {"and": [{"postCollection": {"some": {"kind": {"eq": number}}}} for number in range(50)]},
    }.items():
        yield name, _FILTER % ("Account", 0, "account"), value
    numbers = "".join(f"n{number}: {{in: $x}}, " for number in range(1, 5))
    yield (
        "numbers",
        f"query ($x: [Int!]) {{ accountCollection(filter: {{{numbers}}}) {{ __typename }} }}",
        [1] * 300_000,
    )
    order = "query ($x: [AccountOrderBy!]) { accountCollection(orderBy: $x) { edges { cursor } } }"
    yield "order", order, [{"id": "AscNullsLast"}] * 20_000
    chains = [{"account": {"account": {f"n{1 + number % 4}": "AscNullsLast"}}} for number in range(50)]
    yield "order by related rows", order, chains
    for name, selection in {
        "fields of one name": "accountCollection { edges { node { " + "account { id } " * 900 + "} } }",
        "leaves with fields": "accountCollection { edges { node { " + "id { x } " * 900 + "} } }",
        "unknown members": "accountCollection(filter: {"
        + ", ".join(f"nam{n}: 1" for n in range(1500))
        + "}) { edges }",
        "long names": " ".join("x" * 17_000 + str(number) for number in range(40)),
        "aliases": "accountCollection { edges { node { "
        + " ".join(f"a{number}: postCollection {{ aggregate {{ count }} }}" for number in range(190))
        + "} } }",
    }.items():
        yield name, "{ " + selection + " }", None


def _largest(grounds: Grounds, seconds: float) -> Finding:
    tally, longest, related = Tally(), (0.0, ""), _Related(random.Random(31))
    with grounds.serving(grounds.database(_SCHEMA)) as service:
        service.is_responsive()

        def look(name: str, query: str, value: Any) -> None:
            nonlocal longest
            before = service.cpu_s()
            answer = service.graphql(query, {"x": value})
            used = service.cpu_s() - before
            longest = max(longest, (answer.seconds, name))
            held = answer.seconds < _SLOWEST_S and answer.status in (200, 400)
            tally.add(held, (name, answer.status, f"{answer.seconds:.1f} s, {used:.1f} s of CPU", answer.body[:200]))

        for each in _wide():
            look(*each)
        until, number = time.monotonic() + seconds, 0
        while time.monotonic() < until or number < 10:
            number += 1
            relation = ("Account", "Post", "Response")[number % 3]
            look(f"related {number}", _FILTER % (relation, number, relation.lower()), related.made(relation))
    return tally.finding(f"the longest took {longest[0]:.2f} s: {longest[1]}")


ATTACKS = (
    Attack(
        "the largest documents",
        f"no document that the limits allow or refuse takes {_SLOWEST_S} s on tables of 200 rows",
        _largest,
    ),
)
