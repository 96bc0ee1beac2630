"""How values of every PostgreSQL type cross the API: their GraphQL type, output, and input in a filter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

UUID = "11111111-2222-3333-4444-555555555555"
COMPARISONS = ["eq", "gt", "gte", "in", "is", "lt", "lte", "neq"]
STRING = sorted([*COMPARISONS, "ilike", "iregex", "like", "regex", "startsWith"])
LIST = ["containedBy", "contains", "eq", "is", "overlaps"]
EQUAL = ["eq", "is"]
DISCRETE = ["eq", "in", "is", "neq"]

TYPES: list[tuple[str, str, str, Any, str | None, Any]] = [
    # PostgreSQL's type, a value in SQL, GraphQL type, printed, filter (None: no filter), the value in a filter
    ("int2", "7", "Int", 7, "IntFilter", 7),
    ("int4", "-2147483648", "Int", -2147483648, "IntFilter", -2147483648),
    ("int8", "9223372036854775807", "BigInt", "9223372036854775807", "BigIntFilter", "9223372036854775807"),
    ("float4", "1.5", "Float", 1.5, "FloatFilter", 1.5),
    ("float8", "0.1", "Float", 0.1, "FloatFilter", 0.1),
    ("numeric", "12345678901234567890.10", "BigFloat", "12345678901234567890.10", "BigFloatFilter",
     "12345678901234567890.1"),
    ("numeric(10,2)", "1.5", "BigFloat", "1.50", "BigFloatFilter", "1.5"),
    ("bool", "true", "Boolean", True, "BooleanFilter", True),
    ("text", "'a\"b'", "String", 'a"b', "StringFilter", 'a"b'),
    ('"char"', "'c'", "String", "c", "StringFilter", "c"),
    ("char(3)", "'ab'", "String", "ab ", "StringFilter", "ab"),
    ("varchar", "'äöü'", "String", "äöü", "StringFilter", "äöü"),
    ("varchar(3)", "'äöü'", "String", "äöü", "StringFilter", "äöü"),
    ("uuid", f"'{UUID}'", "UUID", UUID, "UUIDFilter", UUID.upper()),
    ("date", "'2020-02-29'", "Date", "2020-02-29", "DateFilter", "2020-02-29"),
    ("time", "'12:30'", "Time", "12:30:00", "TimeFilter", "12:30"),
    ("time(0)", "'12:30'", "Time", "12:30:00", "TimeFilter", "12:30"),
    ("timestamp", "'2020-01-02 03:04:05.5'", "Datetime", "2020-01-02T03:04:05.5", "DatetimeFilter",
     "2020-01-02T03:04:05.5"),
    ("timestamptz", "'2020-01-02 03:04:05+00'", "Datetime", "2020-01-02T03:04:05+00:00", "DatetimeFilter",
     "2020-01-02T04:04:05+01:00"),
    ("timestamptz(0)", "'2020-01-02 03:04:05+00'", "Datetime", "2020-01-02T03:04:05+00:00", "DatetimeFilter",
     "2020-01-02T03:04:05Z"),
    ("json", """'{"b": 1,  "a": [1.0]}'""", "JSON", '{"b": 1,  "a": [1.0]}', None, None),
    ("jsonb", """'{"b": 1,  "a": [1.0]}'""", "JSON", '{"a": [1.0], "b": 1}', None, None),
    ("jsonb", "'\"text\"'", "JSON", "text", None, None),
    ("jsonb", "'null'", "JSON", None, None, None),
    ("mood", "'happy'", "mood", "happy", "moodFilter", "happy"),
    ("mapped", "'so so'", "mapped", "so_so", "mappedFilter", "so_so"),
    ("mapped", "'fine'", "mapped", "fine", "mappedFilter", "fine"),
    ("elsewhere.hidden", "'x y'", "Opaque", "x y", "OpaqueFilter", "x y"),
    ("positive", "3", "Opaque", 3, "OpaqueFilter", 3),
    ("word", "'w'", "Opaque", "w", "OpaqueFilter", "w"),
    ("numbers", "'{1,2}'", "Opaque", [1, 2], "OpaqueFilter", "{1,2}"),
    ("timetz", "'12:30+00'", "Opaque", "12:30:00+00", "OpaqueFilter", "12:30:00+00"),
    ("interval", "'1 day 2 hours'", "Opaque", "1 day 02:00:00", "OpaqueFilter", "26 hours"),
    ("bytea", "'\\x00ff'", "Opaque", "\\x00ff", "OpaqueFilter", "\\x00FF"),
    ("inet", "'10.0.0.1'", "Opaque", "10.0.0.1", "OpaqueFilter", "10.0.0.1"),
    ("money", "12.5", "Opaque", "$12.50", "OpaqueFilter", "12.5"),
    ("oid", "5", "Opaque", "5", "OpaqueFilter", 5),
    ("name", "'n'", "Opaque", "n", "OpaqueFilter", "n"),
    ("jsonpath", "'$.a'", "Opaque", '$."a"', "OpaqueFilter", None),
    ("int4range", "'[1,5]'", "Opaque", "[1,6)", "OpaqueFilter", "[1,5]"),
    ("int4multirange", "'{[1,2]}'", "Opaque", "{[1,3)}", "OpaqueFilter", "{[1,2]}"),
    ("point", "'(1,2)'", "Opaque", "(1,2)", "OpaqueFilter", None),
    ("tsvector", "'b a'", "Opaque", "'a' 'b'", "OpaqueFilter", "b a"),
    ("bit(3)", "'101'", "Opaque", "101", "OpaqueFilter", "101"),
    ("int2[]", "'{1,null}'", "[Int]", [1, None], "IntListFilter", [1]),
    ("int4[]", "'{{1,2},{3,4}}'", "[Int]", [[1, 2], [3, 4]], "IntListFilter", None),
    ("int8[]", "'{9223372036854775807,null}'", "[BigInt]", ["9223372036854775807", None], "BigIntListFilter",
     ["9223372036854775807"]),
    ("float8[]", "'{0.5}'", "[Float]", [0.5], "FloatListFilter", [0.5]),
    ("numeric[]", "'{1.10}'", "[BigFloat]", ["1.10"], "BigFloatListFilter", ["1.1"]),
    ("bool[]", "'{t,f}'", "[Boolean]", [True, False], "BooleanListFilter", [True, False]),
    ("text[]", "array['a,b', '\"', '\\', 'NULL', '', null, '{}']", "[String]", ["a,b", '"', "\\", "NULL", "", None, "{}"],  # noqa: E501
     "StringListFilter", ["a,b", '"', "\\", "NULL", "", "{}"]),
    ("varchar(3)[]", "'{abc}'", "[String]", ["abc"], "StringListFilter", ["abc"]),
    ("uuid[]", f"'{{{UUID}}}'", "[UUID]", [UUID], "UUIDListFilter", [UUID]),
    ("date[]", "'{2020-02-29}'", "[Date]", ["2020-02-29"], "DateListFilter", ["2020-02-29"]),
    ("time[]", "'{12:30}'", "[Time]", ["12:30:00"], "TimeListFilter", ["12:30"]),
    ("timestamptz[]", "'{2020-01-02 03:04:05+00}'", "[Datetime]", ["2020-01-02T03:04:05+00:00"], "DatetimeListFilter",
     ["2020-01-02T03:04:05+00:00"]),
    ("jsonb[]", """array['{"a": 1}'::jsonb, '"t"', null]""", "[JSON]", ['{"a": 1}', '"t"', None], None, None),
    ("mood[]", "'{sad,happy,null}'", "[mood]", ["sad", "happy", None], None, None),
    ("mapped[]", "array['so so'::mapped, 'fine', null]", "[mapped]", ["so_so", "fine", None], None, None),
    ("mapped[]", "'{}'", "[mapped]", [], None, None),
    ("mapped[]", "null", "[mapped]", None, None, None),
    ("positive[]", "'{3}'", "[Opaque]", [3], None, None),
    ("int2vector", "'1 2'", "[Int]", [1, 2], "IntListFilter", [1, 2]),
    ("oidvector", "'5'", "[Opaque]", ["5"], None, None),
    ("inet[]", "'{10.0.0.1}'", "[Opaque]", ["10.0.0.1"], None, None),
]  # fmt: skip
OPERATORS = {
    "StringFilter": STRING,
    "UUIDFilter": DISCRETE,
    "moodFilter": DISCRETE,
    "mappedFilter": DISCRETE,
    "BooleanFilter": EQUAL,
    "OpaqueFilter": EQUAL,
    "NullOpaqueFilter": ["is"],
    "IDFilter": ["eq"],
}
NOT_ORDERED = ("JSON", "[")
WITHOUT_EQUALITY = ("point", "jsonpath")
"""Types of which the dialect standard offers neither an order nor equality; of pg_graphql that is always an error."""

SCHEMA = f"""
create schema elsewhere;
grant usage on schema elsewhere to anon;
create type elsewhere.hidden as enum ('x y');
create type mood as enum ('sad', 'happy');
create type mapped as enum ('so so', 'fine');
comment on type mapped is '@graphql({{"mappings": {{"so so": "so_so"}}}})';
create domain positive as int check (value > 0);
create domain word as text;
create domain numbers as int[];
create type pair as (a int, b int);
create domain pair_domain as pair;
create table everything (id int primary key, {", ".join(f"c{i} {each[0]}" for i, each in enumerate(TYPES))});
insert into everything values (1, {", ".join(each[1] for each in TYPES)});
insert into everything values (2);
alter table everything add pair pair, add pairs pair[], add pair_domain pair_domain,
  add generated int generated always as (id * 2) stored, add required text not null default 'r';
