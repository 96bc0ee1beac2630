"""Groups of a collection's rows: the same as with GROUP BY, for roles that may read the columns."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create table account (id int primary key, email text not null unique, name text, flag boolean);
create table post (id int primary key, account_id int not null references account, title text not null, score numeric,
  created_at timestamptz not null default '2026-03-01Z', day date, at timestamp, data json, tags text[]);
create table comment (id int primary key, post_id int not null references post, account_id int references account,
  body text);
comment on schema public is '@graphql({"inflect_names": true, "max_rows": 100})';
comment on table account is '@graphql({"aggregate": {"enabled": true}})';
comment on table post is '@graphql({"aggregate": {"enabled": true}})';
grant select on all tables in schema public to anon;
"""
ROWS = """
insert into account values (1, 'a@x', 'Ann', true), (2, 'b@x', 'Ben', false), (3, 'c@x', null, null);
insert into post values (1, 1, 'one', 5, '2026-01-10Z', '2026-01-10', '2026-01-10 10:30', '1', '{a}'),
  (2, 1, 'two', null, '2026-01-20Z', '2026-01-20', '2026-01-10 10:40', '1', '{a}'),
  (3, 2, 'three', 7, '2026-01-31 23:30Z', '2026-02-01', null, '1', null);
insert into comment values (1, 1, 2, 'hi'), (2, 1, null, 'yo'), (3, 3, 1, 'hi');
"""


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA + ROWS)


@pytest.fixture
def own_api(start_api: StartApi) -> Api:
    return start_api(SCHEMA + ROWS)


def groups(api: Api, arguments: str, selection: str, collection: str = "postCollection") -> list[Any]:
    data = api.ask(f"{{ {collection} {{ groups({arguments}) {{ {selection} }} }} }}").data
    found: list[Any] = data[collection.partition("(")[0]]["groups"]
    return found


def refusal(api: Api, arguments: str) -> tuple[str, str]:
    refused = api.ask(f"{{ postCollection {{ groups({arguments}) {{ aggregate {{ count }} }} }} }}")
    return refused.code, refused.message


# Results


def test_rows_are_grouped_by_a_column(api: Api) -> None:
    selection = "key { accountId title } aggregate { count sum { score } min { title } }"
    assert groups(api, "by: [{accountId: Value}]", selection) == [
        {
            "key": {"accountId": account, "title": None},
            "aggregate": {"count": count, "sum": {"score": score}, "min": least},
        }
        for account, count, score, least in ((1, 2, 5, {"title": "one"}), (2, 1, 7, {"title": "three"}))
    ]


def test_groups_cover_the_filtered_collection_regardless_of_pages(api: Api) -> None:
    for collection, expected in (
        ('postCollection(filter: {title: {neq: "two"}}, first: 1)', [1, 1]),
        ("postCollection(first: 0)", [2, 1]),
        ('postCollection(filter: {title: {eq: "none"}})', []),
    ):
        found = groups(api, "by: [{accountId: Value}]", "aggregate { count }", collection)
        assert [each["aggregate"]["count"] for each in found] == expected


def test_rows_are_grouped_by_related_rows(api: Api) -> None:
    found = groups(api, "by: [{account: {name: Value}}]", "key { account { name email } } aggregate { count }")
    assert found == [
        {"key": {"account": {"name": "Ann", "email": None}}, "aggregate": {"count": 2}},
        {"key": {"account": {"name": "Ben", "email": None}}, "aggregate": {"count": 1}},
    ]


def test_related_rows_that_are_absent(own_api: Api, postgres: PostgresServer) -> None:
    aggregate = '@graphql({"aggregate": {"enabled": true}})'
    changed(postgres, own_api, f"comment on table comment is '{aggregate}'")
    selection = "key { id account { name } post { account { name } } } aggregate { count }"
    by = "by: [{account: {name: Value}}, {post: {account: {name: Value}}}]"
    assert groups(own_api, by, selection, "commentCollection") == [
        {"key": {"id": None, "account": {"name": name}, "post": {"account": {"name": of}}}, "aggregate": {"count": 1}}
        for name, of in (("Ann", "Ben"), ("Ben", "Ann"), (None, "Ann"))
    ]
    only = groups(own_api, "by: [{id: Value}], first: 1", "key { account { name } }", "commentCollection")
    assert only == [{"key": {"account": None}}]


