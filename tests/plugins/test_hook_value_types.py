"""The hook ``value_types``: what changes the type of columns is there where VALUE_TYPES chooses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from graphql import GraphQLString

from app.discovery import configure
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.sql.texts import StringText, as_is
from app.settings import SettingError
from schema_cache.model import Type
from tests.graphql.api import Api

TABLES = """
create table place (id int primary key, spot point);
insert into place values (1, '(1,2)');
grant select on place to anon;
"""


class Points:
    """Shows points as strings."""

    @hookimpl
    def value_types(self) -> Sequence[str]:
        return ["points"]

    @hookimpl(tryfirst=True)
    def value_type(self, type_: Type) -> ValueType | None:
        return ValueType(GraphQLString, as_is, StringText("String"), "String") if type_.name == "point" else None


PLUGINS = {"points": Points}


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
@pytest.mark.parametrize(
    ("chosen", "is_there"), [("", False), ("all", True), ("points", True), ("domains", False), ("domains,points", True)]
)
def test_hook_value_types(start_api: Callable[..., Api], chosen: str, is_there: bool, dialect: str) -> None:
    api = start_api(
        TABLES, plugins=PLUGINS, value_types=tuple(filter(None, chosen.split(","))), graphql_dialect=dialect
    )
    types = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map
    expected = "String" if is_there and dialect == "standard" else "Opaque"
    assert str(types["place"].fields["spot"].type) == expected  # type: ignore[attr-defined]
    assert api.ask("{ placeByPk(id: 1) { spot } }").data == {"placeByPk": {"spot": "(1,2)"}}


@pytest.mark.parametrize("words", ["point", "points,pints", "-points"])
def test_an_unknown_value_type_is_refused_with_the_known_ones(words: str) -> None:
    unknown = words.rpartition(",")[2]
    with pytest.raises(SettingError) as raised:
        configure({"VALUE_TYPES": words}, extra=PLUGINS)
    known = "bytes, domains, geo, interval, ltree, network, points, ranges, vector"
    assert str(raised.value) == f"VALUE_TYPES: no type of values is called {unknown!r}; there are {known}"
