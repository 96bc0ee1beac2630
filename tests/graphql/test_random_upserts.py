"""Random upserts do what a model of them in Python does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create table item (id int primary key, code text collate "C", n int, place int default 7, kind text);
create unique index item_code on item (code);
create unique index item_place on item (place) where kind = 'a';
create unique index item_n on item (abs(n));
grant all on item to anon;
"""
Row = dict[str, Any]
COLUMNS = ("id", "code", "n", "place", "kind")
DEFAULTS: Row = {"code": None, "n": None, "place": 7, "kind": None}


def key_of(constraint: str, row: Row) -> Any:
    """The row's key in a constraint, which must be unique; None if the constraint does not apply to the row."""
    if constraint == "item_place":
        return row["place"] if row["kind"] == "a" else None
    if constraint == "item_n":
        return None if row["n"] is None else abs(row["n"])
    return row["id" if constraint == "item_pkey" else "code"]


CONSTRAINTS = ("item_pkey", "item_code", "item_place", "item_n")


class Conflict(Exception):
    """A row is in the way in another constraint than the chosen one."""


class Twice(Exception):
    """A row would be changed twice."""


@dataclass
class Model:
    """The table, and what an upsert says of it."""

    rows: list[Row]
    affected: list[Row] = field(default_factory=list)
    inserted: int = 0

    def upsert(
        self, objects: Sequence[Row], constraint: str | None, replaced: Sequence[str], filtered: int | None
    ) -> None:
        for given_values in objects:
            new = {**DEFAULTS, **given_values}
            there = self._in_the_way(new, (constraint,) if constraint else CONSTRAINTS)
            if there is None:
                if self._in_the_way(new, CONSTRAINTS) is not None:
                    raise Conflict
                self.rows.append(new)
                self.affected.append(new)
                self.inserted += 1
            elif replaced:
                if any(each is there for each in self.affected):
                    raise Twice
                if filtered is None or (there["n"] is not None and there["n"] > filtered):
                    there.update({name: new[name] for name in replaced})
                    self.affected.append(there)
                    if self._in_the_way(there, CONSTRAINTS, but=there) is not None:
                        raise Conflict

    def _in_the_way(self, new: Row, constraints: Sequence[str], but: Row | None = None) -> Row | None:
        for constraint in constraints:
            key = key_of(constraint, new)
            for each in self.rows:
                if key is not None and each is not but and key_of(constraint, each) == key:
                    return each
        return None

    def existing(self, objects: Sequence[Row], constraint: str) -> list[Row]:
        found: list[Row] = []
        for given_values in objects:
            there = self._in_the_way({**DEFAULTS, **given_values}, (constraint,))
            if there and not any(there is each for each in (*self.affected, *found)):
                found.append(there)
        return found


rows = st.fixed_dictionaries(
    {"id": st.integers(1, 5)},
    optional={
        "code": st.sampled_from(["x", "y", None]),
        "n": st.sampled_from([-2, -1, 1, 2, None]),
        "place": st.sampled_from([1, 2, None]),
        "kind": st.sampled_from(["a", "b", None]),
    },
)
whole_rows = st.fixed_dictionaries(
    {
        "id": st.integers(1, 5), "code": st.sampled_from(["x", "y", None]), "n": st.sampled_from([-2, -1, 1, None]),
        "place": st.sampled_from([1, 2, None]), "kind": st.sampled_from(["a", "b", None]),
    }
)  # fmt: skip
QUERY = """mutation ($objects: [itemInsertInput!]!, $do: itemOnConflict, $existing: Boolean!) {
  insertIntoitemCollection(objects: $objects, onConflict: $do) {
    affectedCount insertedCount records { id code n place kind } existing @include(if: $existing) { id } } }"""


def distinct(table: Sequence[Row]) -> list[Row]:
    model = Model([])
    model.upsert(table, None, (), None)
    return model.rows


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.lists(whole_rows, max_size=4).map(distinct),
    objects=st.lists(rows, min_size=1, max_size=4) | st.lists(whole_rows, min_size=1, max_size=4),
    constraint=st.sampled_from((None, *CONSTRAINTS)),
    replaced=st.lists(st.sampled_from(COLUMNS), max_size=2, unique=True),
    filtered=st.none() | st.integers(-2, 2),
)
def test_random_upserts_equal_the_model(
    writing_api: StartApi,
    postgres: PostgresServer,
    table: list[Row],
    objects: list[Row],
    constraint: str | None,
    replaced: list[str],
    filtered: int | None,
) -> None:
    api = writing_api(SCHEMA, "truncate item; " + "; ".join(map(_insert, table)))
    chosen = constraint or ("item_pkey" if replaced else None)
    needed: Mapping[str | None, tuple[str, ...]] = {
        "item_pkey": ("id",), "item_code": ("code",), "item_place": ("place", "kind")
    }  # fmt: skip
    tells = chosen in needed and all(name in each for name in needed[chosen] for each in objects)
    do = {"constraint": constraint, "updateColumns": replaced}
    if filtered is not None:
        do["filter"] = {"n": {"gt": filtered}}
    answer = api.ask(QUERY, {"objects": objects, "do": do, "existing": tells})
    model = Model([dict(each) for each in table])
    try:
        model.upsert(objects, chosen, replaced, filtered)
    except Conflict:
        # A row that would be changed twice may come first or last: both are errors.
        assert answer.code in ("UNIQUE_VIOLATION", "CARDINALITY_VIOLATION", "NOT_NULL_VIOLATION")
        return
    except Twice:
        assert answer.code in ("CARDINALITY_VIOLATION", "UNIQUE_VIOLATION")
        return
    reported = answer.data["insertIntoitemCollection"]
    assert reported["records"] == model.affected
    assert (reported["affectedCount"], reported["insertedCount"]) == (len(model.affected), model.inserted)
    if tells:
        assert [each["id"] for each in reported["existing"]] == [
            each["id"] for each in model.existing(objects, chosen or "")
        ]
    kept = postgres.execute("select id, code, n, place, kind from item order by id", api.database_url)
    assert kept == [[each[name] for name in COLUMNS] for each in sorted(model.rows, key=lambda each: each["id"])]


def _insert(row: Row) -> str:
    def literal(value: Any) -> str:
        return "null" if value is None else f"'{value}'"

    return f"insert into item values ({', '.join(literal(row[name]) for name in COLUMNS)})"
