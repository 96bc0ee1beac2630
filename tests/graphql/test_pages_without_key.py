"""Pages of rows whose key the role may not read: each is visited exactly once, even if many are indistinguishable."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_pages import encode
from tests.postgres_server import connect

SCHEMA = """
create table place (id int primary key, name text);
create table visit (a int, b int generated always as identity, place_id int references place, kind int, note text,
  price numeric, data json, secret int default 1, primary key (a, b));
create view half as select a, nullif(a, 1) as maybe, b, kind from visit;
comment on view half is '@graphql({"primary_key_columns": ["maybe", "b"]})';
create function visits() returns setof visit language sql stable security definer as 'select * from visit';
create function read_visits() returns setof visit language sql volatile security definer as 'select * from visit';
create table opaque (id int primary key, data json);
comment on schema public is '@graphql({"max_rows": 30})';
comment on table visit is '@graphql({"totalCount": {"enabled": true}})';
grant select on place to anon;
grant select (place_id, kind, note, price, data) on visit to anon;
grant select (maybe, kind) on half to anon;
grant select (data) on opaque to anon;
"""
ROWS = """
truncate place cascade;
insert into place values (1, 'here'), (2, 'there');
insert into visit (a, place_id, kind, note, price, data)
select k, 1 + k % 2, nullif(k % 3, 2), nullif('n' || k % 2, 'n1'), (array['1', '1.00', null])[1 + k / 8]::numeric,
  (array['{"k": 1}', '2'])[1 + k % 2]::json
from generate_series(1, 12) k;
insert into opaque select k, to_json(k % 4) from generate_series(1, 10) k;
"""
FIELDS = "kind note price data"
SELECTION = f"edges {{ cursor node {{ {FIELDS} }} }} pageInfo {{ startCursor endCursor hasNextPage hasPreviousPage }}"


@pytest.fixture(params=["standard", "pg_graphql"])
def api(writing_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return writing_api(SCHEMA, f"truncate visit, opaque; {ROWS}", graphql_dialect=request.param)


def arguments(**given: Any) -> str:
    texts = {name: json.dumps(value) if isinstance(value, str) else value for name, value in given.items() if value}
    return "".join(("(", ", ".join(f"{name}: {text}" for name, text in texts.items()), ")")) if texts else ""


def page(api: Api, name: str = "visitCollection", *, selection: str = SELECTION, **given: Any) -> dict[str, Any]:
    """The page of a collection; ``orderBy`` is in GraphQL's syntax, behind an underscore."""
    order = given.pop("order", "")
    text = arguments(**given)
    if order:
        text = f"({text[1:-1]} orderBy: {order})"
    return api.ask(f"{{ {name}{text} {{ {selection} }} }}").data[name]


def nodes(page: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(edge["node"].values()) for edge in page["edges"]]


def walked(api: Api, size: int, *, backward: bool = False, **given: Any) -> Iterator[dict[str, Any]]:
    """The pages of a collection from its first to its last, or the other way round."""
    count, cursor, at, more = (
        ("last", "before", "startCursor", "hasPreviousPage")
        if backward
        else ("first", "after", "endCursor", "hasNextPage")
    )
    reached = None
    for _ in range(100):
        found = page(api, **{count: size, cursor: reached}, **given)
        yield found
        reached = found["pageInfo"][at]
        if not found["pageInfo"][more]:
            return
    raise AssertionError("the pages have no end")


KINDS = st.sampled_from([None, 0, 1])
TABLES = st.lists(
    st.tuples(KINDS, st.sampled_from([None, "x"]), st.sampled_from([None, "1", "1.00"]), st.sampled_from(["1", "[2]"])),
    max_size=8,
)
ORDERS = st.sampled_from(
    ["", "[{kind: DescNullsFirst}]", "[{note: AscNullsFirst}, {kind: DescNullsLast}]", "[{price: AscNullsLast}]"]
)


