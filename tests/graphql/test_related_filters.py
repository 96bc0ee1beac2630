"""Filters by related rows: members, rights, hidden rows, limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphql import print_type, validate_schema

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.test_operators import without_descriptions

SCHEMA = (Path(__file__).parent / "snapshot" / "cases" / "related_filters" / "schema.sql").read_text()

SDL = """
input PostFilter {
  id: IntFilter
  accountId: IntFilter
  title: StringFilter
  score: BigFloatFilter
  createdAt: DatetimeFilter
  nodeId: IDFilter
  and: [PostFilter!]
  or: [PostFilter!]
  not: PostFilter
  account: AccountFilter
  accountExists: Boolean
  commentCollection: CommentManyFilter
}
input CommentManyFilter {
  some: CommentFilter
  none: CommentFilter
  every: CommentFilter
  exists: Boolean
  aggregate: CommentAggregateFilter
}
input CommentAggregateFilter {
  filter: CommentFilter
  count: IntFilter
  sum: CommentSumFilter
  avg: CommentAvgFilter
  min: CommentMinFilter
  max: CommentMaxFilter
}
input CommentSumFilter {
  id: BigIntFilter
  postId: BigIntFilter
  accountId: BigIntFilter
}
input CommentAvgFilter {
  id: BigFloatFilter
  postId: BigFloatFilter
  accountId: BigFloatFilter
}
input CommentMinFilter {
  id: IntFilter
  postId: IntFilter
  accountId: IntFilter
  body: StringFilter
}
input MembershipAggregateFilter {
  filter: MembershipFilter
  count: IntFilter
}
"""


def schema_of(api: Api, role: str = "anon") -> Any:
    schema = api.application.services.engine.role_schemas.of_role(role).graphql
    assert validate_schema(schema) == []
    return schema


def members(api: Api, type_: str, role: str = "anon") -> list[str]:
    found = schema_of(api, role).type_map.get(type_)
    return list(found.fields) if found else []


def ids(api: Api, relation: str, filter_: Any, **options: Any) -> list[int]:
    name = relation.lower()
    query = f"query ($f: {relation}Filter) {{ {name}Collection(filter: $f) {{ edges {{ node {{ id }} }} }} }}"
    return [each["node"]["id"] for each in api.ask(query, {"f": filter_}, **options).data[f"{name}Collection"]["edges"]]


def test_related_filters_have_their_types(reading_api: StartApi) -> None:
    types = schema_of(reading_api(SCHEMA)).type_map
    for expected in SDL.strip().split("\n}\n"):
        name = expected.split()[1]
        assert without_descriptions(print_type(types[name])) == f"{expected.removesuffix('}').rstrip()}\n}}"


@pytest.mark.parametrize(
    "options", [{"graphql_features": "-relation_filters,-groups"}, {"graphql_dialect": "pg_graphql"}]
)
def test_no_related_filters_exist_without_the_feature(reading_api: StartApi, options: dict[str, str]) -> None:
    types = schema_of(reading_api(SCHEMA, **options)).type_map
    assert list(types["PostFilter"].fields)[-3:] == ["and", "or", "not"]
    assert [name for name in types if "ManyFilter" in name or "AggregateFilter" in name] == []
    assert "fullName" not in types["AccountFilter"].fields


def test_no_related_filters_exist_without_relationships(reading_api: StartApi) -> None:
    assert members(reading_api(SCHEMA, disabled_plugins=("relationships",)), "PostFilter")[-1] == "not"


def test_self_references_can_be_filtered_in_both_directions(reading_api: StartApi) -> None:
    api = reading_api("""
        create table part (id int primary key, part_id int references part, label text);
        insert into part values (1, null, 'a'), (2, 1, 'b'), (3, 2, 'c');
        create table page (id int primary key, part int);
        create view part_view as select * from page;
        comment on view part_view is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{
          "local_columns": ["part"], "foreign_schema": "public", "foreign_table": "part", "foreign_columns": ["id"],
          "foreign_name": "of", "local_name": "pages"}]})';
        insert into page values (1, 1), (2, 7);
        comment on schema public is '@graphql({"inflect_names": true})';
        grant select on part, part_view to anon;
    """)
    assert ids(api, "Part", {"part": {"part": {"label": {"eq": "a"}}}}) == [3]
    assert ids(api, "Part", {"partCollection": {"some": {"partCollection": {"exists": True}}}}) == [1]
    assert ids(api, "Part", {"pages": {"exists": True}}) == [1]
    query = "query ($f: PartViewFilter) { partViewCollection(filter: $f) { edges { node { id } } } }"
    for filter_, found in (({"of": {"label": {"eq": "a"}}}, 1), ({"ofExists": False}, 2)):
        assert api.ask(query, {"f": filter_}).data["partViewCollection"]["edges"] == [{"node": {"id": found}}]


def test_related_filters_are_never_unknown(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    for filter_ in (
        {"account": {"name": {"eq": "Ann"}}},
        {"account": {"hits": {"eq": None}}},
        {"account": {"postCollection": {"aggregate": {"sum": {"score": {"gt": "0"}}}}}},
        {"account": {"postCollection": {"every": {"score": {"lt": None}}}}},
    ):
        found, others = ids(api, "Comment", filter_), ids(api, "Comment", {"not": filter_})
        assert sorted(found + others) == [1, 2, 3]


def test_related_filters_work_in_every_place(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """
        create function old_posts() returns setof post stable language sql as 'select * from post';
        create function drafts(account) returns setof post stable language sql
          as 'select * from post where account_id = $1.id';
    """
    )
    answer = api.ask("""{
      oldPosts(filter: {commentCollection: {exists: true}}) { edges { node { id } } }
      accountCollection(first: 1) {
        aggregate { count }
        edges { node {
          drafts(filter: {commentCollection: {exists: false}}) { edges { node { id } } }
          postCollection(filter: {account: {email: {eq: "a@x"}}, commentCollection: {exists: true}}) {
            totalCount aggregate { count } pageInfo { hasNextPage } edges { cursor node { id } }
          }
        } }
      }
    }""").data
    assert [each["node"]["id"] for each in answer["oldPosts"]["edges"]] == [1, 3]
    node = answer["accountCollection"]["edges"][0]["node"]
    assert [each["node"]["id"] for each in node["drafts"]["edges"]] == [2]
    posts = node["postCollection"]
    assert (posts["totalCount"], posts["aggregate"], len(posts["edges"])) == (1, {"count": 1}, 1)


def test_a_computed_field_is_in_the_filter_with_its_comment(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """
        create function shouted(account) returns text stable language sql as 'select upper($1.name)';
        create function lucky(account) returns int volatile language sql as 'select 7';
        create function parts(account) returns text[] stable language sql as 'select array[$1.name]';
        create function friends(account) returns setof account stable language sql as 'select * from account';
        create function grown(account) returns bigint immutable language sql as 'select $1.hits + 10';
        create function email(account) returns text stable language sql as 'select ''other''';
        comment on function lucky is '@graphql({"filter": true})';
        comment on function parts is '@graphql({"filter": true})';
        comment on function friends is '@graphql({"filter": true})';
        comment on function grown is '@graphql({"filter": true, "name": "older"})';
        comment on function email is '@graphql({"filter": true})';
    """
    )
    fields = members(api, "AccountFilter")
    assert [name for name in fields[fields.index("not") + 1 :] if "Collection" not in name] == [
        "profile", "profileExists", "fullName", "older", "data"
    ]  # fmt: skip
    assert ids(api, "Account", {"older": {"gt": "10"}}) == []
    assert ids(api, "Account", {"older": {"eq": "10"}, "fullName": {"not": {"eq": "BEN"}}}) == [1]
    notices = [*api.application.services.engine.role_schemas.of_role("anon").notices]
    left_out = {each.subject: each.reason for each in notices if "it is not in the filter" in each.reason}
    assert left_out == {
        "function public.friends": "it is not in the filter: it returns rows of public.account, not one value",
        "function public.parts": "it is not in the filter: it returns text[], a type without operators",
    }
    assert [each.subject for each in notices if "it is volatile" in each.reason] == ["function public.lucky"]
    assert [each.subject for each in notices if "called email" in each.reason][-1:] == ["table public.account"]


RIGHTS = """
revoke all on all tables in schema public from anon;
grant select on account, post, comment, profile to anon;
"""


@pytest.mark.parametrize(
    ("taken", "type_", "gone"),
    [
        ("revoke select on account from anon", "PostFilter", {"account", "accountExists"}),
        ("revoke select on account from anon; grant select (name) on account to anon", "PostFilter",
         {"account", "accountExists"}),
        ("revoke select on comment from anon; grant select (id, body) on comment to anon", "PostFilter",
         {"commentCollection"}),
        ("revoke select on post from anon; grant select (id, title) on post to anon", "PostFilter",
         {"accountId", "score", "createdAt", "account", "accountExists"}),
        ("revoke select on comment from anon; grant select (id, post_id) on comment to anon", "CommentMinFilter",
         {"accountId", "body"}),
        ("revoke select on account from anon; grant select (id, name) on account to anon", "AccountFilter",
         {"email", "hits", "tags", "fullName", "data"}),
        ("revoke execute on function full_name(account) from public", "AccountFilter", {"fullName"}),
    ],
)  # fmt: skip
def test_a_member_needs_its_privilege(start_api: StartApi, taken: str, type_: str, gone: set[str]) -> None:
    before = members(start_api(SCHEMA + RIGHTS), type_)
    after = members(start_api(SCHEMA + RIGHTS + taken), type_)
    assert set(before) - set(after) == gone
    assert gone <= set(before)


HIDDEN = """
alter table post enable row level security;
alter table account enable row level security;
create policy some_posts on post to anon using (id <> 3);
create policy some_accounts on account to anon using (id <> 2);
"""


@pytest.mark.parametrize(
    ("relation", "filter_", "seen", "all_"),
    [
        ("Comment", {"accountExists": True}, [3], [1, 3]),
        ("Comment", {"accountExists": False}, [1, 2], [2]),
        ("Comment", {"account": {"email": {"eq": "b@x"}}}, [], [1]),
        ("Comment", {"not": {"account": {"email": {"eq": "b@x"}}}}, [1, 2, 3], [2, 3]),
        ("Comment", {"post": {"score": {"eq": "7"}}}, [], [3]),
        ("Account", {"postCollection": {"exists": True}}, [1], [1, 2]),
        ("Account", {"postCollection": {"every": {"score": {"lt": "6"}}}}, [3], [3]),
        ("Account", {"postCollection": {"aggregate": {"sum": {"score": {"gte": "7"}}}}}, [], [2]),
        ("Account", {"postCollection": {"aggregate": {"count": {"eq": 0}}}}, [3], [3]),
    ],
)
def test_a_hidden_row_does_not_exist(
    reading_api: StartApi, relation: str, filter_: Any, seen: list[int], all_: list[int]
) -> None:
    api = reading_api(SCHEMA + HIDDEN + "grant select on all tables in schema public to service_role")
    assert ids(api, relation, filter_) == seen
    assert ids(api, relation, filter_, role="service_role") == all_


@pytest.mark.parametrize(
    ("limit", "options"), [(8, {}), (2, {"filter_depth_limit": 2}), (0, {"filter_depth_limit": 0})]
)
def test_the_depth_of_a_filter_is_limited(reading_api: StartApi, limit: int, options: dict[str, int]) -> None:
    api = reading_api(SCHEMA, **options)
    for depth in (limit, limit + 1):
        # From post to comment and back.
        filter_: dict[str, Any] = {"id": {"gte": 0}}
        for step in range(depth):
            filter_ = {"post": filter_} if step % 2 == 0 else {"commentCollection": {"some": filter_}}
        name = "Comment" if depth % 2 else "Post"
        query = f"query ($f: {name}Filter) {{ {name.lower()}Collection(filter: $f) {{ edges {{ node {{ id }} }} }} }}"
        answer = api.ask(query, {"f": filter_})
        if depth == limit:
            assert answer.data[f"{name.lower()}Collection"]["edges"]
        else:
            assert (answer.code, "FILTER_DEPTH_LIMIT" in answer.message) == ("LIMIT_EXCEEDED", True)


def test_the_steps_of_the_filters_of_a_statement_are_limited(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    query = "query ($f: [PostFilter!]) { postCollection(filter: {or: $f}) { edges { node { id } } } }"
    step = {"account": {"id": {"gte": 0}}}
    assert len(api.ask(query, {"f": [step] * 50}).data["postCollection"]["edges"]) == 3
    answer = api.ask(query, {"f": [step] * 51})
    assert (answer.code, "more than 50 times" in answer.message) == ("LIMIT_EXCEEDED", True)
    half = f"postCollection(filter: {{or: [{'{accountExists: true}' * 26}]}}) {{ edges {{ node {{ id }} }} }}"
    assert api.ask(f"{{ a: {half} }}").data
    assert api.ask(f"{{ a: {half} b: {half} }}").code == "LIMIT_EXCEEDED"


def test_a_taken_name_stays_with_its_owner(start_api: StartApi) -> None:
    api = start_api("""
        create table owner (id int primary key);
        create table thing (id int primary key, owner_id int references owner, "ownerExists" int);
        create table "thingMany" (id int primary key);
        create table "thingManyFilter" (id int primary key);
        grant select on all tables in schema public to anon;
    """)
    types = schema_of(api).type_map
    assert str(types["thingFilter"].fields["ownerExists"].type) == "IntFilter"
    assert str(types["ownerFilter"].fields["thingCollection"].type) == "thingManyFilter_"
    assert "thingManyFilter" in types
    reported = [each.reason for each in api.application.services.engine.role_schemas.of_role("anon").notices]
    assert (
        "of two filter fields called ownerExists one is left out; the directive `name` renames columns and functions"
        in reported
    )


FLIGHT = """{
  accountCollection(filter: {postCollection: {some: {account: {id: {eq: 1}}}, exists: true}}) { edges { node { id } } }
}"""


def test_a_related_filter_is_one_flight(start_api: StartApi) -> None:
    with counted(start_api(SCHEMA).database_url) as (api, proxy):
        api.ask(FLIGHT)
        before = proxy.flights
        assert api.ask(FLIGHT).data["accountCollection"]["edges"] == [{"node": {"id": 1}}]
        assert proxy.flights - before == 1