def test_nested_collections_have_groups(api: Api) -> None:
    query = """query ($order: [PostGroupOrderBy!]) { accountCollection { edges { node {
      postCollection { groups(by: [{title: Value}], orderBy: $order) { key { title } } } } } } }"""
    found = api.ask(query, {"order": [{"key": {"title": "DescNullsLast"}}]}).data["accountCollection"]["edges"]
    titles = [[each["key"]["title"] for each in edge["node"]["postCollection"]["groups"]] for edge in found]
    assert titles == [["two", "one"], ["three"], []]


def test_groups_stand_beside_other_fields(api: Api) -> None:
    query = """query ($by: [PostGroupBy!]!, $least: Int) { postCollection(first: 1) { edges { node { id } }
      aggregate { count } groups(by: $by, having: {count: {gte: $least}}) { __typename key { __typename } } } }"""
    found = api.ask(query, {"by": [{"accountId": "Value"}], "least": 2}).data["postCollection"]
    assert found["edges"] == [{"node": {"id": 1}}]
    assert found["groups"] == [{"__typename": "PostGroup", "key": {"__typename": "PostGroupKey"}}]
    assert len(api.ask(query, {"by": [{"accountId": "Value"}], "least": 1}).data["postCollection"]["groups"]) == 2


@pytest.mark.parametrize(
    ("unit", "starts"),
    [
        ("Month", ["2026-01-01T00:00:00+00:00"]),
        ("Day", ["2026-01-10T00:00:00+00:00", "2026-01-20T00:00:00+00:00", "2026-01-31T00:00:00+00:00"]),
        ("Year", ["2026-01-01T00:00:00+00:00"]),
        ("Quarter", ["2026-01-01T00:00:00+00:00"]),
        ("Week", ["2026-01-05T00:00:00+00:00", "2026-01-19T00:00:00+00:00", "2026-01-26T00:00:00+00:00"]),
        ("Hour", ["2026-01-10T00:00:00+00:00", "2026-01-20T00:00:00+00:00", "2026-01-31T23:00:00+00:00"]),
    ],
)
def test_times_are_grouped_by_units(api: Api, unit: str, starts: list[str]) -> None:
    found = groups(api, f'by: [{{createdAt: {unit}}}], timeZone: "UTC"', "key { createdAt }")
    made = [datetime.fromisoformat(each["key"]["createdAt"]) for each in found]
    assert made == [datetime.fromisoformat(each) for each in starts]


def test_a_zone_decides_where_days_begin(api: Api) -> None:
    found = groups(api, 'by: [{createdAt: Month}], timeZone: "Europe/Zurich"', "key { createdAt } aggregate { count }")
    made = [(datetime.fromisoformat(each["key"]["createdAt"]), each["aggregate"]["count"]) for each in found]
    assert made == [
        (datetime.fromisoformat("2025-12-31T23:00:00+00:00"), 2),
        (datetime.fromisoformat("2026-01-31T23:00:00+00:00"), 1),
    ]
    assert refusal(api, 'by: [{createdAt: Month}], timeZone: "Nowhere"')[1] == 'time zone "Nowhere" not recognized'


def test_dates_and_times_without_a_zone_ignore_the_time_zone(api: Api) -> None:
    for zone in ("", ', timeZone: "Asia/Tokyo"'):
        found = groups(api, f"by: [{{day: Month}}]{zone}", "key { day } aggregate { count }")
        assert [(each["key"]["day"], each["aggregate"]["count"]) for each in found] == [
            ("2026-01-01", 2),
            ("2026-02-01", 1),
        ]
        found = groups(api, f"by: [{{at: Hour}}]{zone}", "key { at } aggregate { count }")
        assert [(each["key"]["at"], each["aggregate"]["count"]) for each in found] == [
            ("2026-01-10T10:00:00", 2),
            (None, 1),
        ]