def in_sql(value: Any) -> str:
    return "null" if value is None else f"'{value}'"


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_every_row_is_visited_once(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(SCHEMA, graphql_dialect=dialect)
    database = connect(api.database_url)

    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(TABLES, ORDERS, st.integers(1, 9), st.integers(0, 4))
    def check(table: list[tuple[Any, ...]], order: str, size: int, offset: int) -> None:
        database.execute_simple("truncate visit")
        for row in table:
            values = ", ".join(map(in_sql, row))
            database.execute_simple(f"insert into visit (a, kind, note, price, data) values (1, {values})")
        everything = nodes(page(api, order=order))
        assert Counter(everything) == Counter(table)
        forward = list(walked(api, size, order=order))
        assert [row for each in forward for row in nodes(each)] == everything
        backward = list(walked(api, size, backward=True, order=order))
        assert [row for each in reversed(backward) for row in nodes(each)] == everything
        for pages, before, after in (
            (forward, "hasPreviousPage", "hasNextPage"),
            (backward, "hasNextPage", "hasPreviousPage"),
        ):
            infos = [each["pageInfo"] for each in pages]
            assert [info[before] for info in infos] == [place > 0 for place in range(len(pages))]
            assert [info[after] for info in infos] == [place + 1 < len(pages) for place in range(len(pages))]
        cursors = [edge["cursor"] for each in forward for edge in each["edges"]]
        assert len(set(cursors)) == len(table)
        for place, cursor in enumerate(cursors):
            start = place + 1 + offset
            beyond = page(api, order=order, after=cursor, first=size, offset=offset)
            assert nodes(beyond) == everything[start : start + size]
        skipped = page(api, order=order, offset=offset, first=size)
        assert [edge["cursor"] for edge in skipped["edges"]] == cursors[offset : offset + size]

    try:
        check()
    finally:
        database.close()


@pytest.mark.parametrize("name", ["visits", "read_visits"])
def test_rows_of_a_function_are_paged(api: Api, name: str) -> None:
    kind, selection = ("mutation", "edges { node { kind } }") if name == "read_visits" else ("query", SELECTION)
    found: list[Any] = []
    after = ""
    while len(found) < 12:
        text = f"{kind} {{ {name}(first: 5{after}) {{ {selection} pageInfo {{ endCursor }} }} }}"
        answer = api.ask(text).data[name]
        assert answer["edges"]
        found += [edge["node"]["kind"] for edge in answer["edges"]]
        after = f', after: "{answer["pageInfo"]["endCursor"]}"'
    assert Counter(found) == {None: 4, 0: 4, 1: 4}


def test_nested_collections_are_paged(api: Api) -> None:
    found = []
    for size in (2, 5):
        query = f"{{ placeCollection {{ edges {{ node {{ visitCollection(last: {size}) {{ {SELECTION} }} }} }} }} }}"
        edges = api.ask(query).data["placeCollection"]["edges"]
        found.append([nodes(edge["node"]["visitCollection"]) for edge in edges])
    assert [each[-2:] for each in found[1]] == found[0]
    cursor = edges[0]["node"]["visitCollection"]["pageInfo"]["startCursor"]
    query = f'{{ placeCollection {{ edges {{ node {{ visitCollection(before: "{cursor}") {{ {SELECTION} }} }} }} }} }}'
    first, _ = (edge["node"]["visitCollection"] for edge in api.ask(query).data["placeCollection"]["edges"])
    assert len(first["edges"]) == 1
    assert first["pageInfo"]["hasNextPage"] is True


def test_a_partly_readable_key_orders_pages(api: Api) -> None:
    pages = list(
        walked(
            api,
            1,
            name="halfCollection",
            selection="edges { node { kind } } pageInfo { endCursor hasNextPage }",
        )
    )
    assert len(pages) == 12
    assert all(len(each["edges"]) == 1 for each in pages)


def test_rows_without_a_column_with_an_order_are_paged(api: Api) -> None:
    selection = "edges { cursor node { data } } pageInfo { endCursor hasNextPage }"
    pages = list(walked(api, 3, name="opaqueCollection", selection=selection))
    found = [edge for each in pages for edge in each["edges"]]
    assert sorted(edge["node"]["data"] for edge in found) == sorted(str(k % 4) for k in range(1, 11))
    assert [json.loads(base64.b64decode(edge["cursor"])) for edge in found] == [[place] for place in range(10)]


def test_columns_whose_type_has_no_order_are_passed_over(reading_api: StartApi) -> None:
    api = reading_api("""
      create domain spot as point;
      create table mark (id int primary key, at point, seen spot, area box, by xid, kind int);
      insert into mark select k, '(1,2)', '(1,2)', '(1,2),(3,4)', '7', k / 2 from generate_series(1, 5) k;
      grant select (at, seen, area, by, kind) on mark to anon;
    """)
    selection = "edges { cursor node { kind at } } pageInfo { endCursor hasNextPage }"
    found = [edge for each in walked(api, 2, name="markCollection", selection=selection) for edge in each["edges"]]
    assert [edge["node"] for edge in found] == [{"kind": kind, "at": "(1,2)"} for kind in (0, 1, 1, 2, 2)]
    assert [edge["cursor"] for edge in found] == [encode(list(v)) for v in ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1))]


