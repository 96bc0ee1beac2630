"""Random filters by related rows find the rows that a model in Python finds in the same random rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.query.plan.existence import MOST_JOINED
from tests.graphql.conftest import StartApi
from tests.postgres_server import connect

SCHEMA = """
create table person (id int primary key, person_id int references person, n int);
create table badge (person_id int primary key references person, n int);
create table paper (id int primary key, person_id int references person, n int);
create table note (id int primary key, paper_id int references paper, n int);
select setseed({seed});
insert into person select k, case when random() < 0.7 then 1 + floor(random() * k)::int end,
  case when random() < 0.7 then floor(random() * 4)::int end from generate_series(1, 12) k;
insert into badge select k, case when random() < 0.7 then floor(random() * 4)::int end
  from generate_series(1, 12) k where random() < 0.5;
insert into paper select k, case when random() < 0.8 then 1 + floor(random() * 12)::int end,
  case when random() < 0.7 then floor(random() * 4)::int end from generate_series(1, 20) k;
insert into note select k, case when random() < 0.8 then 1 + floor(random() * 20)::int end,
  case when random() < 0.7 then floor(random() * 4)::int end from generate_series(1, 30) k;
comment on schema public is '@graphql({{"inflect_names": true, "max_rows": 100}})';
comment on table paper is '@graphql({{"aggregate": {{"enabled": true}}}})';
grant select on all tables in schema public to anon;
"""

Row = Mapping[str, Any]
Rows = Mapping[str, list[dict[str, Any]]]

ONE = {
    "person": {"person": ("person", "person_id", "id"), "badge": ("badge", "id", "person_id")},
    "badge": {"person": ("person", "person_id", "id")},
    "paper": {"person": ("person", "person_id", "id")},
    "note": {"paper": ("paper", "paper_id", "id")},
}
"""By relation and member: the relation that it leads to, the column there leads from, and the one it leads to."""

MANY = {
    "person": {"personCollection": ("person", "id", "person_id"), "paperCollection": ("paper", "id", "person_id")},
    "badge": {},
    "paper": {"noteCollection": ("note", "id", "paper_id")},
    "note": {},
}
NEVER_RELATED = {
    "person": {"paperCollection": {"none": {"id": {"eq": -1}}}},
    "paper": {"noteCollection": {"none": {"id": {"eq": -1}}}},
    "note": {"not": {"paper": {"id": {"eq": -1}}}},
}
"""Filters that match every row. PostgreSQL stops joining related rows after a few of them."""

TRUE_OR_FALSE = {"eq": lambda a, b: a == b, "gt": lambda a, b: a > b, "lte": lambda a, b: a <= b}

numbers = st.fixed_dictionaries({}, optional={name: st.integers(0, 3) for name in TRUE_OR_FALSE})


@cache
def filters(relation: str, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    members: dict[str, st.SearchStrategy[Any]] = {"n": numbers}
    if depth:
        inner = filters(relation, depth - 1)
        members |= {"not": inner, "or": st.lists(inner, max_size=2), "and": st.lists(inner, max_size=3)}
        for name, (target, _, _) in ONE[relation].items():
            members[name] = st.one_of(st.none(), filters(target, depth - 1))
            members[f"{name}Exists"] = st.one_of(st.none(), st.booleans())
        for name, (target, _, _) in MANY[relation].items():
            members[name] = many(target, depth - 1)
    # A few members at a time, or nothing is found.
    return st.lists(st.sampled_from(sorted(members)), max_size=1 + (depth + 1) % 2, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: members[name] for name in names})
    )


@cache
def many(target: str, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    members: dict[str, st.SearchStrategy[Any]] = {name: filters(target, depth) for name in ("some", "none", "every")}
    together: dict[str, st.SearchStrategy[Any]] = {"filter": filters(target, depth), "count": numbers}
    if target == "paper":
        big = st.fixed_dictionaries({}, optional={name: st.integers(0, 6).map(str) for name in TRUE_OR_FALSE})
        together |= {"sum": st.fixed_dictionaries({"n": big}), "max": st.fixed_dictionaries({"n": numbers})}
    members |= {"exists": st.booleans(), "aggregate": st.fixed_dictionaries({}, optional=together)}
    return st.lists(st.sampled_from(sorted(members)), max_size=1 + depth % 2, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: members[name] for name in names})
    )


class Model:
    """Evaluates filters for a row: True, False, None for unknown, or NOTHING if the filter has no effect."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def related(self, row: Row, link: tuple[str, str, str]) -> list[dict[str, Any]]:
        target, local, foreign = link
        return [each for each in self.rows[target] if row[local] is not None and each[foreign] == row[local]]

    def effect(self, relation: str, filter_: Mapping[str, Any] | None) -> bool:
        """Whether a filter has any, which does not depend on rows."""
        return bool(self.judge(relation, self.rows[relation][0], filter_ or {}) is not NOTHING)

    def judge(self, relation: str, row: Row, filter_: Mapping[str, Any]) -> Any:
        return all_of([self.member(relation, row, name, value) for name, value in filter_.items()])

    def member(self, relation: str, row: Row, name: str, value: Any) -> Any:
        if name == "n":
            return compare(row["n"], value)
        if name == "not":
            part = self.judge(relation, row, value)
            return part if part is NOTHING or part is None else not part
        if name in ("or", "and"):
            combine = any_of if name == "or" else all_of
            return combine([self.judge(relation, row, each) for each in value])
        if name.endswith("Exists"):
            found = self.related(row, ONE[relation][name.removesuffix("Exists")])
            return NOTHING if value is None else bool(found) is value
        if name in ONE[relation]:
            link = ONE[relation][name]
            if not self.effect(link[0], value):
                return NOTHING
            return any(self.judge(link[0], each, value) is True for each in self.related(row, link))
        link = MANY[relation][name]
        return all_of([self.of_many(link[0], self.related(row, link), key, each) for key, each in value.items()])

    def of_many(self, target: str, rows: list[dict[str, Any]], name: str, value: Any) -> Any:
        if name == "exists":
            return bool(rows) is value
        if name == "aggregate":
            narrowing = value.get("filter")
            if self.effect(target, narrowing):
                rows = [each for each in rows if self.judge(target, each, narrowing) is True]
            known = [each["n"] for each in rows if each["n"] is not None]
            made = {"count": len(rows), "sum": sum(known) if known else None, "max": max(known, default=None)}
            parts = [
                compare(made[key], {operator: int(each) for operator, each in (given.get("n", given)).items()})
                for key, given in value.items()
                if key != "filter"
            ]
            held = all_of(parts)
            return held if held is NOTHING else held is True
        if not self.effect(target, value):
            return NOTHING
        judged = [self.judge(target, each, value) is True for each in rows]
        return {"some": any(judged), "none": not any(judged), "every": all(judged)}[name]


