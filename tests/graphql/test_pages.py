"""Pages: the rows of a page and its pageInfo, compared with a model of the rules in a few lines of Python."""

from __future__ import annotations

import base64
import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

MAX_ROWS = 4
ROWS = [(1, 3, "b"), (2, None, "a"), (3, 1, "b"), (4, 3, "a"), (5, None, "c"), (6, 2, "c"), (7, 1, "c")]
SCHEMA = f"""
create table item (id int primary key, rank int, name text not null);
insert into item values {", ".join(f"({i}, {'null' if r is None else r}, '{n}')" for i, r, n in ROWS)};
create table nothing (id int primary key);
comment on table item is '@graphql({{"max_rows": {MAX_ROWS}, "totalCount": {{"enabled": true}}}})';
grant select on item, nothing to anon;
"""
COLUMNS = {"id": 0, "rank": 1, "name": 2}
Order = tuple[tuple[str, str], ...]
ORDERS: Sequence[Order] = (
    (),
    (("rank", "AscNullsFirst"),),
    (("rank", "AscNullsLast"),),
    (("rank", "DescNullsFirst"),),
    (("rank", "DescNullsLast"),),
    (("name", "DescNullsLast"), ("rank", "AscNullsFirst")),
    (("name", "AscNullsLast"), ("id", "AscNullsFirst")),
    (("id", "DescNullsFirst"),),
)


def encode(values: Sequence[Any]) -> str:
    return base64.b64encode(json.dumps(list(values), ensure_ascii=False).encode()).decode()


@dataclass(frozen=True)
class Window:
    """The arguments of a collection; ``cursor`` is the id of the row that after (or before, going backward) names."""

    order: Order = ()
    first: int | None = None
    last: int | None = None
    after: int | None = None
    before: int | None = None
    offset: int | None = None

    @property
    def keys(self) -> Order:
        return (*self.order, ("id", "AscNullsLast"))

    def sort_key(self, row: Sequence[Any]) -> list[tuple[int, Any]]:
        result: list[tuple[int, Any]] = []
        for column, direction in self.keys:
            value = row[COLUMNS[column]]
            if value is None:
                result.append((0 if "NullsFirst" in direction else 2, 0))
            else:
                number = value if isinstance(value, int) else ord(value)
                result.append((1, -number if direction.startswith("Desc") else number))
        return result

    def cursor(self, row: Sequence[Any]) -> str:
        return encode([row[COLUMNS[column]] for column, _ in self.keys])

    def arguments(self) -> str:
        parts = [
            f"{name}: {getattr(self, name)}" for name in ("first", "last", "offset") if getattr(self, name) is not None
        ]
        for name in ("after", "before"):
            if getattr(self, name) is not None:
                parts.append(f'{name}: "{self.cursor(ROWS[getattr(self, name) - 1])}"')
        if self.order:
            parts.append(f"orderBy: [{', '.join(f'{{{column}: {direction}}}' for column, direction in self.order)}]")
        return f"({', '.join(parts)})" if parts else ""

    def expected(self) -> dict[str, Any]:
        """The rows of this window, by the rules of the specification."""
        everything = sorted(ROWS, key=self.sort_key)
        rows = everything
        size = min(next((n for n in (self.first, self.last) if n is not None), MAX_ROWS), MAX_ROWS)
        if self.after is not None:
            rows = [row for row in rows if self.sort_key(row) > self.sort_key(ROWS[self.after - 1])]
        if self.before is not None:
            rows = [row for row in rows if self.sort_key(row) < self.sort_key(ROWS[self.before - 1])]
        if self.last is not None or self.before is not None:
            page = rows[max(len(rows) - size, 0) :]
            previous, next_ = len(rows) > size, bool(page) and everything[-1] not in page
        else:
            rows = rows[self.offset or 0 :]
            page = rows[:size]
            previous, next_ = bool(page) and everything[0] not in page, len(rows) > size
        return {
            "edges": [{"cursor": self.cursor(row), "node": {"id": row[0]}} for row in page],
            "pageInfo": {
                "startCursor": self.cursor(page[0]) if page else None,
                "endCursor": self.cursor(page[-1]) if page else None,
                "hasNextPage": next_,
                "hasPreviousPage": previous,
            },
        }