def test_no_other_row_is_skipped_when_equal_ones_are_gone(api: Api) -> None:
    database = connect(api.database_url)
    database.execute_simple("truncate visit")
    database.execute_simple(
        "insert into visit (a, kind) select 1, case when k < 5 then 1 else 2 end from generate_series(1, 8) k"
    )
    cursors = [edge["cursor"] for edge in page(api)["edges"]]
    database.execute_simple("delete from visit where b in (select b from visit where kind = 1 limit 3)")
    database.execute_simple("delete from visit where b in (select b from visit where kind = 2 limit 3)")
    database.close()
    assert [row[0] for row in nodes(page(api, after=cursors[2], first=9))] == [2]
    assert [row[0] for row in nodes(page(api, before=cursors[4], last=9))] == [1]
    assert [row[0] for row in nodes(page(api, before=cursors[7], last=9))] == [1, 2]


def test_cursors_that_do_not_fit_are_refused(api: Api) -> None:
    values = [1, None, None, None]
    for wrong in ([*values, -1], [*values, "1"], [*values, 1.5], [*values, None], [*values, True], [*values, 0, 0]):
        for name in ("after", "before"):
            refused = api.ask(f'{{ visitCollection({name}: "{encode(wrong)}") {{ edges {{ cursor }} }} }}')
            assert refused.message == "orderBy clause incompatible with pagination cursor"
            assert refused.code == "BAD_USER_INPUT"
    beyond = encode([*values, 9223372036854775807])
    assert (
        api.ask(f'{{ visitCollection(after: "{beyond}") {{ edges {{ cursor }} }} }}').code
        == "NUMERIC_VALUE_OUT_OF_RANGE"
    )


def test_a_cursor_without_a_number_comes_after_all_equal_rows(api: Api) -> None:
    found = page(api, selection="edges { node { place_id } }", after=encode([1]))
    assert nodes(found) == [(2,)] * 6


def test_total_count_and_limits_stay(api: Api) -> None:
    answer = page(api, selection="totalCount edges { node { kind } }", first=2)
    assert answer["totalCount"] == 12
    assert len(answer["edges"]) == 2


@pytest.mark.parametrize("order", ["{secret: AscNullsLast}", "{a: AscNullsLast}", "{b: DescNullsLast}"])
def test_unreadable_columns_cannot_be_ordered_by(api: Api, order: str) -> None:
    answer = api.ask(f"{{ visitCollection(orderBy: [{order}]) {{ edges {{ cursor }} }} }}")
    assert answer.body.get("data") is None
    assert answer.code in ("GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT")


def test_an_order_may_have_more_columns_than_a_call_takes_arguments(reading_api: StartApi) -> None:
    api = reading_api(
        "create table wide (id int primary key); insert into wide values (1), (2); grant select on wide to anon;"
    )
    order = f"[{', '.join(['{id: DescNullsLast}'] * 100)}]"
    assert [
        edge["cursor"] for edge in page(api, "wideCollection", selection="edges { cursor }", order=order)["edges"]
    ] == [
        encode([2] * 101),
        encode([1] * 101),
    ]


def test_rows_are_ordered_by_their_first_32_columns(reading_api: StartApi) -> None:
    columns = [f"c{number}" for number in range(33)]
    api = reading_api(f"""
        create table wide (id int primary key, {", ".join(f"{each} int default 1" for each in columns)});
        insert into wide (id, c31, c32) values (1, 2, 1), (2, 1, 9), (3, 1, 10);
        grant select ({", ".join(columns)}) on wide to anon;
    """)  # fmt: skip
    page = api.ask("{ wideCollection { edges { node { c31 c32 } } } }").data["wideCollection"]
    # Equal rows are in the order of their text.
    assert nodes(page) == [(1, 10), (1, 9), (2, 1)]