def test_having_filters_groups(api: Api) -> None:
    by = "by: [{accountId: Value}]"
    for having, expected in (
        ("{count: {gt: 1}}", [1]),
        ('{sum: {score: {gte: "6"}}}', [2]),
        ('{avg: {score: {lt: "6"}}, count: {eq: 2}}', [1]),
        # It narrows the aggregate, not the group.
        ('{filter: {title: {eq: "two"}}, count: {eq: 0}}', [2]),
        ('{filter: {title: {eq: "two"}}, count: {eq: 1}}', [1]),
        ('{filter: {title: {eq: "two"}}, sum: {score: {gte: "0"}}}', []),
        ("{filter: {commentCollection: {exists: true}}, count: {eq: 1}}", [1, 2]),
        ('{filter: {title: {eq: "two"}}}', [1, 2]),
        ("{}", [1, 2]),
        ("null", [1, 2]),
        ("{count: null, filter: null}", [1, 2]),
    ):
        found = groups(api, f"{by}, having: {having}", "key { accountId } aggregate { count }")
        assert [each["key"]["accountId"] for each in found] == expected, having
    (only,) = groups(
        api, f'{by}, having: {{filter: {{title: {{eq: "two"}}}}, count: {{eq: 1}}}}', "aggregate { count }"
    )
    assert only["aggregate"]["count"] == 2


def test_groups_have_orders_and_pages(api: Api) -> None:
    by = "by: [{title: Value}, {accountId: Value}]"
    for arguments, expected in (
        ("", ["one", "three", "two"]),
        ("orderBy: [{key: {title: DescNullsLast}}]", ["two", "three", "one"]),
        ("orderBy: [{sum: {score: DescNullsLast}}]", ["three", "one", "two"]),
        ("orderBy: [{sum: {score: DescNullsFirst}}]", ["two", "three", "one"]),
        ("orderBy: [{count: AscNullsLast}, {key: {accountId: DescNullsLast}}]", ["three", "one", "two"]),
        ("orderBy: [{count: AscNullsLast}, {}, {key: null}, {key: {title: null}}]", ["one", "three", "two"]),
        ("first: 2", ["one", "three"]),
        ("first: 1, offset: 1", ["three"]),
        ("offset: 2", ["two"]),
        ("first: 0", []),
    ):
        found = groups(api, f"{by} {arguments}", "key { title }")
        assert [each["key"]["title"] for each in found] == expected, arguments


def test_groups_are_limited_to_a_page(own_api: Api, postgres: PostgresServer) -> None:
    limited = """'@graphql({"aggregate": {"enabled": true}, "max_rows": 2})'"""
    changed(postgres, own_api, f"comment on table post is {limited}")
    for arguments in ("", ", first: 3"):
        assert len(groups(own_api, f"by: [{{title: Value}}]{arguments}", "key { title }")) == 2


def test_lists_can_be_grouped_by_and_json_cannot(api: Api) -> None:
    found = groups(api, "by: [{tags: Value}]", "key { tags } aggregate { count }")
    assert found == [
        {"key": {"tags": ["a"]}, "aggregate": {"count": 2}},
        {"key": {"tags": None}, "aggregate": {"count": 1}},
    ]
    assert "data" not in members(printed(api), "PostGroupBy")


def test_further_aggregates_are_computed(api: Api) -> None:
    query = """{ postCollection { aggregate { countDistinct { accountId score tags } stddev { score }
        variance { score id } } }
      accountCollection { aggregate { boolAnd { flag } boolOr { flag } } } }"""
    data = api.ask(query).data
    assert data["postCollection"]["aggregate"] == {
        "countDistinct": {"accountId": 2, "score": 2, "tags": 1},
        "stddev": {"score": pytest.approx(1.4142135)},
        "variance": {"score": 2, "id": 1},
    }
    assert data["accountCollection"]["aggregate"] == {"boolAnd": {"flag": False}, "boolOr": {"flag": True}}
    found = groups(api, "by: [{accountId: Value}]", "aggregate { countDistinct { score } }")
    assert [each["aggregate"]["countDistinct"]["score"] for each in found] == [1, 1]