def windows() -> Iterator[Window]:
    sizes, rows = (None, 0, 1, 2, 4, 9), (None, 1, 2, 5, 7)
    for order in ORDERS:
        for first, after, offset in itertools.product(sizes, rows, (None, 0, 1, 3, 9)):
            if offset in (None, 1) or first in (None, 2):
                yield Window(order, first=first, after=after, offset=offset)
        for last, before in itertools.product(sizes, (*rows, 3, 4, 6)):
            if last is not None or before is not None:
                yield Window(order, last=last, before=before)


SELECTIONS: Sequence[tuple[str, Callable[[dict[str, Any]], Any]]] = (
    (
        "edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }",
        lambda page: page,
    ),
    (
        "pageInfo { startCursor hasNextPage }",
        lambda page: {"pageInfo": {name: page["pageInfo"][name] for name in ("startCursor", "hasNextPage")}},
    ),
    (
        "pageInfo { hasPreviousPage endCursor }",
        lambda page: {"pageInfo": {name: page["pageInfo"][name] for name in ("hasPreviousPage", "endCursor")}},
    ),
)


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(
        SCHEMA, root_field_limit=500, alias_limit=5000, token_limit=50_000, field_limit=20_000, body_limit=10_000_000
    )


@pytest.mark.parametrize("selection", range(len(SELECTIONS)), ids=["all", "start", "end"])
def test_pages_equal_those_of_the_model(api: Api, selection: int) -> None:
    text, part = SELECTIONS[selection]
    asked = random.Random(selection).sample(list(windows()), 300 if selection == 0 else 150)
    for start in range(0, len(asked), 100):
        some = asked[start : start + 100]
        query = "\n".join(f"w{i}: itemCollection{window.arguments()} {{ {text} }}" for i, window in enumerate(some))
        data = api.ask(f"{{ {query} }}").data
        for i, window in enumerate(some):
            assert data[f"w{i}"] == part(window.expected()), window


def test_the_model_has_many_windows() -> None:
    """Compares with the model: nulls at both ends, ties, empty pages, pages over the limit."""
    assert len(list(windows())) > 800


def test_null_arguments_count_as_absent(api: Api) -> None:
    everything = api.ask("{ itemCollection { edges { node { id } } } }").data
    literal = "(first: null, last: null, before: null, after: null, offset: null, filter: null, orderBy: null)"
    assert api.ask(f"{{ itemCollection{literal} {{ edges {{ node {{ id }} }} }} }}").data == everything
    query = """query ($first: Int, $last: Int, $before: Cursor, $after: Cursor, $offset: Int,
        $filter: itemFilter, $orderBy: [itemOrderBy!]) {
      itemCollection(first: $first, last: $last, before: $before, after: $after, offset: $offset, filter: $filter,
        orderBy: $orderBy) { edges { node { id } } } }"""
    nulls = dict.fromkeys(("first", "last", "before", "after", "offset", "filter", "orderBy"))
    assert api.ask(query, nulls).data == everything
    assert api.ask(query, {}).data == everything
    # A null does not conflict with the argument it would conflict with.
    assert ids(api, "(first: 2, last: null)") == ids(api, "(first: 2)")
    assert ids(api, "(last: 2, after: null, offset: null)") == [6, 7]


def ids(api: Api, arguments: str, variables: Any = None, declared: str = "") -> list[int]:
    data = api.ask(f"query {declared} {{ itemCollection{arguments} {{ edges {{ node {{ id }} }} }} }}", variables).data
    return [edge["node"]["id"] for edge in data["itemCollection"]["edges"]]


def test_order_by_accepts_all_its_forms(api: Api) -> None:
    assert ids(api, "(orderBy: [])") == [1, 2, 3, 4]
    assert ids(api, "(orderBy: {id: DescNullsLast})") == [7, 6, 5, 4]
    assert ids(api, "(orderBy: [{rank: null}, {id: DescNullsLast}])") == [7, 6, 5, 4]
    declared = "($d: OrderByDirection)"
    assert ids(api, "(orderBy: [{id: $d}])", {}, declared) == [1, 2, 3, 4]
    assert ids(api, "(orderBy: [{id: $d}])", {"d": None}, declared) == [1, 2, 3, 4]
    # The direction steers the SQL: a plan made for one must not answer for another.
    assert ids(api, "(orderBy: [{id: $d}])", {"d": "DescNullsFirst"}, declared) == [7, 6, 5, 4]
    assert ids(api, "(orderBy: [{id: $d}])", {"d": "AscNullsFirst"}, declared) == [1, 2, 3, 4]
    assert ids(api, "(orderBy: [{rank: AscNullFirst}], first: 2)") == [2, 5]
    assert ids(api, "(orderBy: $o)", {"o": {"rank": "DescNullsLast"}}, "($o: [itemOrderBy!])") == [1, 4, 6, 3]


