"""The memory kept for requests is bounded, for any documents."""

from __future__ import annotations

import gc

from app.bounded_cache import UNIT, BoundedCache
from app.graphql.values.values import Steering
from tests.graphql.conftest import StartApi


def test_large_values_count_as_several() -> None:
    cache: BoundedCache[str] = BoundedCache(4)
    for name in "abcd":
        cache.put(name, name, UNIT - 1)
    assert [cache.get(name) for name in "abcd"] == ["a", "b", "c", "d"]
    cache.put("large", "large", 2 * UNIT)
    assert [cache.get(name) for name in ("a", "b", "c", "d", "large")] == [None, None, None, "d", "large"]
    cache.put("too large", "x", 4 * UNIT)
    assert cache.get("too large") is None
    assert cache.get("large") == "large"
    assert (cache.hits, cache.misses) == (7, 4)


def test_values_that_are_used_outlive_others() -> None:
    cache: BoundedCache[int] = BoundedCache(3)
    for number in range(3):
        cache.put(number, number)
    for number in range(3, 20):
        assert cache.get(0) == 0
        cache.put(number, number)
    assert [number for number in range(20) if cache.get(number) is not None] == [0, 18, 19]


def test_documents_of_any_size_are_answered_and_few_of_the_large_kept(start_api: StartApi) -> None:
    api = start_api("create table t (id int primary key); grant select on t to anon;", plan_cache_entries=20)
    services = api.application.services
    for number in range(30):
        text = f"# {'x' * 400_000} {number}\n{{ tCollection {{ edges {{ cursor }} }} }}"
        assert api.ask(text).data == {"tCollection": {"edges": []}}
    assert len(services.engine.documents) <= 1
    assert len(services.engine.plans) <= 3
    for number in range(30):
        assert api.ask(f"{{ a{number}: tCollection {{ edges {{ cursor }} }} }}").data
    assert len(services.engine.documents) == 20


FILTERED = "query ($f: tFilter) { tCollection(filter: $f) { edges { cursor } } }"


def test_plans_for_variables_of_many_parts_count_as_several(start_api: StartApi) -> None:
    api = start_api("create table t (id int primary key); grant select on t to anon;", plan_cache_entries=10)
    for number in range(10):
        assert api.ask(FILTERED, {"f": {"or": [{}] * (1_500 + number)}}).data == {"tCollection": {"edges": []}}
    assert len(api.application.services.engine.plans) <= 5


def steering_parts() -> int:
    gc.collect()
    return sum(isinstance(each, Steering) for each in gc.get_objects())


def test_steering_parts_of_a_document_are_bounded(start_api: StartApi) -> None:
    names = [f"c{number}" for number in range(100)]
    api = start_api(
        f"create table t (id int primary key, {' int, '.join(names)} int); grant select on t to anon;",
        plan_cache_entries=10,
    )
    before = steering_parts()
    nested: object = {name: {"is": "NULL"} for name in names}
    for _ in range(20):
        nested = {"not": nested}
        assert api.ask(FILTERED, {"f": nested}).data == {"tCollection": {"edges": []}}
    assert steering_parts() - before < 2_500
