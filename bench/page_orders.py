"""The tables of ``python -m bench.pages``, and its orders with the pages that a person would write for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SCHEMA = """
do $$ begin create role anon; exception when duplicate_object then null; end $$;
create table big (
  id bigint primary key, created timestamptz not null, val int, score int not null,
  name text collate "{collation}" not null, code uuid not null, amount numeric not null
);
insert into big
select n, '2020-01-01'::timestamptz + n % ({rows} / 2 + 1) * interval '10 s',
  case when n % 10 <> 0 then (n * 7919 % 1000003)::int end, n * 7919 % 100, 'name ' || n * 7919 % 9999991,
  md5(n::text)::uuid, n * 7919 % 5000011 / 100.0
from generate_series(1::bigint, {rows}) n;
create index on big (created, id);
create index on big (created desc, id);
create index on big (val, id);
create index on big (val nulls first, id);
create index on big (val desc, id);
create index on big (val desc nulls last, id);
create index on big (score desc, created, id);
create index on big (name, id);
create index on big (code, id);
create index on big (amount desc, id);
create table parent (id int primary key);
insert into parent select n from generate_series(1, {parents}) n;
create table child (id int primary key, parent_id int not null references parent, score int not null, val int);
insert into child
select n, n % {parents} + 1, n * 7919 % 1009, case when n % 3 > 0 then n * 7919 % 1013 end
from generate_series(1, {parents} * {children}) n;
create index on child (parent_id, score desc, id);
create index on child (parent_id, val desc nulls last, id);
grant select on big, parent, child to anon;
vacuum analyze big;
vacuum analyze parent;
vacuum analyze child;
"""


@dataclass(frozen=True)
class Order:
    """An order of the table ``big``. ``after`` and ``before`` are the conditions of the consecutive queries that find
    the next page and the page before a cursor; ``$1``, ``$2`` and so on are the values of the cursor, without nulls.
    ``from_null``: the same after a cursor whose value is null; ``to_null``: before one."""

    order_by: str
    columns: Sequence[str]
    forward: str
    backward: str
    after: Sequence[str]
    before: Sequence[str]
    from_null: Sequence[str] = ()
    to_null: Sequence[str] = ()


def _one_direction(column: str, order_by: str) -> Order:
    return Order(
        order_by,
        (column, "id"),
        f"{column}, id",
        f"{column} desc, id desc",
        (f"({column}, id) > ($1, $2)",),
        (f"({column}, id) < ($1, $2)",),
    )


def _descending(column: str, order_by: str) -> Order:
    return Order(
        order_by,
        (column, "id"),
        f"{column} desc, id",
        f"{column}, id desc",
        (f"{column} <= $1 and ({column} < $1 or id > $2)",),
        (f"{column} >= $1 and ({column} > $1 or id < $2)",),
    )


_MORE, _LESS = "val >= $1 and (val > $1 or id > $2)", "val <= $1 and (val < $1 or id < $2)"
_LESS_DESC, _MORE_DESC = "val <= $1 and (val < $1 or id > $2)", "val >= $1 and (val > $1 or id < $2)"
_NULL, _VALUE = "val is null", "val is not null"
_AFTER_NULL, _BEFORE_NULL = "val is null and id > $1", "val is null and id < $1"

ORDERS = {
    "timestamptz, ascending": _one_direction("created", "{created: AscNullsLast}"),
    "timestamptz, descending": _descending("created", "{created: DescNullsLast}"),
    "int or null, ascending, nulls last": Order(
        "{val: AscNullsLast}", ("val", "id"), "val, id", "val desc, id desc",
        (_MORE, _NULL), (_LESS,), (_AFTER_NULL,), (_BEFORE_NULL, _VALUE),
    ),
    "int or null, ascending, nulls first": Order(
        "{val: AscNullsFirst}", ("val", "id"), "val nulls first, id", "val desc nulls last, id desc",
        (_MORE,), (_LESS, _NULL), (_AFTER_NULL, _VALUE), (_BEFORE_NULL,),
    ),
    "int or null, descending, nulls first": Order(
        "{val: DescNullsFirst}", ("val", "id"), "val desc, id", "val, id desc",
        (_LESS_DESC,), (_MORE_DESC, _NULL), (_AFTER_NULL, _VALUE), (_BEFORE_NULL,),
    ),
    "int or null, descending, nulls last": Order(
        "{val: DescNullsLast}", ("val", "id"), "val desc nulls last, id", "val nulls first, id desc",
        (_LESS_DESC, _NULL), (_MORE_DESC,), (_AFTER_NULL,), (_BEFORE_NULL, _VALUE),
    ),
    "100 numbers descending, then timestamptz": Order(
        "{score: DescNullsLast}, {created: AscNullsLast}", ("score", "created", "id"),
        "score desc, created, id", "score, created desc, id desc",
        ("score = $1 and (created, id) > ($2, $3)", "score < $1"),
        ("score = $1 and (created, id) < ($2, $3)", "score > $1"),
    ),
    "text with a collation": _one_direction("name", "{name: AscNullsFirst}"),
    "uuid": _one_direction("code", "{code: AscNullsLast}"),
    "numeric, descending": _descending("amount", "{amount: DescNullsLast}"),
    "the key": Order("", ("id",), "id", "id desc", ("id > $1",), ("id < $1",)),
}  # fmt: skip

PAGE, PARENTS, CHILDREN, EACH = 30, 100, 1_000, 10

NESTED = {
    "first 10 of 1,000, 100 times": ("score", "{score: DescNullsLast}", "score desc"),
    "the same by a column with nulls": ("val", "{val: DescNullsLast}", "val desc nulls last"),
}
"""Nested collections: the column, orderBy and ORDER BY."""


def page_query(order: Order, window: str) -> str:
    """The GraphQL request for a page. The cursor is the variable ``at``, if the window has one."""
    by = f"orderBy: [{order.order_by}]" if order.order_by else ""
    back = window.startswith("last")
    info = "hasPreviousPage startCursor" if back else "hasNextPage endCursor"
    declared = "query ($at: Cursor) " if "$at" in window else ""
    return f"""{declared}{{ bigCollection({window} {by}) {{
      edges {{ node {{ id created val score }} }} pageInfo {{ {info} }} }} }}"""


def page_sql(order: Order, conditions: Sequence[str], *, backward: bool) -> str:
    """The same page as a person would write it: a JSON array of the rows, with one more to see whether more follow."""
    by = order.backward if backward else order.forward
    queries = [
        f"(select id, created, val, score from big {f'where {each}' if each else ''} order by {by} limit {PAGE + 1})"
        for each in conditions or ("",)
    ]
    rows = queries[0] if len(queries) == 1 else f"({' union all '.join(queries)} limit {PAGE + 1})"
    return f"""select json_agg(json_build_object('id', id, 'created', created, 'val', val, 'score', score))
      from {rows} page"""


def nested_query(order_by: str) -> str:
    """The GraphQL request for the first children of each parent."""
    return f"""{{ parentCollection(first: {PARENTS}) {{ edges {{ node {{ id
      childCollection(first: {EACH}, orderBy: [{order_by}]) {{ edges {{ node {{ id score val }} }} }} }} }} }} }}"""


def nested_sql(by: str) -> str:
    """The same as a person would write it."""
    return f"""select json_agg(json_build_object('id', p.id, 'children', c.children))
      from (select id from parent order by id limit {PARENTS}) p
      cross join lateral (
        select json_agg(json_build_object('id', id, 'score', score, 'val', val)) as children
        from (select * from child where parent_id = p.id order by {by}, id limit {EACH}) each
      ) c"""
