"""The cost of one request in CPU, memory, and time in the database."""

from __future__ import annotations

import json

from bench.siege.client import ANON
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import STATEMENT_TIMEOUT_S, Grounds

_CPU_S = 1.5
"""The CPU time that a worker may take, in seconds. An idle machine needs a fifth of it; a busy one needs more."""
_MIB = 1 << 20
_LARGEST_ERROR = 20_000


def _filled(item: str, size: int = _MIB - 2000) -> str:
    return ",".join([item] * (size // (len(item) + 1)))


_FILTER = "query ($x: itemFilter) { itemCollection(filter: $x) { __typename } }"
_NUMBERS = "query ($x: [BigInt!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }"
_FILTERS = "query ($x: [itemFilter!]) { itemCollection(filter: {or: $x}) { __typename } }"
_OBJECTS = "mutation ($x: [itemInsertInput!]!) { insertIntoitemCollection(objects: $x) { affectedCount } }"
_VARIABLES = {
    "unknown members": (_FILTER, "{" + ",".join(f'"k{number}":1' for number in range(80_000)) + "}"),
    "lists for numbers": (_NUMBERS, "[" + _filled("[1]") + "]"),
    "texts for numbers": (_NUMBERS, "[" + _filled('"a"') + "]"),
    "empty filters": (_FILTERS, "[" + _filled("{}") + "]"),
    "filters": (_FILTERS, "[" + _filled('{"id":{"eq":1}}') + "]"),
    "unknown members of many": (_FILTERS, "[" + _filled('{"k":1}') + "]"),
    "empty objects": (_OBJECTS, "[" + _filled("{}") + "]"),
    "long list of nulls": (_NUMBERS, "[" + _filled("null") + "]"),
    "deep lists": (_NUMBERS, "[" * 900 + "]" * 900),
    "deep filters": (_FILTER, '{"not":' * 900 + "{}" + "}" * 900),
    "a long text": (_FILTER, json.dumps({"name": {"eq": "\\" * 400_000}})),
    "long digits": (_NUMBERS, "[" + "9" * 1_000_000 + "]"),
}


def _variables(grounds: Grounds, _: float) -> Finding:
    service, tally, most = grounds.service, Tally(), 0.0
    service.is_responsive()
    for name, (query, value) in _VARIABLES.items():
        before = service.cpu_s()
        body = f'{{"query": {json.dumps(query)}, "variables": {{"x": {value}}}}}'
        answer = service.ask("POST", "/graphql/v1", body, None, apiKey=ANON, Content_Type="application/json")
        used = service.cpu_s() - before
        most = max(most, used)
        held = answer.status in (200, 400, 413) and used < _CPU_S and len(answer.body) < _LARGEST_ERROR
        tally.add(held, (name, answer.status, f"{used:.1f} s of CPU, {len(answer.body)} bytes"))
    return tally.finding(f"at most {most:.2f} s of CPU")


_NESTED = """
comment on schema public is '@graphql({"max_rows": 1000})';
create table parent (id int primary key, pad text);
create table child (id int primary key, parent_id int references parent, pad text);
insert into parent select n, repeat('x', 1000) from generate_series(1, 1000) n;
insert into child select n, 1 + n % 10, repeat('x', 1000) from generate_series(1, 10000) n;
create index on child (parent_id);
grant usage on schema public to anon;
grant select on parent, child to anon;
"""
_LARGEST_WORKER, _LARGEST_ANSWER = 600 * _MIB, 34 * _MIB
_CHILDREN = "childCollection(first: 1000) { edges { node { pad %s } } }"
_PARENTS = "parentCollection(first: 1000) { edges { node { pad " + _CHILDREN + " } } }"
_UP = _CHILDREN % "parent { pad }"


def _no_end(grounds: Grounds, _: float) -> Finding:
    back = "parent { " + _CHILDREN % ("parent { " + _CHILDREN % "" + " }") + " }"
    queries = {
        "collections in collections": "{ " + _PARENTS % "" + " }",
        "three of them": "{ " + _PARENTS % back + " }",
        "aliases": "{ " + " ".join(f"a{number}: " + _UP for number in range(48)) + " }",
        "one long field": "{ " + _CHILDREN % " ".join(f"p{number}: pad" for number in range(100)) + " }",
    }
    tally, most = Tally(), 0
    with grounds.serving(grounds.database(_NESTED)) as service:
        for name, query in queries.items():
            answer = service.graphql(query)
            most = max(most, service.memory())
            held = len(answer.body) < _LARGEST_ANSWER and service.memory() < _LARGEST_WORKER
            # 503 where the database was not done in time.
            held = held and answer.status in (200, 503)
            soon = answer.seconds < STATEMENT_TIMEOUT_S * 3
            tally.add(held and soon, (name, answer.status, f"{len(answer.body)} bytes, {answer.seconds:.1f} s"))
    return tally.finding(f"the largest worker had {most // _MIB} MiB")


def _introspection(grounds: Grounds, _: float) -> Finding:
    selection = "{ types { name fields { name args { name type { name } } type { name ofType { name } } } } }"
    tables = "".join(f"create table t{number} (id int primary key, a int, b text);" for number in range(100))
    tally = Tally()
    with grounds.serving(
        grounds.database(
            tables + "grant usage on schema public to anon; grant select on all tables in schema public to anon;"
        )
    ) as service:
        service.graphql("{ __schema " + selection + " }")
        for aliases in (2, 3, 49):
            before = service.cpu_s()
            fields = " ".join(f"a{number}: __schema {selection}" for number in range(aliases))
            answer = service.graphql("{ " + fields + " }")
            used = service.cpu_s() - before
            refused = b"LIMIT_EXCEEDED" in answer.body
            tally.add(refused == (aliases > 2) and used < 2 * _CPU_S, (aliases, answer.status, f"{used:.1f} s of CPU"))
    return tally.finding()


_PATTERNS = (
    r"^(.+)(.+)(.+)\3\2\1$", r"(.+)(.+).*\1\2\2$", r"^((.+)\2)+$", r"(\w+)(\w+)?.*\1\2\1.$", r"(a+)+$", r"(.*)*\1",
    "(x{1,100}){1,100}y", "((a|b|c|.){1,60}){1,60}$", "((.{1,30}){1,30}.{1,30}){1,9}$", "(?:(?:a{0,20}){0,20}){0,4}z",
    r"(?#[)^(.+)(.+)(.+)\3\2\1$(?#])", "(?x)#[\n^(.+)(.+)(.+)\\3\\2\\1$ #]", r"\c[?(.+)(.+).*\1\2\2$|]",
    r"[\c][]?(.+)(.+).*\1\2\2$|]", "(?=.*(?=.*(?=.*(?=.*x))))y", "(?=.*[^x]$)" * 80 + "y",
    "".join(f"[^{chr(0x4e00 + number)}]?" for number in range(150)),
    "(?:" + "|".join(f"[^{chr(0x4e00 + number)}]+" for number in range(100)) + ")+",
)  # fmt: skip
_SLOW_PATTERN_S = 2.0


def _regex(grounds: Grounds, _: float) -> Finding:
    """A text of a thousand characters in which little repeats itself, so that every way to match it must be tried."""
    service, tally, longest = grounds.service, Tally(), 0.0
    service.sql("insert into item (name, rank) select string_agg(md5(n::text), ''), -1 from generate_series(1, 30) n")
    wanted = "rank: {eq: -1}, name: {regex: $x}"
    query = f"query ($x: String) {{ itemCollection(filter: {{{wanted}}}) {{ edges {{ node {{ id }} }} }} }}"
    for pattern in _PATTERNS:
        answer = service.graphql(query, {"x": pattern})
        longest = max(longest, answer.seconds)
        held = answer.seconds < _SLOW_PATTERN_S and answer.status < 500
        tally.add(held, (pattern, answer.status, f"{answer.seconds:.1f} s", answer.body))
    service.sql("delete from item where rank = -1")
    return tally.finding(f"the longest took {longest:.1f} s")


ATTACKS = (
    Attack(
        "variables of a mebibyte",
        f"no request takes {_CPU_S} s of CPU in a worker or tells 20 kB of errors",
        _variables,
    ),
    Attack("answers without an end", "nesting and aliases do not make a worker or an answer unbounded", _no_end),
    Attack("aliases of introspection", "an operation introspects twice at most, and soon", _introspection),
    Attack("regular expressions", f"no pattern keeps the database busy for {_SLOW_PATTERN_S:.0f} s", _regex),
)