# Types


def test_groups_have_the_expected_members(api: Api) -> None:
    sdl = printed(api)
    columns = ["id", "accountId", "title", "score", "createdAt", "day", "at", "tags"]
    assert members(sdl, "PostGroupBy") == [*columns, "account"]
    assert members(sdl, "PostGroupKey") == [*columns, "account"]
    assert members(sdl, "PostGroupKeyOrderBy") == [*columns, "account"]
    assert members(sdl, "PostGroup") == ["key", "aggregate"]
    assert members(sdl, "PostGroupOrderBy") == ["key", "count", "sum", "avg", "min", "max"]
    assert members(sdl, "AccountGroupBy") == ["id", "email", "name", "flag"]
    assert members(sdl, "GroupBy") == ["Value"]
    assert members(sdl, "DateGroupBy") == ["Value", "Hour", "Day", "Week", "Month", "Quarter", "Year"]
    assert members(sdl, "PostAggregate") == ["count", "sum", "avg", "min", "max", "countDistinct", "stddev", "variance"]
    assert members(sdl, "AccountAggregate")[-2:] == ["boolAnd", "boolOr"]
    assert members(sdl, "PostCountDistinct") == columns
    assert "  accountId: GroupBy\n" in sdl
    assert "  createdAt: DateGroupBy\n" in sdl
    assert "type PostGroup {\n  key: PostGroupKey!\n  aggregate: PostAggregate!\n}" in sdl
    assert "groups(" not in sdl[sdl.index("type CommentConnection ") :].partition("}")[0]


@pytest.mark.parametrize(
    ("dialect", "features"), [("standard", ("-groups",)), ("pg_graphql", ("all",))], ids=["off", "pg_graphql"]
)
def test_groups_do_not_exist_without_the_feature(
    reading_api: StartApi, dialect: str, features: tuple[str, ...]
) -> None:
    sdl = printed(reading_api(SCHEMA + ROWS, graphql_dialect=dialect, graphql_features=features))
    assert "Group" not in sdl
    assert members(sdl, "PostAggregate") == ["count", "sum", "avg", "min", "max"]


def test_taken_names_are_left_to_their_owner(start_api: StartApi) -> None:
    api = start_api(
        """create table day (id int primary key, at date); create table "dayGroup" (id int primary key);
        create table "GroupBy" (id int primary key);
        comment on table day is '@graphql({"aggregate": {"enabled": true}})';
        insert into day values (1, '2026-01-02'); grant select on all tables in schema public to anon"""
    )
    sdl = printed(api)
    assert members(sdl, "GroupBy") == ["nodeId", "id"]
    assert members(sdl, "GroupBy_") == ["Value"]
    assert members(sdl, "dayGroup") == ["nodeId", "id"]
    assert members(sdl, "dayGroup_") == ["key", "aggregate"]
    assert members(sdl, "dayGroupBy") == ["id", "at"]
    found = groups(api, "by: [{at: Year}]", "key { at } aggregate { count }", "dayCollection")
    assert found == [{"key": {"at": "2026-01-01"}, "aggregate": {"count": 1}}]


# Rights


def test_only_readable_columns_can_be_grouped_by(own_api: Api, postgres: PostgresServer) -> None:
    changed(postgres, own_api, "revoke select on account from anon; grant select (id, email) on account to anon")
    assert members(printed(own_api), "AccountGroupBy") == ["id", "email"]
    changed(postgres, own_api, "revoke select (id) on account from anon")
    assert "account" not in members(printed(own_api), "PostGroupBy")
    changed(postgres, own_api, "revoke select on post from anon; grant select (id, title) on post to anon")
    sdl = printed(own_api)
    for name in ("PostGroupBy", "PostGroupKey", "PostGroupKeyOrderBy", "PostCountDistinct"):
        assert members(sdl, name) == ["id", "title"]
    assert len(groups(own_api, "by: [{title: Value}]", "key { title } aggregate { count }")) == 3
    changed(postgres, own_api, "revoke select (id, title) on post from anon; grant select (data) on post to anon")
    assert "PostGroup" not in printed(own_api)


