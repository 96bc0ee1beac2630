"""Comments that are malformed: one table's owner cannot take the API from everybody else."""

from __future__ import annotations

import time

from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_COMMENTS = (
    '@graphql({"name": 5})', '@graphql({"name": ""})', '@graphql({"name": "a b"})', '@graphql({"name": "__x"})',
    '@graphql({"name": "\\ud800"})', '@graphql({"description": "\\ud800"})', '@graphql({"description": 7})',
    "@graphql({", "@graphql([])", "@graphql(null)", '@graphql({"max_rows": -1})', '@graphql({"max_rows": "many"})',
    '@graphql({"primary_key_columns": ["nothing"]})', '@graphql({"totalCount": true})', '@graphql({"totalCount": []})',
    '@graphql({"foreign_keys": [{"local_name": 5}]})', '@graphql({"foreign_keys": "x"})', '@graphql({"name": "item"})',
    '@graphql({"name": "Query"})', '@graphql({"name": "String"})', '@graphql({"mappings": 1})',
    "@graphql(" + '{"a":' * 3000 + "1" + "}" * 3000 + ")",
)  # fmt: skip
_PLACES = ("table other", "column other.body", "function twice(int)", "constraint other_item_id_fkey on other")
_SEEN_WITHIN_S = 20.0


def _malformed(grounds: Grounds, _: float) -> Finding:
    """Each comment stands on objects of each kind; a column that comes with it shows that it was read."""
    tally = Tally()
    schema = """create table item (id int primary key, name text); insert into item values (1, 'a');
        create table other (id int primary key, item_id int references item, body text);
        create function twice(n int) returns int language sql immutable as 'select 2 * n';
        grant usage on schema public to anon; grant select on item, other to anon;"""
    with grounds.serving(grounds.database(schema)) as service:
        for number, comment in enumerate(_COMMENTS):
            service.sql("".join(f"comment on {place} is '{comment}';" for place in _PLACES))
            held, seen = service.is_responsive(), False
            service.sql(f"alter table item add column c{number} int; grant select on item to anon")
            deadline = time.monotonic() + _SEEN_WITHIN_S
            while not seen and time.monotonic() < deadline:
                answer = service.graphql(f"{{ itemCollection {{ edges {{ node {{ id c{number} }} }} }} }}")
                seen = answer.status == 200 and b'"errors"' not in answer.body
            tally.add(held and seen, (comment, answer.body))
            service.sql("".join(f"comment on {place} is null;" for place in _PLACES))
    return tally.finding()


ATTACKS = (Attack("malformed comments", "a malformed comment harms its own object at most", _malformed),)