grant select on everything to anon;
create type secret as enum ('s');
create domain secret_number as int;
revoke usage on type secret from public;
revoke usage on type secret_number from public;
create table secretive (id int primary key, one secret default 's', many secret[] default '{{s}}', numbers
  secret_number[] default '{{1}}');
insert into secretive values (1);
grant select on secretive to anon;
"""


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    sql = SCHEMA + """comment on schema public is '@graphql({"introspection": true})';"""
    limits = {"root_field_limit": 500, "alias_limit": 5000, "token_limit": 50000, "field_limit": 20000}
    # Other tests cover the additions of features to the types.
    return reading_api(sql, graphql_dialect=request.param, graphql_features=("none",), **limits)


def shown(type_: Any) -> str:
    if type_["kind"] == "LIST":
        return f"[{shown(type_['ofType'])}]"
    if type_["kind"] == "NON_NULL":
        return f"{shown(type_['ofType'])}!"
    return type_["name"]


INTROSPECT = """{ __type(name: "%s") {
  fields { name type { ...t } } inputFields { name type { ...t } } enumValues { name } } }
fragment t on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }"""


def described(api: Api, type_name: str, members: str) -> dict[str, str]:
    return {each["name"]: shown(each["type"]) for each in api.ask(INTROSPECT % type_name).data["__type"][members]}


def test_columns_have_their_types(api: Api) -> None:
    fields = described(api, "everything", "fields")
    expected = {f"c{i}": each[2] for i, each in enumerate(TYPES)}
    assert list(fields) == ["nodeId", "id", *expected, "pair_domain", "generated", "required"]
    # Composite columns and arrays of them are left out; a domain over one is opaque, as all domains are.
    assert fields == {
        "nodeId": "ID!", "id": "Int!", **expected, "pair_domain": "Opaque", "generated": "Int", "required": "String!"
    }  # fmt: skip


def test_columns_have_their_filters_and_orders(api: Api) -> None:
    filters = described(api, "everythingFilter", "inputFields")
    is_standard = api.application.services.settings.graphql_dialect == "standard"
    impossible = {f"c{i}" for i, each in enumerate(TYPES) if is_standard and each[0] in WITHOUT_EQUALITY}
    expected = {f"c{i}": each[4] for i, each in enumerate(TYPES) if each[4]}
    expected |= dict.fromkeys(impossible, "NullOpaqueFilter")
    assert filters == {
        "id": "IntFilter",
        **expected,
        "pair_domain": "OpaqueFilter",
        "generated": "IntFilter",
        "required": "StringFilter",
        "nodeId": "IDFilter",
        "and": "[everythingFilter!]",
        "or": "[everythingFilter!]",
        "not": "everythingFilter",
    }
    assert list(filters)[-4:] == ["nodeId", "and", "or", "not"]
    for name in {*filters.values()} - {"[everythingFilter!]", "everythingFilter"}:
        operators = described(api, name, "inputFields")
        assert list(operators) == OPERATORS.get(name, LIST if "List" in name else COMPARISONS), name
        scalar = name.removesuffix("Filter").removesuffix("List")
        for operator, type_ in operators.items():
            if operator == "is":
                assert type_ == "FilterIs"
            elif "List" in name or operator == "in":
                assert type_ == f"[{scalar}!]", (name, operator)
            else:
                assert type_ == scalar, (name, operator)
    ordered = [f"c{i}" for i, each in enumerate(TYPES) if not each[2].startswith(NOT_ORDERED)]
    ordered = [each for each in ordered if each not in impossible] + (["pair_domain"] if not is_standard else [])
    order_by = described(api, "everythingOrderBy", "inputFields")
    assert list(order_by) == ["id", *ordered, "generated", "required"]
    assert set(order_by.values()) == {"OrderByDirection"}


def test_enums_list_their_values(api: Api) -> None:
    for name, values in (("mood", ["sad", "happy"]), ("mapped", ["so_so", "fine"]), ("FilterIs", ["NULL", "NOT_NULL"])):
        assert [each["name"] for each in api.ask(INTROSPECT % name).data["__type"]["enumValues"]] == values


def test_values_are_printed(api: Api) -> None:
    columns = " ".join(f"c{i}" for i in range(len(TYPES)))
    data = api.ask(f"{{ everythingCollection {{ edges {{ node {{ {columns} generated }} }} }} }}").data
    full, empty = (edge["node"] for edge in data["everythingCollection"]["edges"])
    for i, (type_, _, _, printed, *_) in enumerate(TYPES):
        if type_ == "int4[]" and api.application.services.settings.graphql_dialect == "standard":
            # Two dimensions in a column that was declared with one.
            printed = None
        assert full[f"c{i}"] == printed and type(full[f"c{i}"]) is type(printed), type_  # noqa: PT018
    assert full["generated"] == 2
    assert set(empty.values()) == {None, 4}


def test_numbers_keep_all_their_digits(api: Api) -> None:
    numeric = next(i for i, each in enumerate(TYPES) if each[0] == "float8")
    raw = api.client.simulate_post(
        "/graphql/v1",
        body=json.dumps({"query": f"{{ everythingByPk(id: 1) {{ c{numeric} }} }}"}),
        headers={"Content-Type": "application/json", "apiKey": "anon-key-of-the-tests"},
    ).content
    assert raw == b'{"data":{"everythingByPk":{"c%d" : 0.1}}}' % numeric


def test_values_are_accepted(api: Api) -> None:
    """eq with the value finds the row, as a literal and through a variable; null finds none; is NULL finds the other."""  # noqa: E501
    taken = [(i, each[4], each[5]) for i, each in enumerate(TYPES) if each[4] and each[5] is not None]
    enums = ("moodFilter", "mappedFilter")
    literals = [
        f"c{i}: everythingCollection(filter: {{c{i}: {{eq: {value if filter_ in enums else json.dumps(value)}}}}}) {{ ...ids }}"  # noqa: E501
        for i, filter_, value in taken
    ]
    nulls = [f"n{i}: everythingCollection(filter: {{c{i}: {{eq: null}}}}) {{ ...ids }}" for i, _, _ in taken]
    without = [f"i{i}: everythingCollection(filter: {{c{i}: {{is: NULL}}}}) {{ ...ids }}" for i, _, _ in taken]
    fragment = "fragment ids on everythingConnection { edges { node { id } } }"
    data = api.ask("{{ {} }} {}".format(" ".join([*literals, *nulls, *without]), fragment)).data
    by_variable = [
        (f"$c{i}: {filter_}", f"c{i}: everythingCollection(filter: {{c{i}: $c{i}}}) {{ ...ids }}")
        for i, filter_, _ in taken
    ]
    text = "query ({}) {{ {} }} {}".format(
        ", ".join(a for a, _ in by_variable), " ".join(b for _, b in by_variable), fragment
    )
    varied = api.ask(text, {f"c{i}": {"eq": value} for i, _, value in taken}).data
    for i, _, _ in taken:
        found = [
            [e["node"]["id"] for e in part["edges"]]
            for part in (data[f"c{i}"], data[f"n{i}"], data[f"i{i}"], varied[f"c{i}"])
        ]
        # Arrays with a null in them are not equal to those without.
        assert found[0] in ([1], []) and found[0] == found[3], TYPES[i]  # noqa: PT018
        assert found[0] == [1] or TYPES[i][0] in ("int2[]", "int8[]", "text[]"), TYPES[i]
        assert found[1] == [] and found[2] == [2], TYPES[i]  # noqa: PT018


WRONG = {
    "Int": ["1", 1.5, True, 2**63, [[1]]],
    "BigInt": [True, {}],
    "Float": ["1", False],
    "BigFloat": [1, 1.5, True],
    "Boolean": ["true", 1],
    "String": [1, True, {}],
    "UUID": [1],
    "Date": [20200101],
    "Time": [1],
    "Datetime": [1],
    "mood": ["angry", 1, ""],
    "mapped": ["so so", "angry"],
}


def test_values_of_the_wrong_kind_are_refused(api: Api) -> None:
    validates = api.application.services.settings.graphql_dialect == "standard"
    for i, (type_, _, graphql, _, filter_, _) in enumerate(TYPES):
        for wrong in WRONG.get(graphql, ()):
            query = f"query ($x: {filter_}) {{ everythingCollection(filter: {{c{i}: $x}}) {{ edges {{ cursor }} }} }}"
            answer = api.ask(query, {"x": {"eq": wrong}})
            assert answer.code == "BAD_USER_INPUT" and answer.status == 200, (type_, wrong, answer.body)  # noqa: PT018
            if not validates:
                assert answer.message.startswith(f"Invalid input for {graphql} type"), (type_, wrong)
    if not validates:
        numeric = next(i for i, each in enumerate(TYPES) if each[0] == "numeric")
        answer = api.ask(f"{{ everythingCollection(filter: {{c{numeric}: {{eq: 1.5}}}}) {{ edges {{ cursor }} }} }}")
        assert answer.message == "Invalid input for BigFloat type. String required"


def test_bigint_takes_numbers_too(api: Api) -> None:
    i = next(i for i, each in enumerate(TYPES) if each[0] == "int8")
    for value in (9223372036854775807, "9223372036854775807"):
        literal = f"{{ everythingCollection(filter: {{c{i}: {{eq: {json.dumps(value)}}}}}) {{ edges {{ cursor }} }} }}"
        assert api.ask(literal).data["everythingCollection"]["edges"] == [{"cursor": "WzFd"}]


def test_too_long_strings_are_refused_not_truncated(api: Api) -> None:
    message = "Invalid input for String type. Maximum character length 3"
    for type_, value in (("varchar(3)", "äöüx"), ("char(3)", "abcd"), ("varchar(3)[]", ["abc", "abcd"])):
        i = next(i for i, each in enumerate(TYPES) if each[0] == type_)
        operators = ["contains", "eq", "overlaps"] if type_.endswith("[]") else ["eq", "neq", "lt"]
        for operator in operators:
            query = f"{{ everythingCollection(filter: {{c{i}: {{{operator}: {json.dumps(value)}}}}}) {{ edges {{ cursor }} }} }}"  # noqa: E501
            assert api.ask(query).message == message, (type_, operator)
        if not type_.endswith("[]"):
            query = (
                f"{{ everythingCollection(filter: {{c{i}: {{in: [{json.dumps(value)}]}}}}) {{ edges {{ cursor }} }} }}"
            )
            assert api.ask(query).message == message
            # A pattern may be longer than what it matches.
            query = f'{{ everythingCollection(filter: {{c{i}: {{like: "%_%_%_%"}}}}) {{ edges {{ node {{ id }} }} }} }}'
            assert api.ask(query).data["everythingCollection"]["edges"] == [{"node": {"id": 1}}], type_


def test_types_without_usage_can_only_be_read(api: Api) -> None:
    fields = described(api, "secretive", "fields")
    # A column keeps its enum; an array of a type that may not be used is left out.
    assert fields == {"nodeId": "ID!", "id": "Int!", "one": "secret"}
    assert api.ask("{ secretiveCollection { edges { node { one } } } }").data == {
        "secretiveCollection": {"edges": [{"node": {"one": "s"}}]}
    }


def test_orderings_that_postgres_does_not_have_are_its_errors(api: Api) -> None:
    point = next(i for i, each in enumerate(TYPES) if each[0] == "point")
    answer = api.ask(f"{{ everythingCollection(orderBy: [{{c{point}: AscNullsLast}}]) {{ edges {{ cursor }} }} }}")
    if api.application.services.settings.graphql_dialect == "standard":
        assert answer.code == "GRAPHQL_VALIDATION_FAILED"
        return
    assert answer.errors[0]["extensions"]["sqlstate"] == "42883"
    assert answer.body["data"] is None
    assert "SELECT" not in json.dumps(answer.body)


NESTED = """
create type odd as enum ('a b', 'ok');
create function grid() returns int[] language sql stable as $$ select '{{1},{2}}'::int[] $$;
create function row_of_three() returns float8[] language sql stable as $$ select '{1,NaN,-Infinity}'::float8[] $$;
create function nothing_finite() returns float8 language sql stable as $$ select 'NaN'::float8 $$;
create sequence called;
create function counted() returns int[] language sql volatile as $$ select array[nextval('called')::int] $$;
create table nested (
  id int primary key, grid int[][] not null default '{}', words varchar(3)[][], cubes float8[][][],
  line int[] not null default '{}',
  odds odd[][], commented text[], f4 float4 not null default 0, f8 float8 not null default 0, fs float8[],
  n numeric default 'NaN', j jsonb not null default 'null'
);
comment on column nested.commented is '@graphql({"dimensions": 2})';
grant all on nested to anon; grant usage on sequence called to anon;
"""
NESTED_ROWS = """truncate nested;
insert into nested (id, grid, words, cubes, line, commented) values
  (1, '{{1,2},{3,null}}', '{{abc,null}}', '{{{1.5,NaN},{2,Infinity}}}', '{1,2}', '{{a,b}}'),
  (2, '{1,2}', '{a}', '{1}', '{{1},{2}}', '{a}'), (3, '{}', '{}', '{}', '{}', '{}');