def test_several_columns_in_one_element_are_refused(api: Api, reading_api: StartApi) -> None:
    arguments = "(orderBy: [{name: DescNullsLast, rank: AscNullsFirst}])"
    answer = api.ask(f"{{ itemCollection{arguments} {{ edges {{ node {{ id }} }} }} }}")
    assert answer.code == "BAD_USER_INPUT"
    assert "one column" in answer.message
    assert ids(reading_api(SCHEMA, graphql_dialect="pg_graphql"), arguments) == [5, 7, 6, 3]


def test_a_shorter_cursor_is_a_prefix(api: Api) -> None:
    order = "orderBy: [{name: AscNullsLast}]"
    # Rows with an equal prefix are not after it.
    assert ids(api, f'({order}, after: "{encode(["b"])}")') == [5, 6, 7]
    assert ids(api, f'({order}, before: "{encode(["b"])}")') == [2, 4]
    assert ids(api, f'(after: "{encode([])}")') == []


def test_a_cursor_need_not_be_of_a_row(api: Api) -> None:
    page = "edges { node { id } } pageInfo { hasPreviousPage hasNextPage }"
    before_all = api.ask(f'{{ itemCollection(first: 2, after: "{encode([-5])}") {{ {page} }} }}').data["itemCollection"]
    assert [edge["node"]["id"] for edge in before_all["edges"]] == [1, 2]
    assert before_all["pageInfo"] == {"hasPreviousPage": False, "hasNextPage": True}
    behind_all = api.ask(f'{{ itemCollection(after: "{encode([99])}") {{ {page} }} }}').data["itemCollection"]
    assert behind_all == {"edges": [], "pageInfo": {"hasPreviousPage": False, "hasNextPage": False}}


def test_pages_follow_the_filter(api: Api) -> None:
    query = """{ itemCollection(filter: {rank: {is: NOT_NULL}}, first: 2, after: "%s") {
      totalCount edges { node { id } } pageInfo { hasPreviousPage hasNextPage } } }"""
    # The first row of the filtered set is 1, which is not on the page; 2 and 5 are not in the set.
    assert api.ask(query % encode([1])).data["itemCollection"] == {
        "totalCount": 5,
        "edges": [{"node": {"id": 3}}, {"node": {"id": 4}}],
        "pageInfo": {"hasPreviousPage": True, "hasNextPage": True},
    }


def test_an_empty_relation_has_empty_pages(api: Api) -> None:
    for arguments in ("", "(first: 0)", "(first: 3)", "(last: 3)", "(offset: 2)", f'(after: "{encode([1])}")'):
        query = f"""{{ nothingCollection{arguments} {{ edges {{ node {{ id }} }}
            pageInfo {{ startCursor endCursor hasNextPage hasPreviousPage }} }} }}"""
        assert api.ask(query).data["nothingCollection"] == {
            "edges": [],
            "pageInfo": {"startCursor": None, "endCursor": None, "hasNextPage": False, "hasPreviousPage": False},
        }