NOTHING = object()


def compare(value: int | None, operators: Mapping[str, int]) -> Any:
    return all_of([None if value is None else TRUE_OR_FALSE[name](value, each) for name, each in operators.items()])


def all_of(parts: list[Any]) -> Any:
    parts = [part for part in parts if part is not NOTHING]
    return NOTHING if not parts else False if False in parts else None if None in parts else True


def any_of(parts: list[Any]) -> Any:
    parts = [part for part in parts if part is not NOTHING]
    return NOTHING if not parts else True if True in parts else None if None in parts else False


@pytest.mark.parametrize("seed", [0.1, 0.2])
def test_random_related_filters_equal_the_model(reading_api: StartApi, seed: float) -> None:
    api = reading_api(SCHEMA.format(seed=seed))
    database = connect(api.database_url)
    rows: Rows = {
        name: json.loads((database.execute_simple(f"select json_agg(t)::text from {name} t").rows or [])[0][0])
        for name in ONE
    }
    database.close()
    model = Model(rows)
    query = "query ($f: %sFilter) { found: %sCollection(filter: $f) { edges { node { id } } } }"

    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(
        st.sampled_from(["person", "paper", "note"]).flatmap(lambda name: st.tuples(st.just(name), filters(name, 4)))
    )
    def check(case: tuple[str, dict[str, Any]]) -> None:
        relation, filter_ = case
        held = {each["id"] for each in rows[relation] if model.judge(relation, each, filter_) in (True, NOTHING)}
        asked = query % (relation.capitalize(), relation)
        for sent in (filter_, {"and": [*[NEVER_RELATED[relation]] * MOST_JOINED, filter_]}):
            found = api.ask(asked, {"f": sent}).data["found"]["edges"]
            assert {each["node"]["id"] for each in found} == held, sent

    check()
