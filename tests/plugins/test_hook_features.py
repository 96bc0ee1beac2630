"""The hook ``features``: what goes beyond pg_graphql is there where dialect and setting offer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from graphql import GraphQLField, GraphQLInputField, GraphQLInt, GraphQLObjectType, GraphQLString

from app.discovery import configure, plugin_manager
from app.graphql.schema.dialect import PG_GRAPHQL, STANDARD
from app.graphql.schema.features import Features, UnknownFeature
from app.graphql.schema.fields import Fields
from app.hooks import hookimpl
from app.settings import SettingError
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive
from tests.graphql.api import Api
from tests.process.conftest import Portico

TABLES = """
create table person (id int primary key, name text);
comment on table person is '@graphql({"quiet": true})';
insert into person values (1, 'Ann');
grant select on person to anon;
"""


class Shouting:
    """Adds a field to each row, unless the comment on its table turns that off."""

    @hookimpl
    def features(self) -> Sequence[str]:
        return ["shouting"]

    @hookimpl
    def comment_directives(self) -> Sequence[Directive]:
        return [Directive("relation", "quiet", Flag())]

    @hookimpl
    def node_fields(self, relation: Any) -> Fields:
        name = "whispered" if relation.directives.get("quiet") else "shouted"
        return Fields(100, {name: GraphQLField(GraphQLString, resolve=lambda field, rows: rows.column("name"))})


class Plain:
    """Names no feature."""

    @hookimpl
    def node_fields(self, relation: Any) -> Fields:
        return Fields(100, {"plain": GraphQLField(GraphQLString, resolve=lambda field, rows: rows.column("name"))})


PLUGINS = {"shouting": Shouting, "plain": Plain}


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("all", True),
        ("shouting", True),
        ("none,shouting", True),
        ("none", False),
        ("-shouting", False),
        ("all,-shouting", False),
        ("operators", False),
    ],
)
def test_hook_features(start_api: Callable[..., Api], words: str, offered: bool, dialect: str) -> None:
    api = start_api(TABLES, plugins=PLUGINS, graphql_features=words, graphql_dialect=dialect)
    role_schema = api.application.services.engine.role_schemas.of_role("anon")
    is_there = offered and dialect == "standard"
    fields = set(role_schema.object_type(role_schema.relations[0]).fields)
    assert fields == {"nodeId", "id", "name", "plain"} | ({"whispered"} if is_there else set())
    unknown = [each for each in role_schema.notices if 'unknown key "quiet"' in each.reason]
    assert bool(unknown) != is_there, "where the feature is not, its directive is not read"


def test_words_of_features_are_read_in_order() -> None:
    features = Features(plugin_manager(PLUGINS))
    assert "shouting" in features.all
    some = frozenset({"shouting", "operators"})
    assert features.chosen(["operators", "shouting"]) == some
    assert features.chosen(["all", "-operators"]) == features.all - {"operators"}
    assert features.chosen(["none"]) == frozenset()
    assert features.chosen(["-operators"], otherwise=some) == {"shouting"}
    assert features.chosen([], otherwise=some) == some
    assert features.offered(STANDARD, ["shouting"]) == {"shouting"}
    assert features.offered(PG_GRAPHQL, ["shouting"]) == frozenset()


@pytest.mark.parametrize("words", ["shoutin", "-shoutin", "all,shoutin"])
def test_an_unknown_feature_is_refused_with_the_known_ones(words: str) -> None:
    with pytest.raises(SettingError) as raised:
        configure({"GRAPHQL_FEATURES": words}, extra=PLUGINS)
    features = Features(plugin_manager(PLUGINS))
    assert str(raised.value) == (
        f"GRAPHQL_FEATURES: no feature is called 'shoutin'; the features are {', '.join(sorted(features.all))}"
    )
    with pytest.raises(UnknownFeature):
        features.chosen(words.split(","))


def test_an_unknown_feature_fails_the_start_in_one_line(portico: Portico) -> None:
    failed = portico(
        "serve", GRAPHQL_FEATURES="-nothing", DATABASE_URL="postgresql://nobody@127.0.0.1:1/none", PORT="0"
    )
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert "GRAPHQL_FEATURES: no feature is called 'nothing'; the features are " in failed.stderr


class Late:
    """Adds members whose names are taken, and a type for each relation."""

    @hookimpl
    def filter_fields(self, relation: Any) -> Fields:
        return Fields(90, {"name": GraphQLInputField(GraphQLInt, extensions={"condition": lambda *_: None})})

    @hookimpl
    def node_fields(self, api: Any, relation: Any) -> Fields:
        name = api.own_type_name(("late", relation.relation.oid), f"{relation.type_name}Mood")
        made = api.named(name, lambda name: GraphQLObjectType(name, {"id": GraphQLField(GraphQLInt)}))
        return Fields(90, {"mood": GraphQLField(made, resolve=lambda field, rows: rows.column("id"))})


def test_later_features_leave_existing_names_alone(start_api: Callable[..., Api]) -> None:
    api = start_api(
        """
        create table person (id int primary key, name text);
        create table "personMood" (id int primary key);
        create type "personMood_" as enum ('sad');
        create table thing (id int primary key, "person_mood" "personMood_");
        grant select on person, "personMood", thing to anon;
        """,
        plugins={"late": Late},
    )
    role_schema = api.application.services.engine.role_schemas.of_role("anon")
    assert {each.type_name for each in role_schema.relations} == {"person", "personMood", "thing"}
    assert str(role_schema.object_type(role_schema.relations[0]).fields["mood"].type) == "personMood__"
    filters = role_schema.graphql.type_map["personFilter"].fields
    assert str(filters["name"].type) == "StringFilter"
    (reported,) = {each for each in role_schema.notices if each.subject == "table public.person"}
    assert reported.reason == (
        "of two filter fields called name one is left out; the directive `name` renames columns and functions"
    )
