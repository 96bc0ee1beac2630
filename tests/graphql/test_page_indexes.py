"""The advice of ``portico doctor`` on orders by keys that no index has, and the pages of ``extensions.explain``."""

from __future__ import annotations

from typing import Any

import pytest

from app.commands.notices import left_out
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.requests import ask_with

SCHEMA = """
create table parent (id int primary key);
create table small (id int primary key, parent_id int references parent);
create table child (id int primary key, parent_id int references parent, uncle_id int references parent);
create index on child (uncle_id desc, id);
create table keyless (tenant int not null, "Number" int not null);
comment on table keyless is '@graphql({"primary_key_columns": ["tenant", "Number"]})';
create index on keyless (tenant, "Number" desc);
insert into parent select n from generate_series(1, 10) n;
insert into small select n, n % 10 + 1 from generate_series(1, 100) n;
insert into child select n, n % 10 + 1, n % 10 + 1 from generate_series(1, 20000) n;
insert into keyless select n % 7, n from generate_series(1, 20000) n;
create index on child (parent_id) where id > 5;
grant select on all tables in schema public to anon, service_role;
analyze;
"""


def advice(api: Api) -> dict[str, str]:
    found = left_out(api.application.services.engine)
    return {each.what: each.fix for each in found if "no index" in each.what}


def test_large_tables_without_an_index_in_the_order_of_a_key_are_named(reading_api: StartApi) -> None:
    assert advice(reading_api(SCHEMA)) == {
        "table public.child: no index finds the rows of childCollectionByParentId in their order:"
        " rows with one value of (parent_id), by (id)": 'create index on "public"."child" ("parent_id", "id")',
        "table public.keyless: no index has the order of its key (tenant, Number)": (
            'create index on "public"."keyless" ("tenant", "Number")'
        ),
    }


def test_the_indexes_of_the_advice_are_enough(start_api: StartApi) -> None:
    api = start_api(SCHEMA)
    fixed = start_api(SCHEMA + ";".join(advice(api).values()))
    assert advice(fixed) == {}


PAGES = [
    ("first: 3", "index", None),
    ('first: 3, after: "WzldIA=="', "index", None),
    ("first: 3, filter: {parent_id: {eq: 4}, id: {gt: 9}}", "filter", "condition"),
    ("first: 3, orderBy: [{parent_id: AscNullsLast}]", "sort", "order"),
]


@pytest.mark.parametrize(("window", "by", "member"), PAGES, ids=[each[0] for each in PAGES])
def test_explain_says_how_a_page_is_found(reading_api: StartApi, window: str, by: str, member: str | None) -> None:
    api = reading_api(SCHEMA, explain_roles=("anon",))
    query = f"{{ childCollection({window}) {{ edges {{ node {{ id }} }} }} }}"
    (entry,) = ask_with(api, {"explain": "plan"}, query).body["extensions"]["explain"]
    (page,) = entry["pages"]
    assert (page["relation"], page["foundBy"]) == ("child", by)
    assert page["alias"] in entry["sql"]
    assert member is None or "parent_id" in str(page[member])


def test_explain_lists_each_range_of_a_page(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, explain_roles=("anon",))
    query = (
        '{ childCollection(first: 3, after: "WzQsIDld", orderBy: [{uncle_id: DescNullsFirst}]) { edges { cursor } } }'
    )
    (entry,) = ask_with(api, {"explain": "plan"}, query).body["extensions"]["explain"]
    pages: list[dict[str, Any]] = entry["pages"]
    assert [each["foundBy"] for each in pages] == ["index", "index"]
