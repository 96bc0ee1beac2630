"""Generated documents on twin databases that differ only in hidden rows: callers cannot distinguish the twins."""

from __future__ import annotations

import random
import time

from bench.siege.attacks.generated import INTROSPECTION, Documents
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_SCHEMA = """
create type mood as enum ('sad', 'happy');
create table author (id int primary key, name text, mood mood, hidden bool not null default false);
create table book (id int primary key, author_id int references author, title text, price numeric, tags text[],
  extra jsonb, hidden bool not null default false);
create table review (book_id int references book, number int, body text, hidden bool not null default false,
  primary key (book_id, number));
comment on table author is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
comment on table book is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
insert into author select n, 'item ' || n, (array['sad', 'happy', null])[1 + n % 3]::mood from generate_series(1, 9) n;
insert into book select n, 1 + n % 9, 'book ' || n, n / 4.0, array['a', 'b' || n % 3], '{"n": 1}'
  from generate_series(1, 40) n;
insert into review select n % 40 + 1, n, 'item ' || n from generate_series(1, 60) n;
"""
_HIDDEN = """
insert into author select n, 'item ' || n, 'sad', true from generate_series(50, 90) n;
insert into book select n, case when n % 2 = 0 then 50 + n % 40 else 1 + n % 9 end, 'a', n, array['a'], '{}', true
  from generate_series(150, 600) n;
insert into review select case when n % 2 = 0 then 150 + n else 1 + n % 40 end, n, 'item 1', true
  from generate_series(100, 400) n;
"""
_POLICIES = "".join(
    f"alter table {table} enable row level security; create policy visible on {table} using (not hidden);"
    f"grant select ({columns}) on {table} to anon; analyze {table};"
    for table, columns in (
        ("author", "id, name, mood"),
        ("book", "id, author_id, title, price, tags, extra"),
        ("review", "book_id, number, body"),
    )
)


def _twins(grounds: Grounds, seconds: float) -> Finding:
    tally, answered = Tally(), 0
    settings = {"STATEMENT_TIMEOUT_MS": "0", "DATABASE_MARGIN_S": "60"}
    one, other = (grounds.database(_SCHEMA + hidden + _POLICIES) for hidden in ("", _HIDDEN))
    with grounds.serving(one, **settings) as left, grounds.serving(other, **settings) as right:
        schema = left.graphql(INTROSPECTION).json["data"]["__schema"]
        documents = Documents(schema, random.Random(8))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline or tally.tried < 20:
            document = documents.spoilt() if tally.tried % 3 == 2 else documents.document()
            first, second = left.graphql(document), right.graphql(document)
            tally.add((first.status, first.body) == (second.status, second.body), document)
            answered += b'"errors"' not in first.body
    return tally.finding(f"{answered} of them with data, the others with errors")


ATTACKS = (Attack("generated documents on twins", "no answer depends on a row that the caller cannot see", _twins),)
