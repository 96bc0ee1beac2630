"""Rights: what a role has no privilege on does not exist for it, nor in its printed schema."""

from __future__ import annotations

from typing import Any

import pytest

from app.commands.inspect import schema_sdl
from tests.graphql.api import SERVICE_KEY, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema extra;
create type mood as enum ('sad', 'happy');
create table thing (id int primary key, name text, mood mood, secret text);
create table other (id int primary key, thing_id int references thing);
create table extra.far (id int primary key);
comment on table thing is '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})';
create function shout(t thing) returns text language sql stable as $$ select upper(t.name) $$;
create function answer() returns int language sql stable as 'select 42';
create function change() returns int language sql volatile as 'select 1';
create function things() returns setof thing language sql stable as 'select * from thing';
grant usage on schema extra to anon;
revoke execute on all functions in schema public from public;
grant execute on all functions in schema public to anon;
revoke usage on type mood from public; grant usage on type mood to anon;
grant all on thing, other, extra.far to anon;
insert into thing values (1, 'one', 'sad', 'x');
"""


@pytest.fixture(params=["standard", "pg_graphql"])
def api(start_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return start_api(SCHEMA, graphql_dialect=request.param, api_schemas=("public", "extra"))


def printed(api: Api, role: str = "anon") -> str:
    """The output of ``portico schema print --role``, for a role that has made no request before."""
    services = api.application.services
    return "\n\n".join(schema_sdl(services.settings, services.plugins, role))


def members(sdl: str, type_: str) -> list[str]:
    """The names of the members of a type in a printed schema; [] if there is no such type."""
    for keyword in ("type", "input", "enum"):
        start = sdl.find(f"\n{keyword} {type_} ")
        if start >= 0:
            body = sdl[sdl.index("{", start) + 1 : sdl.index("\n}", start)]
            lines = [line for line in body.splitlines() if line.startswith("  ") and not line.startswith("   ")]
            names = [line.strip().split("(")[0].split(":")[0] for line in lines]
            return [name for name in names if name.isidentifier()]
    return []


def changed(postgres: PostgresServer, api: Api, sql: str) -> None:
    postgres.execute(sql, api.database_url)
    api.application.services.engine.schema_cache.refresh_if_changed()


ALL_MUTATIONS = {"insertIntothingCollection", "updatethingCollection", "deleteFromthingCollection"}
BY_KEY = {"updatethingByKey", "updatethingCollectionByKey", "deleteFromthingByKey"}

INSERT = 'mutation { insertIntothingCollection(objects: {id: 2, name: "n"}) { affectedCount } }'
UPDATE = 'mutation { updatethingCollection(set: {name: "u"}) { affectedCount } }'
DELETE = "mutation { deleteFromthingCollection { affectedCount } }"
READ = "{ thingCollection { edges { node { id } } } }"


def is_gone(api: Api, query: str, name: str) -> None:
    """Check that the query names something that does not exist for the role, and that nothing is half done."""
    answer = api.ask(query)
    assert answer.body.get("data") is None
    assert name in answer.errors[0]["message"]
    assert answer.errors[0]["extensions"]["code"] in ("GRAPHQL_VALIDATION_FAILED", "UNKNOWN_FIELD", "BAD_USER_INPUT")


@pytest.mark.parametrize(
    ("privilege", "query", "field", "types"),
    [
        ("insert", INSERT, "insertIntothingCollection", ["thingInsertInput", "thingInsertResponse"]),
        ("update", UPDATE, "updatethingCollection", ["thingUpdateInput", "thingUpdateResponse"]),
        ("delete", DELETE, "deleteFromthingCollection", ["thingDeleteResponse"]),
    ],
)
def test_a_revoked_privilege_to_write_removes_its_mutation(
    api: Api, postgres: PostgresServer, privilege: str, query: str, field: str, types: list[str]
) -> None:
    assert api.ask(query).data
    before = printed(api)
    assert field in members(before, "Mutation")
    assert all(members(before, type_) for type_ in types)
    changed(postgres, api, f"revoke {privilege} on thing from anon")
    is_gone(api, query, field)
    after = printed(api)
    assert ALL_MUTATIONS - set(members(after, "Mutation")) == {field}
    assert not any(members(after, type_) for type_ in types)
    changed(postgres, api, f"grant {privilege} on thing to anon")
    assert printed(api) == before


def test_a_revoked_privilege_to_read_removes_the_table(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "revoke select on thing from anon")
    sdl = printed(api)
    for query, name in (
        (READ, "thingCollection"),
        (INSERT, "insertIntothingCollection"),
        (DELETE, "deleteFromthingCollection"),
    ):
        is_gone(api, query, name)
    assert "thing" not in members(sdl, "Query")
    assert not ALL_MUTATIONS & set(members(sdl, "Mutation"))
    assert members(sdl, "thing") == []
    # The fields that lead to it are missing too: that of the foreign key, and the function that returns its rows.
    assert members(sdl, "other") == ["nodeId", "id", "thing_id"]
    assert "things" not in members(sdl, "Query")
    assert "otherCollection" in members(sdl, "Query")


def test_the_error_of_a_missing_field_names_the_role(start_api: StartApi) -> None:
    api = start_api("create table thing (id int primary key, name text); grant all on thing to authenticated")
    refused, user = api.ask(DELETE), {"sub": "ann", "role": "authenticated"}
    assert refused.errors[0]["extensions"]["hint"] == "The schema is that of the role anon."
    assert api.ask(DELETE, claims=user).data
    first, second = api.ask("{ nothing thingCollection { no } }", claims=user).errors
    assert first["extensions"]["hint"] == "The schema is that of the role authenticated."
    assert "hint" not in second["extensions"]


@pytest.mark.parametrize("field", ["totalCount", "aggregate { count }", "groups(by: [{id: Value}]) { key { id } }"])
def test_errors_name_the_comment_that_enables_a_field(start_api: StartApi, field: str) -> None:
    api = start_api(
        """create table thing (id int primary key, name text); create table other (id int primary key);
        comment on table other is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
        grant select on thing, other to anon"""
    )
    directive = "totalCount" if field == "totalCount" else "aggregate"
    reason = f"Enable {directive} by the relation's comment: docs/directives.md"
    first, second = api.ask(f"{{ thingCollection {{ {field} }} a: thingCollection {{ {field} nothing }} }}").errors[:2]
    assert first["extensions"]["hint"] == f"{reason}. The schema is that of the role anon."
    assert second["extensions"]["hint"] == reason
    refused = api.ask("{ otherCollection { nothing } thing: thingCollection { edges { totalCount } } }").errors
    assert [each["extensions"].get("hint") for each in refused] == ["The schema is that of the role anon.", None]
    assert api.ask(f"{{ otherCollection {{ {field} }} }}").data


def test_documents_are_validated_for_each_role(start_api: StartApi) -> None:
    api = start_api("create table thing (id int primary key, name text); grant all on thing to authenticated")
    query = "{ thingCollection { edges { node { name } } } }"
    refused = api.ask(query)
    assert api.ask(query, claims={"sub": "ann", "role": "authenticated"}).data
    assert api.ask(query).errors == refused.errors
    assert refused.errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


def test_select_on_columns_decides_about_fields(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "revoke select on thing from anon; grant select (id, name) on thing to anon")
    sdl = printed(api)
    # A computed field gets the whole row, so it needs the right to read all of it.
    assert members(sdl, "thing") == ["nodeId", "id", "name", "otherCollection"]
    of_dialect = {"standard": ["otherCollection"], "pg_graphql": []}[api.application.services.settings.graphql_dialect]
    assert members(sdl, "thingFilter") == ["id", "name", "nodeId", "and", "or", "not", *of_dialect]
    assert members(sdl, "thingOrderBy") == ["id", "name", *of_dialect]
    assert members(sdl, "thingMaxAggregateResult") == ["id", "name"]
    # Writing has grants of its own.
    assert members(sdl, "thingInsertInput") == ["id", "name", "mood", "secret", *of_dialect]
    is_gone(api, "{ thingCollection { edges { node { secret } } } }", "secret")
    is_gone(api, '{ thingCollection(filter: {secret: {eq: "x"}}) { edges { node { id } } } }', "secret")
    is_gone(api, 'mutation { updatethingCollection(set: {name: "u"}) { records { secret } } }', "secret")
    # Returning and counting rows needs no further rights.
    arguments = 'set: {secret: "new"}, filter: {id: {eq: 1}}'
    answer = api.ask(f"mutation {{ updatethingCollection({arguments}) {{ affectedCount records {{ name }} }} }}")
    assert answer.data["updatethingCollection"] == {"affectedCount": 1, "records": [{"name": "one"}]}
    assert postgres.execute("select secret from thing", api.database_url) == [["new"]]


def test_inputs_have_only_columns_that_the_role_may_write(api: Api, postgres: PostgresServer) -> None:
    changed(
        postgres,
        api,
        "revoke insert, update on thing from anon; grant insert (id, secret), update (name) on thing to anon",
    )
    sdl = printed(api)
    of_dialect = {"standard": ["otherCollection"], "pg_graphql": []}[api.application.services.settings.graphql_dialect]
    assert members(sdl, "thingInsertInput") == ["id", "secret", *of_dialect]
    assert members(sdl, "thingUpdateInput") == ["name"]
    is_gone(api, INSERT, "name")
    is_gone(api, 'mutation { updatethingCollection(set: {secret: "u"}) { affectedCount } }', "secret")
    inserted = api.ask(
        'mutation { insertIntothingCollection(objects: {id: 2, secret: "s"}) { records { id name secret } } }'
    )
    assert inserted.data["insertIntothingCollection"]["records"] == [{"id": 2, "name": None, "secret": "s"}]
    many = "mutation ($o: [thingInsertInput!]!) { insertIntothingCollection(objects: $o) { affectedCount } }"
    assert api.ask(many, {"o": [{"id": 3, "secret": "s"}, {"id": 4}]}).data
    updated = api.ask(
        'mutation { updatethingCollection(set: {name: "u"}, filter: {id: {eq: 2}}) { records { name } } }'
    )
    assert updated.data["updatethingCollection"]["records"] == [{"name": "u"}]
    changed(postgres, api, "revoke insert (id, secret), update (name) on thing from anon")
    assert not {"insertIntothingCollection", "updatethingCollection"} & set(members(printed(api), "Mutation"))


def test_an_empty_object_needs_insert_on_one_column(start_api: StartApi) -> None:
    api = start_api("""create table t (id serial primary key, hidden text default 'h', open text default 'o');
                        grant select on t to anon; grant insert (open) on t to anon;
                        grant usage on sequence t_id_seq to anon""")
    answer = api.ask("mutation { insertIntotCollection(objects: [{}, {}]) { records { id hidden open } } }")
    assert answer.data["insertIntotCollection"]["records"] == [
        {"id": id_, "hidden": "h", "open": "o"} for id_ in (1, 2)
    ]


@pytest.mark.parametrize(
    ("function", "query", "type_", "field"),
    [
        ("answer()", "{ answer }", "Query", "answer"),
        ("things()", "{ things { edges { node { id } } } }", "Query", "things"),
        ("change()", "mutation { change }", "Mutation", "change"),
        ("shout(thing)", "{ thingCollection { edges { node { shout } } } }", "thing", "shout"),
    ],
)
def test_a_function_without_execute_is_missing(
    api: Api, postgres: PostgresServer, function: str, query: str, type_: str, field: str
) -> None:
    assert api.ask(query).data
    assert field in members(printed(api), type_)
    changed(postgres, api, f"revoke execute on function {function} from anon")
    is_gone(api, query, field)
    assert field not in members(printed(api), type_)


def test_usage_of_a_schema_decides_about_its_tables(api: Api, postgres: PostgresServer) -> None:
    query = "{ farCollection { edges { node { id } } } }"
    assert api.ask(query).data
    changed(postgres, api, "revoke usage on schema extra from anon")
    is_gone(api, query, "farCollection")
    assert "far" not in printed(api)


def test_usage_of_an_enum_decides_about_its_type(api: Api, postgres: PostgresServer) -> None:
    assert members(printed(api), "mood") == ["sad", "happy"]
    changed(postgres, api, "alter table thing add column moods mood[]")
    assert "moods" in members(printed(api), "thing")
    changed(postgres, api, "revoke usage on type mood from anon")
    # The column keeps its type; an array of it is left out.
    sdl = printed(api)
    assert "mood" in members(sdl, "thing")
    assert "moods" not in members(sdl, "thing")
    assert api.ask("{ thingCollection { edges { node { mood } } } }").data == {
        "thingCollection": {"edges": [{"node": {"mood": "sad"}}]}
    }


def test_roles_see_what_is_theirs(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "grant select on thing to authenticated; grant all on thing to service_role")
    assert members(printed(api, "authenticated"), "Mutation") == []
    by_key = BY_KEY if api.application.services.settings.graphql_dialect == "standard" else set()
    assert set(members(printed(api, "service_role"), "Mutation")) == ALL_MUTATIONS | by_key
    assert api.ask(READ, role="authenticated").data
    assert api.ask(INSERT, role="authenticated").body.get("data") is None
    assert api.ask(INSERT, role="service_role").data


def test_inherited_rights_count(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api("""create table t (id int primary key);
      do $$ begin create role rights_group; create role rights_member inherit in role rights_group;
      exception when duplicate_object or unique_violation then null; end $$;
      grant rights_member to current_user; grant select, delete on t to rights_group""")
    assert members(printed(api, "rights_member"), "Mutation") == ["deleteFromtByKey", "deleteFromtCollection"]
    assert api.ask("mutation { deleteFromtCollection { affectedCount } }", role="rights_member").data == {
        "deleteFromtCollection": {"affectedCount": 0}
    }


VIEWS = """
create table base (id int primary key, a int);
create view simple as select id, a from base;
create view joined as select b.id, b.a from base b join base c using (id);
create view grouped as select a as id, count(*) as n from base group by a;
create view with_trigger as select a as id, count(*) as n from base group by a;
create view with_rule as select a as id, count(*) as n from base group by a;
create materialized view stored as select id, a from base;
create view read_only as select id, a from base offset 0;
create view half as select id, a, a * 2 as doubled from base;
create function into_base() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then insert into base values (new.id, new.n); return new; end if;
  if tg_op = 'UPDATE' then update base set a = new.n where a = old.id; return new; end if;
  delete from base where a = old.id; return old; end $$;
