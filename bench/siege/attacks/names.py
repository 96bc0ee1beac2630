"""Names that look like markers, quotes or comments in SQL: each table answers for itself."""

from __future__ import annotations

import json
import random
import time

from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_PIECES = (
    "%(p1)s", "$1", ":p1", "?", "%s", "%%", "[POSTCOMPILE_p1]", "{p1}", "{0}", "'", '"', "\\", "--", "/*", "*/", ";",
    "||", "$$", " ", "\n", "\t", "a", "A", "ä", "表", "\u202e", "select", "p1", "_1", "__", ".", ",", "(", ")",
    "@graphql",
)  # fmt: skip
_LONGEST = 63


def _name(chance: random.Random, taken: set[str]) -> str:
    while True:
        name = "".join(chance.choices(_PIECES, k=chance.randint(1, 6)))
        if name not in taken and len(name.encode()) < _LONGEST:
            taken.add(name)
            return name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table(number: int, name: str) -> str:
    table, column = _quoted(name), _quoted("c" + name)
    return f"""create table {table} (id int primary key, {column} text);
        comment on table {table} is '@graphql({{"name": "T{number}"}})';
        comment on column {table}.{column} is '@graphql({{"name": "value"}})';
        insert into {table} values (1, 'of {number}'), (2, 'of {number}');"""


def _generated_names(grounds: Grounds, seconds: float) -> Finding:
    tally, taken, chance = Tally(), set[str](), random.Random(8)
    deadline = time.monotonic() + seconds
    while not tally.tried or time.monotonic() < deadline:
        names = [_name(chance, taken) for _ in range(40)]
        tables = "".join(_table(number, name) for number, name in enumerate(names))
        grants = "grant usage on schema public to anon; grant all on all tables in schema public to anon;"
        with grounds.serving(grounds.database(tables + grants)) as service:
            for number, name in enumerate(names):
                query = f"""query ($id: Int, $x: String) {{ found: t{number}Collection(filter: {{id: {{eq: $id}},
                    value: {{neq: $x}}}}) {{ edges {{ node {{ id value }} }} }} }}"""
                found = service.graphql(query, {"id": 2, "x": "x"}).json
                rows = {"edges": [{"node": {"id": 2, "value": f"of {number}"}}]}
                tally.add(found == {"data": {"found": rows}}, (name, found))
                insert = f"""mutation ($x: String) {{ insertIntoT{number}Collection(objects: [{{id: 3, value: $x}}])
                    {{ affectedCount }} }}"""
                service.graphql(insert, {"x": json.dumps(name)})
                written = service.sql(f"select {_quoted('c' + name)} from {_quoted(name)} where id = 3")
                tally.add(written == [[json.dumps(name)]], (name, written))
    return tally.finding(f"{len(taken)} tables")


ATTACKS = (Attack("generated names", "each table answers under its own name", _generated_names),)