def test_a_hidden_row_counts_as_absent(own_api: Api, postgres: PostgresServer) -> None:
    changed(
        postgres,
        own_api,
        """alter table account enable row level security; create policy a on account using (name = 'Ann');
        alter table post enable row level security; create policy p on post using (title <> 'two')""",
    )
    found = groups(own_api, "by: [{account: {name: Value}}]", "key { account { name } } aggregate { count }")
    assert [(each["key"]["account"]["name"], each["aggregate"]["count"]) for each in found] == [("Ann", 1), (None, 1)]
    found = groups(own_api, "by: [{accountId: Value}], having: {count: {gt: 1}}", "key { accountId }")
    assert found == []


# Refused requests


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("by: []", "by names no column. For aggregates of all matching rows select the field aggregate"),
        (
            "by: [{}, {account: {}}, {title: null}]",
            "by names no column. For aggregates of all matching rows select the field aggregate",
        ),
        ("by: [{title: Value, id: Value}]", "An element of by names one column: [{title: ...}, {id: ...}]"),
        ("by: [{account: {name: Value, id: Value}}]", "An element of by names one column: [{name: ...}, {id: ...}]"),
        ("by: [{createdAt: Year}, {createdAt: Month}]", "by names createdAt more than once"),
        ("by: [{account: {id: Value}}, {account: {id: Value}}]", "by names account.id more than once"),
        ("by: [{id: Value}], orderBy: [{key: {title: AscNullsLast}}]", "orderBy names title, which is not in by"),
        ("by: [{id: Value}], first: -1", "`first` must be an unsigned integer"),
        ("by: [{id: Value}], offset: -1", "`offset` must be an unsigned integer"),
        (
            "by: [{id: Value}], orderBy: [{count: AscNullsLast, key: {id: AscNullsLast}}]",
            "An element of orderBy names one column: [{count: ...}, {key: ...}]",
        ),
    ],
)
def test_invalid_arguments_are_refused(api: Api, arguments: str, message: str) -> None:
    assert refusal(api, arguments) == ("BAD_USER_INPUT", message)


def test_limits_of_groups_are_enforced(api: Api) -> None:
    columns = ["id", "title", "score", "day", "at", "tags"]
    by = ", ".join(f"{{{each}: Value}}" for each in columns)
    assert refusal(api, f"by: [{by}]") == ("LIMIT_EXCEEDED", "by names more than 5 columns")
    query = """query ($o: [PostGroupOrderBy!]) { postCollection {
      groups(by: [{title: Value}], orderBy: $o) { key { title } } } }"""
    assert len(api.ask(query, {"o": [{"count": "AscNullsLast"}] * 50}).data["postCollection"]["groups"]) == 3
    refused = api.ask(query, {"o": [{"count": "AscNullsLast"}] * 51})
    assert (refused.code, refused.message) == ("LIMIT_EXCEEDED", "orderBy of groups has more than 50 elements")


def test_nodes_are_those_of_the_groups(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA + ROWS, node_limit=250)
    query = "{ postCollection(first: %s) { groups(by: [{title: Value}], first: 50) { key { title } } } }"
    assert api.ask(query % 100).data
    refused = reading_api(SCHEMA + ROWS, node_limit=149).ask(query % 100)
    assert refused.message == "The operation may return 150 rows, more than 149 (NODE_LIMIT)"


def test_an_order_of_too_many_steps_is_refused(start_api: StartApi) -> None:
    tables = "; ".join(f"create table t{k} (id int primary key references t{k - 1})" for k in range(1, 7))
    api = start_api(
        f"""create table t0 (id int primary key); {tables}; grant select on all tables in schema public to anon;
        comment on table t6 is '@graphql({{"aggregate": {{"enabled": true}}}})'"""
    )
    query = "{ t6Collection { groups(by: [{t5: {t4: {t3: {t2: %s}}}}]) { aggregate { count } } } }"
    assert api.ask(query % "{id: Value}").data
    refused = api.ask(query % "{t1: {id: Value}}")
    assert refused.code == "LIMIT_EXCEEDED"
    assert refused.message == "An element of by follows more than 4 relationships to one row"


