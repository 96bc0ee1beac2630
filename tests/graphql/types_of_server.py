"""Every type that a server has values of, with two of these: to try what the API offers on all of them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

EXTENSIONS = ("citext", "hstore", "ltree", "cube", "isn", "seg", "vector", "postgis")

SAMPLES: dict[str, tuple[str, str] | None] = {
    "bool": ("t", "f"), "bytea": (r"\x00ff", r"\x01"), "char": ("a", "b"), "name": ("a", "b"), "int8": ("1", "-2"),
    "int2": ("1", "-2"), "int2vector": ("1 2", "3"), "int4": ("1", "-2"), "text": ("a", "B c"), "oid": ("1", "2"),
    "tid": ("(0,1)", "(0,2)"), "xid": ("1", "2"), "cid": ("1", "2"), "oidvector": ("1 2", "3"),
    "json": ('{"a": 1}', "[2]"), "xml": ("<a/>", "<b/>"), "xid8": ("1", "2"), "point": ("(1,2)", "(3,4)"),
    "lseg": ("[(1,2),(3,4)]", "[(0,0),(1,1)]"), "path": ("((1,2),(3,4))", "[(0,0),(1,1)]"),
    "box": ("(3,4),(1,2)", "(1,1),(0,0)"), "polygon": ("((1,2),(3,4),(5,7))", "((0,0),(1,1),(2,0))"),
    "line": ("{1,2,3}", "{0,1,2}"), "float4": ("1.5", "-2"), "float8": ("1.5", "-2"),
    "circle": ("<(1,2),3>", "<(0,0),1>"),
    "money": ("$1.50", "$2.00"), "macaddr": ("08:00:2b:01:02:03", "08:00:2b:01:02:04"),
    "macaddr8": ("08:00:2b:01:02:03:04:05", "08:00:2b:01:02:03:04:06"), "inet": ("10.0.0.1", "::1"),
    "cidr": ("10.0.0.0/8", "192.168.0.0/16"), "bpchar": ("a", "b"), "varchar": ("a", "b"),
    "date": ("2020-01-02", "infinity"),
    "time": ("12:30:00", "00:00:01"), "timestamp": ("2020-01-02 03:04:05.5", "infinity"),
    "timestamptz": ("2020-01-02 03:04:05+00", "-infinity"), "interval": ("1 day 02:00:00", "1 mon"),
    "timetz": ("12:30:00+00", "12:30:00+02"), "bit": ("1", "0"), "varbit": ("101", "1"), "numeric": ("1.5", "-2"),
    "refcursor": ("a", "b"), "regprocedure": ("now()", "pi()"), "regoper": ("||/", "!!"),
    "regoperator": ("+(integer,integer)", "-(integer,integer)"), "regclass": ("pg_class", "pg_type"),
    "regcollation": ('"C"', '"POSIX"'), "regtype": ("integer", "text"), "regrole": ("anon", "authenticated"),
    "regnamespace": ("public", "pg_catalog"), "regproc": ("now", "pi"), "regdatabase": ("template0", "template1"),
    "uuid": ("11111111-2222-3333-4444-555555555555", "21111111-2222-3333-4444-555555555555"),
    "pg_lsn": ("0/1", "0/2"), "tsvector": ("'a' 'b'", "'c'"), "gtsvector": None, "tsquery": ("'a' & 'b'", "'c'"),
    "regconfig": ("simple", "english"), "regdictionary": ("simple", "english_stem"), "jsonb": ('{"a": 1}', "[2]"),
    "jsonpath": ('$."a"', '$."b"'), "txid_snapshot": ("1:1:", "1:2:1"), "pg_snapshot": ("1:1:", "1:2:1"),
    "aclitem": ("postgres=r/postgres", "=r/postgres"),
    "int4range": ("[1,5)", "empty"), "numrange": ("[1,5)", "empty"), "tsrange": ('["2020-01-01 00:00:00",)', "empty"),
    "tstzrange": ('["2020-01-01 00:00:00+00",)', "empty"), "daterange": ("[2020-01-01,)", "empty"),
    "int8range": ("[1,5)", "empty"),
    "int4multirange": ("{[1,5)}", "{}"), "nummultirange": ("{[1,5)}", "{}"),
    "tsmultirange": ("{}", '{["2020-01-01 00:00:00",)}'),
    "tstzmultirange": ("{}", '{["2020-01-01 00:00:00+00",)}'), "datemultirange": ("{}", "{[2020-01-01,)}"),
    "int8multirange": ("{[1,5)}", "{}"),
    "citext": ("a", "b"), "hstore": ('"a"=>"1", "b c"=>NULL', '"q\\""=>"\\\\ \\"x"'), "ghstore": None,
    "ltree": ("a.b", "c"), "lquery": ("a.*", "b"), "ltxtquery": ("a & b", "c"), "ltree_gist": None,
    "cube": ("(1, 2)", "(3)"), "seg": ("1 .. 2", "3"), "isbn": ("0-306-40615-2", "1-4398-0027-8"),
    "vector": ("[1,2]", "[3,4]"),
    "halfvec": ("[1,2]", "[3,4]"), "sparsevec": ("{1:1}/2", "{2:1}/2"),
    "ean13": ("978-0-393-04002-9", "978-1-4398-0027-0"), "isbn13": ("978-0-393-04002-9", "978-1-4398-0027-0"),
    "ismn": ("M-706700-00-7", "M-706700-01-4"), "ismn13": ("979-0-706700-00-7", "979-0-706700-01-4"),
    "issn": ("1436-4522", "0317-8471"), "issn13": ("977-1436-452-00-8", "977-0317-847-00-1"),
    "upc": ("220356483481", "036000291452"),
    "geometry": ("0101000020E6100000000000000000F03F0000000000000040",) * 2,
    "geography": ("0101000020E6100000000000000000F03F0000000000000040",) * 2,
    "box2d": ("BOX(1 2,3 4)", "BOX(0 0,1 1)"), "box3d": ("BOX3D(1 2 3,3 4 5)", "BOX3D(0 0 0,1 1 1)"),
    "spheroid": None, "geometry_dump": None, "valid_detail": None, "box2df": None, "gidx": None,
    # Made by SCHEMA.
    "own_range": ("[1,2]", "empty"), "own_multirange": ("{[1,2]}", "{}"), "kind": ("one", "other kind"),
    "pair": ('(1,"a b")', "(2,)"), "page": ('(1,"{1,NULL}","{""a"": ""x""}","(1,)")', '(2,,"[""1""]",)'),
    "with_circle": ('("<(1,2),3>")', '("<(0,0),1>")'),
}  # fmt: skip
"""By the name of a type, the text of two of its values, as it prints them; None for types whose values have no text."""

SCHEMA = """
create type own_range as range (subtype = float8);
create type kind as enum ('one', 'other kind');
create type pair as (a int, b text);
create type page as (n int, list int[], doc jsonb, pair pair);
create type with_circle as (c circle);
"""

WITHOUT_VALUES = "('pg_node_tree', 'pg_ndistinct', 'pg_dependencies', 'pg_mcv_list', 'pg_brin_bloom_summary', 'pg_brin_minmax_multi_summary')"  # noqa: E501
"""Types of which a user makes no values: their input functions refuse everything."""

TYPES = f"""
select t.typname::text, format_type(t.oid, null)
from pg_type t join pg_namespace n on n.oid = t.typnamespace
where t.typtype in ('b', 'r', 'm', 'e', 'c') and t.typname not in {WITHOUT_VALUES}
  and not (t.typelem <> 0 and t.typlen = -1 and t.typsubscript::text like 'array%' and t.typname like '\\_%')
  and (t.typrelid = 0 or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
  and n.nspname <> 'information_schema' order by 1
"""


@dataclass(frozen=True)
class ServerType:
    """A type by its own name and by the one that SQL takes, with the texts of two values."""

    name: str
    sql: str
    one: str
    other: str


def types_of(server: PostgresServer) -> tuple[str, list[ServerType]]:
    """The SQL that makes a database with them, and the types."""
    made = "".join(f"create extension {each};\n" for each in EXTENSIONS if server.has_extension(each)) + SCHEMA
    url = server.create_database(sql=ROLES + made)
    rows = [(str(name), str(sql)) for name, sql in server.execute(TYPES, url)]
    # A server may be built without libxml.
    has_xml = server.execute("select 1 from pg_config where name = 'CONFIGURE' and setting ~ 'with-libxml'", url)
    rows = [each for each in rows if has_xml or each[0] != "xml"]
    server.drop_database(url)
    unknown = [name for name, _ in rows if name not in SAMPLES]
    assert not unknown, f"types without samples: {unknown}"
    return made, [ServerType(name, sql, *samples) for name, sql in rows if (samples := SAMPLES[name]) is not None]


def table(number: int, type_: ServerType) -> str:
    """A table of two rows: with values of a type, arrays of them, a domain over it, arrays of that, and a domain over
    arrays; and one whose key is of the type, if it can be."""
    one, other = (f"'{each.replace(chr(39), chr(39) * 2)}'" for each in (type_.one, type_.other))
    domain = f"d_{number}"
    rows = ", ".join(
        f"({key}, {value}, array[{value}::{type_.sql}, null], {value}, array[{value}::{type_.sql}::{domain}, null],"
        f" array[{value}::{type_.sql}, {one}::{type_.sql}])"
        for key, value in ((1, one), (2, other))
    )
    return f"""
        create domain {domain} as {type_.sql};
        create domain dl_{number} as {type_.sql}[];
        create table t_{number} (
          id int primary key, v {type_.sql}, vs {type_.sql}[], d {domain}, ds {domain}[], dl dl_{number});
        insert into t_{number} values {rows};
        do $$ begin
          create table k_{number} (v {type_.sql} primary key);
          insert into k_{number} select v from t_{number} on conflict do nothing;
        exception when undefined_object or undefined_function then end $$;
        """