insert into nested (id, f4, f8, fs) values
  (4, 'NaN', '-Infinity', '{NaN,1.5,Infinity,null,-Infinity}'), (5, 'Infinity', 1e300, '{}'), (6, 1.5, 'NaN', null);
"""


def test_arrays_of_several_dimensions_are_lists_of_lists(writing_api: StartApi) -> None:
    """They are lists of lists; a value of another number of dimensions than declared is null."""
    api = writing_api(NESTED, NESTED_ROWS)
    lists = {
        "grid": "[[Int]]",
        "words": "[[String]]",
        "cubes": "[[[Float]]]",
        "line": "[Int]",
        "commented": "[[String]]",
    }
    fields = described(api, "nested", "fields")
    # They are left out for an enum whose values have other names than its labels.
    assert {name: type_ for name, type_ in fields.items() if type_.startswith("[")} == {**lists, "fs": "[Float]"}
    assert lists.items() <= described(api, "nestedInsertInput", "inputFields").items()
    assert set(lists) & set(described(api, "nestedFilter", "inputFields")) == {"line"}
    data = api.ask(
        "{ nestedCollection(first: 3) { edges { node { grid words cubes line commented } } } grid three: row_of_three }"
    ).data
    assert [list(edge["node"].values()) for edge in data["nestedCollection"]["edges"]] == [
        [[[1, 2], [3, None]], [["abc", None]], [[[1.5, None], [2, None]]], [1, 2], [["a", "b"]]],
        [None] * 5,
        [[]] * 5,
    ]
    assert (data["grid"], data["three"]) == (None, [1, None, None])


def test_lists_of_lists_are_accepted(writing_api: StartApi) -> None:
    api = writing_api(NESTED, NESTED_ROWS)
    records = "{ records { grid words } }"
    row = {"grid": [[1, 2], [3, None]], "words": [["a,b", None], ['"', "{}"]]}
    insert = f"mutation ($o: [nestedInsertInput!]!) {{ insertIntonestedCollection(objects: $o) {records} }}"
    one = api.ask(insert, {"o": [{"id": 10, **row}]}).data["insertIntonestedCollection"]
    assert one["records"] == [row]
    many = api.ask(insert, {"o": [{"id": 11, **row}, {"id": 12, "grid": [], "words": []}]}).data
    assert many["insertIntonestedCollection"]["records"] == [row, {"grid": [], "words": []}]
    literal = api.ask(
        'mutation { updatenestedCollection(set: {grid: [[7], [8]], words: [["x"]]}, filter: {id: {eq: 1}}) '
        f"{records} }}"
    ).data
    assert literal["updatenestedCollection"]["records"] == [{"grid": [[7], [8]], "words": [["x"]]}]
    assert "3" in api.ask(insert, {"o": [{"id": 13, "words": [["long"]]}]}).message
    assert "null in place of a list" in api.ask(insert, {"o": [{"id": 13, "grid": [[1], None]}]}).message


def test_an_array_is_read_without_calling_its_function_again(writing_api: StartApi) -> None:
    api = writing_api(NESTED, "alter sequence called restart")
    assert api.ask("mutation { counted }").data == {"counted": [1]}
    assert api.ask("mutation { counted }").data == {"counted": [2]}


def test_floats_that_json_does_not_have_are_null(writing_api: StartApi) -> None:
    api = writing_api(NESTED, NESTED_ROWS)
    fields = described(api, "nested", "fields")
    assert [fields[name] for name in ("f4", "f8", "fs", "n", "j")] == ["Float", "Float", "[Float]", "BigFloat", "JSON"]
    data = api.ask("{ nestedCollection(filter: {id: {gt: 3}}) { edges { node { f4 f8 fs n } } } nothing_finite }").data
    assert [list(edge["node"].values()) for edge in data["nestedCollection"]["edges"]] == [
        [None, None, [None, 1.5, None, None, None], "NaN"],
        [None, 1e300, [], "NaN"],
        [1.5, None, None, "NaN"],
    ]
    assert data["nothing_finite"] is None
    peer = writing_api(NESTED, NESTED_ROWS, graphql_dialect="pg_graphql")
    assert peer.ask("{ nestedByPk(id: 4) { f4 grid } }").data["nestedByPk"] == {"f4": "NaN", "grid": []}
    assert api.ask("{ nestedByPk(id: 4) { j } }").data["nestedByPk"] == {"j": None}