ERRORS = [
    ("first: -1", "`first` must be an unsigned integer"),
    ("last: -1", "`last` must be an unsigned integer"),
    ("offset: -1", "`offset` must be an unsigned integer"),
    ("first: 1, last: 1", 'only one of "first" and "last" may be provided'),
    ('before: "WzFd", after: "WzFd"', 'only one of "before" and "after" may be provided'),
    ('first: 1, before: "WzFd"', '"first" may only be used with "after"'),
    ('last: 1, after: "WzFd"', '"last" may only be used with "before"'),
    ("offset: 1, last: 1", '"offset" may only be used with "first" and "after"'),
    ('offset: 1, before: "WzFd"', '"offset" may only be used with "first" and "after"'),
    # The sign is checked first, then the cursor, then the combinations.
    ('first: -1, last: 1, before: "x"', "`first` must be an unsigned integer"),
    ('first: 1, last: 1, before: "x"', "Failed to decode cursor, error 1"),
    ('after: "not base64"', "Failed to decode cursor, error 1"),
    (f'after: "{base64.b64encode(bytes([255])).decode()}"', "Failed to decode cursor, error 2"),
    (f'after: "{base64.b64encode(b"[1").decode()}"', "Failed to decode cursor, error 3"),
    (f'after: "{base64.b64encode(b"[NaN]").decode()}"', "Failed to decode cursor, error 3"),
    (f'after: "{base64.b64encode(b"7").decode()}"', "Failed to decode cursor, error 4"),
    ('after: ""', "Failed to decode cursor, error 3"),
    (f'after: "{encode([1, 2])}"', "orderBy clause incompatible with pagination cursor"),
]


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_invalid_arguments_are_refused(api: Api, reading_api: StartApi, dialect: str) -> None:
    api = api if dialect == "standard" else reading_api(SCHEMA, graphql_dialect=dialect)
    for arguments, message in ERRORS:
        answer = api.ask(f"{{ itemCollection({arguments}) {{ edges {{ cursor }} }} }}")
        assert (answer.message, answer.code, answer.status) == (message, "BAD_USER_INPUT", 200), arguments
        assert answer.body["data"] is None


def test_invalid_variables_are_refused_with_a_known_plan(api: Api) -> None:
    """An invalid value is reported even if a plan for the shape exists."""
    query = """query ($first: Int, $after: Cursor, $offset: Int) {
      itemCollection(first: $first, after: $after, offset: $offset) { edges { cursor } } }"""
    good = {"first": 1, "after": "WzFd", "offset": 1}
    for name, value, message in (
        ("first", -1, "`first` must be an unsigned integer"),
        ("offset", -7, "`offset` must be an unsigned integer"),
        ("after", "WzEs", "Failed to decode cursor, error 3"),
        ("after", encode([1, 1]), "orderBy clause incompatible with pagination cursor"),
    ):
        assert api.ask(query, good).data["itemCollection"]["edges"] == [{"cursor": "WzNd"}]
        assert api.ask(query, {**good, name: value}).message == message


def test_a_cursor_of_another_type_is_refused_by_the_database(api: Api) -> None:
    answer = api.ask(f'{{ itemCollection(after: "{encode(["x"])}") {{ edges {{ cursor }} }} }}')
    assert answer.code == "INVALID_TEXT_REPRESENTATION"
    assert answer.errors[0]["extensions"]["sqlstate"] == "22P02"


@pytest.mark.parametrize(
    ("table", "schema", "setting", "expected"),
    [(None, None, None, 30), (None, None, 7, 7), (None, 3, 7, 3), (2, 3, 7, 2), (0, 3, 7, 0), (50, None, 7, 50)],
)
def test_max_rows_limits_pages(
    reading_api: StartApi, table: int | None, schema: int | None, setting: int | None, expected: int
) -> None:
    sql = """
        create table parent (id int primary key);
        create table child (id int primary key, parent_id int references parent);
        create view child_view as select * from child;
        comment on view child_view is '@graphql({"primary_key_columns": ["id"]})';
        insert into parent values (1);
        insert into child select i, 1 from generate_series(1, 60) i;
        grant select on all tables in schema public to anon;
    """
    if schema is not None:
        sql += f"""comment on schema public is '@graphql({{"max_rows": {schema}}})';"""
    if table is not None:
        sql += f"""comment on table child is '@graphql({{"max_rows": {table}}})';"""
    api = reading_api(sql, **({} if setting is None else {"max_rows": setting}))
    query = """{ childCollection { ...count } more: childCollection(first: 100) { ...count }
        last: childCollection(last: 100) { ...count } less: childCollection(first: 1) { ...count }
        parentCollection(first: 1) { edges { node { childCollection { ...count } } } }
        child_viewCollection { edges { cursor } } }
      fragment count on childConnection { edges { cursor } }"""
    data = api.ask(query).data
    assert [len(data[key]["edges"]) for key in ("childCollection", "more", "last", "less")] == [
        expected,
        expected,
        expected,
        min(expected, 1),
    ]
    inner = [edge["node"]["childCollection"]["edges"] for edge in data["parentCollection"]["edges"]]
    assert [len(edges) for edges in inner] == [expected]
    # A view has its schema's limit, not that of the underlying table.
    assert (
        len(data["child_viewCollection"]["edges"]) == (30 if setting is None else setting) if schema is None else schema
    )
