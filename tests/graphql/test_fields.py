"""Fields that are made on first use, and the choice among fields with the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.graphql.schema.fields import Deferred, Fields, deferred, in_order


class Made:
    """Makes fields, which are strings here, and remembers which."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, *names: str, absent: str = "") -> Deferred:
        return Deferred({name: self._maker(name, name == absent) for name in names})

    def _maker(self, name: str, is_absent: bool) -> Callable[[], str | None]:
        def make() -> str | None:
            self.names.append(name)
            return None if is_absent else f"the {name}"

        return make


@pytest.fixture
def made() -> Made:
    return Made()


def test_only_the_named_field_is_made(made: Made) -> None:
    fields = made("a", "b")
    assert [fields["a"], fields.get("a"), "a" in fields] == ["the a", "the a", True]
    assert list(fields.names) == ["a", "b"]
    assert made.names == ["a"]


def test_an_absent_field_is_not_in_the_type(made: Made) -> None:
    fields = made("a", "b", "c", absent="b")
    assert "b" not in fields
    assert fields.get("b") is None
    assert dict(fields) == {"a": "the a", "c": "the c"}
    assert len(fields) == 2
    assert made.names == ["b", "a", "c"]
    with pytest.raises(KeyError):
        fields["other"]


def test_ordering_fields_makes_none(made: Made) -> None:
    fields = deferred([Fields(2, made("z", "_x")), None, Fields(1, {"m": "plain"})], str.isalpha, pytest.fail)
    assert list(fields.names) == ["m", "z"]
    assert made.names == []
    assert dict(fields) == {"m": "plain", "z": "the z"}


@pytest.mark.parametrize("absent", ["", "b"])
def test_deferred_fields_have_the_order_of_ordinary_ones(made: Made, absent: str) -> None:
    contributions: list[Fields | None] = [
        Fields(3, {"a": "late", "b": "late"}),
        Fields(1, made("a", "b", "c", absent=absent)),
        Fields(2, {"c": "precious"}, precedence=1),
        Fields(4, {"c": "last"}, precedence=1),
    ]
    chosen: list[Any] = []
    for choose in (in_order, lambda given, left_out: deferred(given, str.isalpha, left_out)):
        left_out: list[str] = []
        chosen.append((dict(choose(contributions, left_out.append)), sorted(left_out)))  # type: ignore[operator]
    assert chosen[0] == chosen[1]
    assert chosen[1][0] == {"a": "the a", "b": "late" if absent else "the b", "c": "precious"}