# Against plain SQL

KEYS = {
    "{accountId: Value}": ("p.account_id", "accountId"),
    "{title: Value}": ("p.title", "title"),
    "{score: Value}": ("p.score", "score"),
    "{day: Month}": ("date_trunc('month', p.day::timestamp)::date", "day"),
    "{account: {name: Value}}": ("a.name", "account { name }"),
}
HAVING = {
    "": "true",
    "{count: {gt: 1}}": "count(*) > 1",
    '{sum: {score: {lte: "2"}}}': "sum(p.score) <= 2",
    '{filter: {title: {eq: "x"}}, count: {lt: 2}}': "count(*) filter (where p.title = 'x') < 2",
    '{filter: {account: {name: {eq: "x"}}}, max: {score: {gte: "1"}}}': "max(p.score) filter (where a.name = 'x') >= 1",
}
ORDERS = {
    "": "",
    "{count: DescNullsLast}": "count(*) desc,",
    "{sum: {score: AscNullsFirst}}": "sum(p.score) asc nulls first,",
}
NAMES = st.sampled_from(["x", "y"])
SCORES = st.one_of(st.none(), st.integers(0, 2))
POSTS = st.lists(st.tuples(st.integers(0, 2), NAMES, SCORES, st.sampled_from([None, 1, 40])), max_size=10)


@pytest.mark.parametrize("hides", [False, True], ids=["all rows", "hidden rows"])
def test_groups_equal_those_of_sql(reading_api: StartApi, hides: bool) -> None:
    policy = "alter table account enable row level security; create policy a on account using (id > 0);"
    api = reading_api(SCHEMA + (policy if hides else ""))
    database = connect(api.database_url)

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        st.lists(st.one_of(st.none(), NAMES), min_size=3, max_size=3),
        POSTS,
        st.lists(st.sampled_from([*KEYS]), min_size=1, max_size=3, unique=True),
        st.sampled_from([*HAVING]),
        st.sampled_from([*ORDERS]),
    )
    def check(names: list[Any], posts: list[Any], by: list[str], having: str, order: str) -> None:
        inserts = ["truncate account cascade"]
        inserts += [
            f"insert into account values ({k}, '{k}', {'null' if name is None else repr(name)})"
            for k, name in enumerate(names)
        ]
        inserts += [
            f"""insert into post (id, account_id, title, score, day) values ({k}, {account}, '{title}',
            {"null" if score is None else score}, date '2026-01-01' + {"null::int" if day is None else day})"""
            for k, (account, title, score, day) in enumerate(posts)
        ]
        database.execute_simple("; ".join(inserts))
        keys = [KEYS[each][0] for each in by]
        shown = ", ".join(f"({key})::text" for key in keys)
        rows = database.execute_simple(
            f"""set role anon; select {shown}, count(*)::text from post p left join account a on a.id = p.account_id
            group by {", ".join(keys)} having {HAVING[having]}
            order by {ORDERS[order]} {", ".join(f"{key} nulls last" for key in keys)}"""
        ).rows
        database.execute_simple("reset role")
        arguments = f"by: [{', '.join(by)}]"
        arguments += f", having: {having}" if having else ""
        arguments += f", orderBy: [{order}]" if order else ""
        found = groups(api, arguments, f"key {{ {' '.join(KEYS[each][1] for each in by)} }} aggregate {{ count }}")
        assert [row(each, by) for each in found] == [[*each] for each in rows or []], arguments

    def row(group: Any, by: list[str]) -> list[str | None]:
        values = [group["key"]["account"]["name"] if "name" in each else group["key"][KEYS[each][1]] for each in by]
        texts = [None if value is None else str(value) for value in values]
        return [*texts, json.dumps(group["aggregate"]["count"])]

    try:
        check()
    finally:
        database.close()