create trigger writes instead of insert or update or delete on with_trigger for each row execute function into_base();
create function n_of(a int) returns bigint language sql immutable as 'select a::bigint';
create rule writes as on insert to with_rule do instead insert into base values (new.id, new.n)
  returning id, n_of(a);
"""
VIEW_NAMES = ("simple", "joined", "grouped", "with_trigger", "with_rule", "read_only", "half")


def test_views_that_can_be_written_have_mutations(start_api: StartApi, postgres: PostgresServer) -> None:
    keys = "".join(
        f"""comment on view {name} is '@graphql({{"primary_key_columns": ["id"]}})';""" for name in VIEW_NAMES
    )
    stored = """comment on materialized view stored is '@graphql({"primary_key_columns": ["id"]})';"""
    api = start_api(VIEWS + keys + stored + "grant all on all tables in schema public to anon")
    mutations = members(printed(api), "Mutation")
    full = ["deleteFrom{}Collection", "insertInto{}Collection", "update{}Collection"]
    verbs = {name: sorted({each.format(name) for each in full} & set(mutations)) for name in (*VIEW_NAMES, "stored")}
    assert {name: len(fields) for name, fields in verbs.items()} == {
        "simple": 3, "half": 3, "with_trigger": 3, "with_rule": 1, "joined": 0, "grouped": 0, "read_only": 0,
        "stored": 0,
    }  # fmt: skip
    assert verbs["simple"] == [each.format("simple") for each in full]
    for name in ("simple", "half"):
        assert (
            api.ask(f"""mutation {{
          insertInto{name}Collection(objects: {{id: 1, a: 5}}) {{ affectedCount }}
          update{name}Collection(set: {{a: 6}}, filter: {{id: {{eq: 1}}}}) {{ records {{ a nodeId }} }}
        }}""").data[f"update{name}Collection"]["records"][0]["a"]
            == 6
        )
        assert api.ask(f"mutation {{ deleteFrom{name}Collection {{ records {{ id a }} }} }}").data == {
            f"deleteFrom{name}Collection": {"records": [{"id": 1, "a": 6}]}
        }
    assert members(printed(api), "halfInsertInput") == members(printed(api), "halfUpdateInput") == ["id", "a"]
    triggered = api.ask("""mutation {
      insertIntowith_triggerCollection(objects: [{id: 1, n: "5"}]) { affectedCount records { id n } }
      updatewith_triggerCollection(set: {n: "7"}, filter: {id: {eq: 5}}) { affectedCount records { n } } }""")
    assert triggered.data == {
        "insertIntowith_triggerCollection": {"affectedCount": 1, "records": [{"id": 1, "n": "5"}]},
        "updatewith_triggerCollection": {"affectedCount": 1, "records": [{"n": "7"}]},
    }
    assert postgres.execute("select * from base", api.database_url) == [[1, 7]]
    ruled = api.ask('mutation { insertIntowith_ruleCollection(objects: {id: 3, n: "4"}) { records { id n } } }')
    assert ruled.data["insertIntowith_ruleCollection"]["records"] == [{"id": 3, "n": "4"}]


def test_changes_that_a_rule_makes_impossible_have_no_mutation(start_api: StartApi) -> None:
    api = start_api("""
      create table noted (id int primary key, n int);
      create table log (id int);
      create rule notes as on update to noted do also insert into log values (new.id);
      create table switched_off (id int primary key, n int);
      create rule notes as on update to switched_off do also insert into log values (new.id);
      alter table switched_off disable rule notes;
      create table filtered (id int primary key, n int);
      create rule refuses as on insert to filtered where new.n < 0 do instead nothing;
      create table kept (id int primary key, n int);
      create rule keeps as on delete to kept do instead nothing;
      create view silent as select count(*)::int as id, 1 as n from noted;
      create rule writes as on insert to silent do instead insert into noted values (new.id, new.n);
      comment on view silent is '@graphql({"primary_key_columns": ["id"]})';
      create table led (id int primary key, n int);
      create rule leads as on insert to led do instead insert into noted values (new.id, new.n) returning noted.*;
      grant all on all tables in schema public to anon""")
    mutations = members(printed(api), "Mutation")
    names = ("noted", "switched_off", "filtered", "kept", "silent", "led")
    of = {"I": "insertInto{}Collection", "U": "update{}Collection", "D": "deleteFrom{}Collection"}
    verbs = {name: "".join(verb for verb, field in of.items() if field.format(name) in mutations) for name in names}
    assert verbs == {
        "noted": "ID", "switched_off": "IUD", "filtered": "UD", "kept": "IU", "silent": "", "led": "IUD"
    }  # fmt: skip
    led = api.ask("mutation { insertIntoledCollection(objects: {id: 3, n: 4}) { records { id n } } }")
    assert led.data == {"insertIntoledCollection": {"records": [{"id": 3, "n": 4}]}}


def test_columns_of_a_view_that_cannot_be_given_a_value_are_no_inputs(start_api: StartApi) -> None:
    api = start_api("""
      create table base (id serial primary key, a int default 7);
      create view first as select a + 1 as next, a, id from base;
      create view above as select next, a, id from first;
      create view ruled as select a + 1 as next, a, id from base;
      create rule writes as on insert to ruled do instead
        insert into base values (default, new.next - 1) returning a + 1, a, id;
      create view triggered as select a + 1 as next, a, id from base;
      create function writes() returns trigger language plpgsql as $$ begin
        insert into base values (default, new.next - 1) returning a, id into new.a, new.id; return new; end $$;
      create trigger writes instead of insert on triggered for each row execute function writes();
    """ + "".join(
        f"""comment on view {name} is '@graphql({{"primary_key_columns": ["id"]}})';"""
        for name in ("first", "above", "ruled", "triggered")
    ) + "grant all on all tables in schema public to anon; grant usage on sequence base_id_seq to anon")  # fmt: skip
    sdl = printed(api)
    plain, all_ = ["a", "id"], ["next", "a", "id"]
    inputs = {
        name: (members(sdl, f"{name}InsertInput"), members(sdl, f"{name}UpdateInput"))
        for name in ("first", "above", "ruled", "triggered")
    }
    assert inputs == {
        "first": (plain, plain), "above": (plain, plain), "ruled": (all_, plain), "triggered": (all_, plain)
    }  # fmt: skip
    inserted = api.ask("""mutation {
      insertIntofirstCollection(objects: [{}, {}]) { records { id next } }
      insertIntotriggeredCollection(objects: [{next: 3}, {next: 4}]) { records { id a } }
      insertIntoruledCollection(objects: {next: 9}) { records { id a } } }""").data
    assert inserted["insertIntofirstCollection"]["records"] == [{"id": id_, "next": 8} for id_ in (1, 2)]
    assert inserted["insertIntotriggeredCollection"]["records"] == [{"id": 3, "a": 2}, {"id": 4, "a": 3}]
    assert inserted["insertIntoruledCollection"]["records"] == [{"id": 5, "a": 8}]


def test_a_view_is_written_with_the_rights_of_its_owner(start_api: StartApi) -> None:
    api = start_api("""
      create table hidden (id int primary key, owner text default 'o');
      create view shown as select id from hidden;
      comment on view shown is '@graphql({"primary_key_columns": ["id"]})';
      grant select, insert on shown to anon""")
    assert members(printed(api), "Mutation") == ["insertIntoshownCollection"]
    assert "hidden" not in printed(api)
    assert api.ask("mutation { insertIntoshownCollection(objects: [{id: 1}, {id: 2}]) { affectedCount } }").data == {
        "insertIntoshownCollection": {"affectedCount": 2}
    }


@pytest.mark.parametrize(("dialect", "names"), [("standard", ["part", "whole"]), ("pg_graphql", ["part"])])
def test_partitions_have_their_own_rights(start_api: StartApi, dialect: str, names: list[str]) -> None:
    api = start_api(
        """create table whole (id int primary key, a int) partition by range (id);
           create table part partition of whole for values from (0) to (10); grant all on whole, part to anon""",
        graphql_dialect=dialect,
    )
    mutations = members(printed(api), "Mutation")
    assert [each for each in mutations if each.startswith("insert")] == [
        f"insertInto{name}Collection" for name in names
    ]
    for number, name in enumerate(names):
        asked: Any = api.ask(
            f"mutation {{ insertInto{name}Collection(objects: [{{id: {number}, a: 1}}]) {{ records {{ id }} }} }}"
        )
        assert asked.data[f"insertInto{name}Collection"] == {"records": [{"id": number}]}
    refused = api.ask(f"mutation {{ insertInto{names[-1]}Collection(objects: [{{id: 99}}]) {{ affectedCount }} }}")
    assert refused.code == "CHECK_VIOLATION"


def test_the_service_notices_a_revoked_right_on_its_own(api: Api, postgres: PostgresServer) -> None:
    """Without the support objects PostgreSQL itself refuses until the schema is read again."""
    assert api.ask(UPDATE).data
    postgres.execute("revoke update on thing from anon", api.database_url)
    answer = api.ask(UPDATE)
    assert answer.errors[0]["extensions"]["code"] in (
        "INSUFFICIENT_PRIVILEGE",
        "GRAPHQL_VALIDATION_FAILED",
        "UNKNOWN_FIELD",
    )
    assert postgres.execute("select name from thing", api.database_url) == [["u"]]


def test_rows_whose_key_may_not_be_read_have_no_node_id(start_api: StartApi) -> None:
    api = start_api("""create table half (a int, b int, name text, primary key (a, b));
      insert into half values (1, 2, 'n'); grant select (a, name) on half to anon; grant select on half to service_role;
      comment on schema public is '@graphql({"introspection": true})';""")
    query = """{ __type(name: "half") { fields { name } interfaces { name } } }"""
    assert api.ask(query).data["__type"] == {"fields": [{"name": "a"}, {"name": "name"}], "interfaces": []}
    members = api.ask("""{ __type(name: "halfFilter") { inputFields { name } } }""").data["__type"]["inputFields"]
    assert [each["name"] for each in members] == ["a", "name", "and", "or", "not"]
    found = api.ask("{ halfCollection { edges { node { nodeId } } } }", key=SERVICE_KEY)
    node_id = found.data["halfCollection"]["edges"][0]["node"]["nodeId"]
    refused = api.ask("query ($id: ID!) { node(nodeId: $id) { nodeId } }", {"id": node_id})
    assert refused.message == "Collection referenced by nodeId did not match any known collection"
