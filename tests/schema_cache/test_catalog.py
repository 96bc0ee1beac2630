"""The catalog's records describe the database: each test creates objects and reads them back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schema_cache.model import Catalog, Column, Function, Operators, Relation, Type
from tests.postgres_server import PostgresServer
from tests.schema_cache.conftest import Connect
from tests.schema_cache.loading import load_catalog
from tests.schema_cache.session import Session


def relation(catalog: Catalog, name: str, schema: str = "public") -> Relation:
    return next(r for r in catalog.relations if (r.schema, r.name) == (schema, name))


def function(catalog: Catalog, name: str) -> Function:
    return next(f for f in catalog.functions if f.name == name)


def type_named(catalog: Catalog, text: str) -> Type:
    return next(t for t in catalog.types if t.text == text)


def columns(catalog: Catalog, name: str) -> dict[str, Column]:
    return {column.name: column for column in relation(catalog, name).columns}


def test_an_empty_database_has_a_catalog(owner: Session) -> None:
    catalog = load_catalog(owner.value)
    assert (catalog.relations, catalog.functions) == ((), ())
    assert "public" in catalog.schema_by_name
    assert catalog.database == owner.database
    assert catalog.role_by_oid[catalog.login].superuser
    assert not catalog.counted


def test_every_kind_of_relation_is_read_but_no_other(owner: Session) -> None:
    owner.rows("""
        create table a (id int primary key);
        create unlogged table u ();
        create table p (id int, at date, primary key (id, at)) partition by range (at);
        create table p1 partition of p for values from ('2020-01-01') to ('2021-01-01');
        create view v as select * from a;
        create materialized view m as select * from a;
        create foreign data wrapper w;
        create server s foreign data wrapper w;
        create foreign table f (id int) server s;
        create temporary table t (id int);
        create sequence q;
        create type c as (x int);
        alter table a enable row level security;
        comment on table a is 'the comment';
    """)
    catalog = load_catalog(owner.value)
    read = {r.name: (r.kind, r.row_security) for r in catalog.relations}
    assert read == {
        "a": ("r", True),
        "u": ("r", False),
        "p": ("p", False),
        "p1": ("r", False),
        "v": ("v", False),
        "m": ("m", False),
        "f": ("f", False),
    }
    assert [r.oid for r in catalog.relations] == sorted(r.oid for r in catalog.relations)
    table = relation(catalog, "a")
    assert (table.comment, table.primary_key) == ("the comment", ("id",))
    row_type = catalog.type_by_oid[table.row_type]
    assert (row_type.relation, row_type.kind, row_type.text) == (table.oid, "c", "public.a")


def test_changes_that_a_view_allows_are_read(owner: Session) -> None:
    owner.rows("""
        create table a (id int primary key, b int);
        create view plain as select * from a;
        create view joined as select a.id from a join a other using (id);
        create view counted as select count(*) from a;
        create view triggered as select count(*) as n from a;
        create function change() returns trigger language plpgsql as $$ begin return new; end $$;
        create trigger t instead of insert on triggered for each row execute function change();
        create view ruled as select count(*) as n from a;
        create rule r as on delete to ruled do instead delete from a returning 1::bigint;
        create materialized view kept as select * from a;
    """)
    catalog = load_catalog(owner.value)
    read = {r.name: (r.insertable, r.updatable, r.deletable) for r in catalog.relations}
    assert read == {
        "a": (True, True, True),
        "plain": (True, True, True),
        "joined": (False, False, False),
        "counted": (False, False, False),
        "triggered": (True, False, False),
        "ruled": (False, False, True),
        "kept": (False, False, False),
    }


def test_a_locked_view_does_not_block_the_catalog(owner: Session, connect: Connect) -> None:
    owner.rows("""
        create table a (id int);
        create view counted as select count(*) from a;
        create view through as select * from a;
        create view limited as select * from through limit 1;
        set lock_timeout = '5s';
    """)
    for statement in ("alter view counted rename to other", "alter table a add b int"):
        migrating = connect()
        migrating.execute("begin", statement)
        catalog = load_catalog(owner.value)
        assert relation(catalog, "counted").insertable
        assert relation(catalog, "limited").insertable == ("table a" in statement)
        migrating.execute("rollback")
        catalog = load_catalog(owner.value)
        assert not relation(catalog, "counted").insertable
        assert relation(catalog, "through").insertable


def test_columns_are_read(owner: Session) -> None:
    owner.rows("""
        create domain short as varchar(3) not null;
        create table a (
          id int generated always as identity primary key,
          gone int,
          s serial,
          d int generated by default as identity,
          g int generated always as (s * 2) stored,
          n numeric(10, 2) default 1,
          c char(5), v varchar(7)[] not null, w varchar(8), f varchar, b bpchar,
          t timestamptz(3), i interval day to second(2), bits bit(4),
          x short,
          "Odd ""name" text
        );
        alter table a drop column gone;
        comment on column a.n is 'about n';
    """)
    read = columns(load_catalog(owner.value), "a")
    assert [(c.number, c.name) for c in read.values()][:3] == [(1, "id"), (3, "s"), (4, "d")]
    assert {name: c.type_text for name, c in read.items()} == {
        "id": "integer",
        "s": "integer",
        "d": "integer",
        "g": "integer",
        "n": "numeric(10,2)",
        "c": "character(5)",
        "v": "character varying(7)[]",
        "w": "character varying(8)",
        "f": "character varying",
        "b": "bpchar",
        "t": "timestamp(3) with time zone",
        "i": "interval day to second(2)",
        "bits": "bit(4)",
        "x": "public.short",
        'Odd "name': "text",
    }
    assert {name for name, c in read.items() if c.not_null} == {"id", "s", "d", "v"}
    assert {name for name, c in read.items() if c.has_default} == {"s", "n"}
    assert {name: c.identity for name, c in read.items() if c.identity} == {"id": "a", "d": "d"}
    assert {name: c.generated for name, c in read.items() if c.generated} == {"g": "s"}
    assert {name: c.max_length for name, c in read.items() if c.max_length} == {"c": 5, "v": 7, "w": 8}
    assert {name for name, c in read.items() if c.serial} == {"id", "s", "d"}
    assert {
        name for name in read if owner.value("select pg_get_serial_sequence('a', :name)", name=name) is not None
    } == {"id", "s", "d"}
    assert {name: c.comment for name, c in read.items() if c.comment} == {"n": "about n"}


def test_an_unvalidated_not_null_is_not_trusted(owner: Session) -> None:
    if owner.value("select current_setting('server_version_num')::int") < 180000:
        pytest.skip("NOT NULL NOT VALID came with PostgreSQL 18")
    owner.rows("""
        create table a (x int, y int);
        insert into a values (null, 1);
        alter table a add constraint c not null x not valid;
        alter table a alter y set not null;
    """)
    assert {c.name for c in relation(load_catalog(owner.value), "a").columns if c.not_null} == {"y"}


def test_unique_indexes_are_read(owner: Session) -> None:
    owner.rows("""
        create table a (id int, b int, c int, d text, primary key (b, id) include (c));
        create unique index plain on a (c) include (d);
        create unique index partial on a (c) where c > 0;
        create unique index expression on a (lower(d));
        create unique index mixed on a (b, lower(d));
        create index not_unique on a (d);
    """)
    read = relation(load_catalog(owner.value), "a")
    assert {(i.name, i.columns, i.primary, i.partial, i.has_expressions) for i in read.unique_indexes} == {
        ("a_pkey", ("b", "id"), True, False, False),
        ("plain", ("c",), False, False, False),
        ("partial", ("c",), False, True, False),
        ("expression", (), False, False, True),
        ("mixed", ("b",), False, False, True),
    }
    assert read.primary_key == ("b", "id")


def test_constraints_for_on_conflict_are_read(owner: Session) -> None:
    owner.rows("""
        create table a (id int primary key, b int, c int, d text, constraint "odd name" unique (b, c), late int unique
          deferrable, room int4range, exclude using gist (room with &&));
        create function whole(a) returns text immutable language sql as 'select $1.d';
        create unique index partial on a (c) include (b) where d = 'x'' and %y' and b > 0;
        create unique index expression on a (lower(d), (b + c), id);
        create unique index of_row on a (whole(a.*));
        comment on index partial is 'an index';
        comment on constraint "odd name" on a is 'a constraint';
        comment on index "odd name" is 'its index';
    """)
    read = {each.name: each for each in relation(load_catalog(owner.value), "a").unique_indexes}
    assert {name for name, each in read.items() if each.constraint} == {"a_pkey", "odd name", "a_late_key"}
    assert {name for name, each in read.items() if not each.arbiter} == {"a_late_key"}
    assert read["a_pkey"].elements == ()
    assert read["a_pkey"].needs == {"id"}
    assert read["partial"].predicate == "((d = 'x'' and %y'::text) AND (b > 0))"
    assert read["partial"].needs == {"b", "c", "d"}
    assert read["expression"].elements == ("lower(d)", "((b + c))", "id")
    assert read["expression"].needs == {"b", "c", "d", "id"}
    assert read["of_row"].needs is None
    assert (read["partial"].comment, read["odd name"].comment) == ("an index", "a constraint")
    assert {each.nulls_distinct for each in read.values()} == {True}


def test_nulls_not_distinct_is_read(owner: Session) -> None:
    if owner.rows("select current_setting('server_version_num')::int")[0][0] < 150000:
        pytest.skip("NULLS NOT DISTINCT is of PostgreSQL 15")
    owner.rows("create table a (id int unique nulls not distinct)")
    assert not relation(load_catalog(owner.value), "a").unique_indexes[0].nulls_distinct


def test_foreign_keys_are_read(owner: Session) -> None:
    owner.rows("""
        create schema other;
        create table other.r (x int, y int, primary key (x, y));
        create table a (id int primary key, b int, c int, up int references a);
        alter table a add constraint pair foreign key (c, b) references other.r (y, x);
        comment on constraint pair on a is 'about the key';
        create table whole (id int primary key, at int, up int references a) partition by range (id);
        create table part partition of whole for values from (0) to (10);
        create table points (w int references whole);
    """)
    catalog = load_catalog(owner.value)
    names = {r.oid: r.name for r in catalog.relations}
    read = {
        (r.name, k.name, k.columns, names[k.foreign], k.foreign_columns, k.comment)
        for r in catalog.relations
        for k in r.foreign_keys
    }
    assert read == {
        ("a", "a_up_fkey", ("up",), "a", ("id",), None),
        ("a", "pair", ("c", "b"), "r", ("y", "x"), "about the key"),
        ("whole", "whole_up_fkey", ("up",), "a", ("id",), None),
        ("part", "whole_up_fkey", ("up",), "a", ("id",), None),
        # Not also to the partition, which does not contain all rows that can be referenced.
        ("points", "points_w_fkey", ("w",), "whole", ("id",), None),
    }


def test_types_are_read(owner: Session) -> None:
    owner.rows("""
        create schema "Odd one";
        create type "Odd one"."Mood" as enum ('sad', 'ok', 'happy');
        alter type "Odd one"."Mood" add value 'better' before 'ok';
        comment on type "Odd one"."Mood" is 'about moods';
        create domain "Odd one".few as int[];
        create domain public."order" as "Odd one".few;
        create table a (m "Odd one"."Mood"[], o public."order");
    """)
    catalog = load_catalog(owner.value)
    mood = type_named(catalog, '"Odd one"."Mood"')
    assert (mood.kind, mood.category, mood.labels) == ("e", "E", ("sad", "better", "ok", "happy"))
    assert (mood.schema, mood.name, mood.comment) == ("Odd one", "Mood", "about moods")
    read = columns(catalog, "a")
    array = catalog.type_by_oid[read["m"].type]
    assert (array.element, array.category, array.text) == (mood.oid, "A", '"Odd one"."Mood"[]')
    domain = catalog.type_by_oid[read["o"].type]
    assert (domain.text, domain.kind, domain.element) == ('public."order"', "d", 0)
    assert catalog.type_by_oid[domain.base].text == '"Odd one".few'
    assert catalog.type_by_oid[catalog.type_by_oid[domain.base].base].text == "integer[]"


def test_composite_types_have_attributes(owner: Session) -> None:
    owner.rows("""
        create type pair as (a int, gone int, "B b" text[][]);
        alter type pair drop attribute gone;
        comment on column pair."B b" is 'about it';
        create type nothing as ();
        create table a (p pair);
    """)
    catalog = load_catalog(owner.value)
    a, b = type_named(catalog, "public.pair").attributes
    assert (a.name, catalog.type_by_oid[a.type].text, a.dimensions, a.comment) == ("a", "integer", 0, None)
    assert (b.name, catalog.type_by_oid[b.type].text, b.dimensions, b.comment) == ("B b", "text[]", 2, "about it")
    assert type_named(catalog, "public.nothing").attributes == ()
    assert type_named(catalog, "public.a").attributes == ()


def test_types_have_the_operators_of_their_order(owner: Session) -> None:
    owner.rows("""
        create type mood as enum (); create type pair as (a int); create domain place as point;
        create domain few as varchar(3)[];
    """)
    catalog = load_catalog(owner.value)
    operators = {type_.text: type_.operators for type_ in catalog.types}
    ordered = (
        "integer", "character varying", "cidr", "jsonb", "int4range", "text[]", "public.mood", "public.few",
        *(each.text for each in catalog.types if each.text == "int4multirange"),
    )  # fmt: skip
    version = owner.value("select current_setting('server_version_num')::int")
    assert ("int4multirange" in ordered) == (version >= 140000)
    assert {operators[text] for text in ordered} == {Operators()}
    assert {operators[text] for text in ("point", "json", "json[]", "public.pair", "public.place")} == {None}


def test_types_are_printed_as_the_server_prints_them(owner: Session) -> None:
    owner.rows('create type "Mood" as enum (); create table "group" (id int); create domain "d d" as int')
    catalog = load_catalog(owner.value)
    owner.execute("set search_path = pg_catalog")
    printed = dict(owner.rows("select oid, format_type(oid, -1) from pg_type"))
    assert {'public."Mood"', 'public."group"', 'public."d d"'} <= {type_.text for type_ in catalog.types}
    assert {type_.oid: type_.text for type_ in catalog.types} == {
        type_.oid: printed[type_.oid] for type_ in catalog.types
    }


def test_every_used_type_is_read(owner: Session) -> None:
    owner.rows("""
        create view w as select a, a.relacl, s.* from pg_class a, pg_stat_activity s;
        create view i as select * from information_schema.columns;
        create function f(pg_class, x int2vector) returns setof pg_stat_activity language sql
          as 'select null::pg_stat_activity';
    """)
    catalog = load_catalog(owner.value)
    used = {column.type for r in catalog.relations for column in r.columns}
    used |= {argument.type for f in catalog.functions for argument in f.arguments} | {
        f.returns for f in catalog.functions
    }
    assert used
    assert used <= set(catalog.type_by_oid)


def test_functions_are_read(owner: Session) -> None:
    owner.rows("""
        create table a (id int);
        create function nothing() returns void language sql as '';
        create function many(a, out x int, in b text, inout c int, variadic d int[]) returns setof record
          language sql stable rows 7 as $$ select 1, 1 $$;
        create function shaped() returns table (x int, y text) language sql immutable as $$ select 1, 'a' $$;
        create function defaulted(x int, a text default 'it''s, "ok" \\ (', b int[] default array[1, 2],
                                  c int default 1 + length('a,b'), d timestamptz default now(), e text default null)
          returns varchar language sql as $$ select 'x' $$;
        create procedure done() language sql as '';
        create aggregate total(int) (sfunc = int4pl, stype = int);
        comment on function nothing() is 'about nothing';
    """)
    catalog = load_catalog(owner.value)
    assert {f.name for f in catalog.functions} == {"nothing", "many", "shaped", "defaulted"}

    def returned(made: Function) -> str:
        return catalog.type_by_oid[made.returns].text

    nothing = function(catalog, "nothing")
    assert (nothing.arguments, returned(nothing), nothing.volatility) == ((), "void", "v")
    assert (nothing.comment, nothing.rows) == ("about nothing", 0.0)
    many = function(catalog, "many")
    assert [(x.name, x.type_text, x.variadic) for x in many.arguments] == [
        ("", "public.a", False),
        ("b", "text", False),
        ("c", "integer", False),
        ("d", "integer[]", True),
    ]
    assert (many.returns_set, many.rows, many.volatility) == (True, 7.0, "s")
    shaped = function(catalog, "shaped")
    assert (shaped.arguments, returned(shaped)) == ((), "record")
    defaulted = function(catalog, "defaulted")
    assert returned(defaulted) == "character varying"
    for argument in defaulted.arguments:
        number = [x.name for x in defaulted.arguments].index(argument.name) + 1
        expected = owner.value("select pg_get_function_arg_default(:oid, cast(:n as int))", oid=defaulted.oid, n=number)
        assert argument.default == expected, argument


def test_functions_with_several_columns_are_read(owner: Session) -> None:
    owner.rows("""
        create function tables() returns table (a int, "B b" text) language sql as 'select 1, $$x$$';
        create function one() returns table (a int) language sql as 'select 1';
        create function outputs(x int, out a int, inout b text, out text) language sql as 'select 1, b, b';
        create function single(out a int) language sql as 'select 1';
    """)
    catalog = load_catalog(owner.value)
    columns = {
        function.name: [(each.name, catalog.type_by_oid[each.type].text) for each in function.columns]
        for function in catalog.functions
        if function.schema == "public"
    }
    assert columns == {
        "tables": [("a", "integer"), ("B b", "text")],
        "one": [("a", "integer")],
        "outputs": [("a", "integer"), ("b", "text"), ("column3", "text")],
        "single": [],
    }


def test_access_control_lists_are_read(owner: Session) -> None:
    with owner.roles(2) as (one, two):
        owner.rows(f"""
            create table a (id int, b int);
            grant select on a to {one};
            grant update (b) on a to {two}, public;
            create table closed (id int);
            revoke all on closed from current_user;
        """)
        catalog = load_catalog(owner.value)
        oids = {role.oid: role.name for role in catalog.roles}
        table = relation(catalog, "a")
        assert {oids.get(g.grantee): set(g.privileges) for g in table.acl}[one] == {"SELECT"}
        assert columns(catalog, "a")["id"].acl == ()
        assert {oids.get(g.grantee): set(g.privileges) for g in columns(catalog, "a")["b"].acl} == {
            two: {"UPDATE"},
            None: {"UPDATE"},
        }
        assert relation(catalog, "closed").acl == ()


def test_an_unprivileged_login_reads_the_same(owner: Session, connect: Connect) -> None:
    with owner.roles(1) as (login,):
        owner.execute(f"alter role {login} login noinherit", "create table a (id int primary key, b text default 'x')")
        owner.execute("create schema hidden", "create table hidden.h (id int)", "revoke all on a from public")
        by_owner = load_catalog(owner.value)
        session = connect(user=login)
        by_login = load_catalog(session.value)
        session.close()
        for part in ("relations", "types", "functions", "schemas", "roles", "version"):
            assert getattr(by_login, part) == getattr(by_owner, part), part
        assert by_login.role_by_oid[by_login.login].name == login


def test_functions_that_hide_postgresql_s_own_are_not_called(owner: Session) -> None:
    owner.rows("""
        create function public.left(text, int) returns text language plpgsql as $$ begin raise 'trapped'; end $$;
        create function public.starts_with(text, text) returns bool
          language plpgsql as $$ begin raise 'trapped'; end $$;
        create function public.json_build_array(bigint, bigint) returns json
          language plpgsql as $$ begin raise 'trapped'; end $$;
        create function public.trap(oid, int) returns bool language plpgsql as $$ begin raise 'trapped'; end $$;
        create operator public.>= (leftarg = oid, rightarg = int, function = public.trap);
        set search_path = public, pg_catalog;
    """)
    assert load_catalog(owner.value).functions
    assert owner.value("show search_path") == "public, pg_catalog"


def test_a_key_over_periods_is_no_relationship(owner: Session) -> None:
    if owner.value("select current_setting('server_version_num')::int") < 180000:
        pytest.skip("PERIOD came with PostgreSQL 18")
    owner.rows("""
        create table a (r int4range, at daterange, primary key (r, at without overlaps));
        create table b (r int4range, at daterange, foreign key (r, period at) references a (r, period at));
    """)
    catalog = load_catalog(owner.value)
    assert relation(catalog, "b").foreign_keys == ()
    assert relation(catalog, "a").primary_key == ("r", "at")


def test_modifiers_of_types_of_extensions_are_read(
    postgres_with: Callable[[str], PostgresServer], connect: Connect
) -> None:
    owner = connect(postgres_with("vector").create_database())
    owner.rows("""
        create schema "Odd one"; create extension vector schema "Odd one";
        create table a (x "Odd one".vector(3), y "Odd one".vector, z "Odd one".vector(4)[]);
    """)
    assert [column.type_text for column in relation(load_catalog(owner.value), "a").columns] == [
        '"Odd one".vector(3)',
        '"Odd one".vector',
        '"Odd one".vector(4)[]',
    ]
