"""Plugins are found, left out on request, and reported by name and distribution if they cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from graphql import GraphQLArgument, GraphQLField, GraphQLString

from app.discovery import plugin_manager
from app.graphql.schema.fields import Fields
from app.hooks import hookimpl
from app.plugin_guard import PluginUnusable
from app.wsgi import create_app
from tests.graphql.api import Api
from tests.plugins.conftest import Distribute
from tests.process.conftest import Portico

TABLES = """
create table owner (id int primary key, name text);
create type colour as enum ('red', 'blue');
create domain weight as int;
create type spot as (x int, y int);
create table thing (
  id int primary key, name text, tags text[], colour colour, owner_id int references owner, data jsonb, weight weight,
  spot spot
);
create function doubled(thing) returns int stable return $1.id * 2;
comment on function doubled is '@graphql({"filter": true})';
create function tripled(id int) returns int stable return id * 3;
create function coloured(c colour) returns int stable return 1;
comment on function coloured is '@graphql({"expose": true})';
insert into owner values (1, 'Ann');
insert into thing (id, name, tags, colour, owner_id) values (1, 'quiet', '{a}', 'red', 1);
grant all on owner, thing to anon;
comment on table thing is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true},
  "search": {"columns": ["name"], "config": "simple"}})';
"""


@pytest.mark.parametrize(
    "source", ["import nowhere_at_all", "from app.hooks import hookimpl\n@hookimpl\ndef oops(): 1"]
)
def test_a_plugin_that_cannot_be_loaded_is_named(distribute: Distribute, portico: Portico, source: str) -> None:
    distribute("broken", source)
    reason = "No module named 'nowhere_at_all'" if source.startswith("import") else "unknown hook 'oops'"
    listed = portico("plugins")
    assert listed.returncode == 1
    (line,) = (each for each in listed.stdout.splitlines() if each.startswith("broken"))
    assert "house-plugin 1.0" in line
    assert reason in line
    with pytest.raises(PluginUnusable, match=r"the plugin broken of house-plugin 1\.0 cannot be loaded") as raised:
        plugin_manager()
    assert reason in str(raised.value)
    assert "broken" not in dict(plugin_manager(required=False).list_name_plugin())


def test_a_broken_plugin_fails_the_start_or_is_left_out(
    distribute: Distribute, portico: Portico, start_api: Callable[..., Api]
) -> None:
    distribute("broken", "raise RuntimeError('not today')")
    api_settings = {"JWT_SECRET": "s" * 40, "PORT": "0", "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    failed = portico("serve", **api_settings)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert "the plugin broken of house-plugin 1.0 cannot be loaded: RuntimeError: not today" in failed.stderr
    api = start_api(TABLES, plugins_required=False)
    assert api.ask("{ thingCollection { edges { node { name } } } }").data
    health = api.client.simulate_get("/health")
    assert health.status_code == 200
    assert health.json == {"process": "degraded", "database": "ok", "plugins": {"broken": "failed in loading"}}


def test_two_plugins_of_one_name_are_reported(distribute: Distribute) -> None:
    distribute("filters", "", "another-one")
    with pytest.raises(
        PluginUnusable, match=r"filters of (another-one|portico-api) .*another plugin has the same name"
    ):
        plugin_manager()


def test_a_name_that_no_plugin_has_cannot_be_disabled() -> None:
    with pytest.raises(PluginUnusable, match="DISABLED_PLUGINS: no plugin is called 'filtres'"):
        plugin_manager(disabled=["filtres"])


def test_long_names_widen_their_columns(distribute: Distribute, portico: Portico) -> None:
    source = '"""The room of the cats."""'
    distribute("a_name_that_is_longer_than_others", source, distribution="a-distribution-whose-name-is-long")
    listed = portico("plugins").stdout
    assert "a_name_that_is_longer_than_others  a-distribution-whose-name-is-long 1.0  The room of the cats.\n" in listed


def test_portico_plugins_shows_what_is_disabled(portico: Portico) -> None:
    listed = portico("plugins", DISABLED_PLUGINS="node, webhook").stdout
    assert [each.split()[0] for each in listed.splitlines() if each.endswith("disabled")] == ["node", "webhook"]


class Failing:
    """Fails whenever it is called for the relation ``thing``."""

    @hookimpl
    def node_fields(self, api: Any, relation: Any) -> Fields:
        if relation.type_name.lower() == "thing":
            raise KeyError("lost")
        return Fields(100, {"shouted": GraphQLField(GraphQLString, resolve=lambda field, rows: rows.column("name"))})


def test_a_hook_that_fails_is_named_and_only_its_contribution_is_missing(
    start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture
) -> None:
    api = start_api(TABLES)
    application = create_app(api.application.services.settings, plugin_manager({"failing": Failing}))
    api.client.app = application
    try:
        assert api.client.simulate_get("/health").json == {"process": "ok", "database": "ok"}
        query = "{ thingCollection { edges { node { name owner { shouted } } } } }"
        (edge,) = api.ask(query).data["thingCollection"]["edges"]
        assert edge["node"] == {"name": "quiet", "owner": {"shouted": "Ann"}}
        assert "Cannot query field" in api.ask("{ thingCollection { edges { node { shouted } } } }").message
        answered = [each for each in caplog.records if "the plugin failing failed in node_fields" in each.message]
        assert len(answered) == 1
        assert answered[0].exc_info is not None
        health = api.client.simulate_get("/health")
        assert health.status_code == 200
        assert health.json == {
            "process": "degraded", "database": "ok", "plugins": {"failing": "failed in node_fields"}
        }  # fmt: skip
    finally:
        application.close()


def test_a_hook_that_fails_at_startup_prevents_the_start(start_api: Callable[..., Api]) -> None:
    class Strict:
        @hookimpl
        def object_checks(self, settings: Any) -> Any:
            raise LookupError("no list of viruses")

    settings = start_api(TABLES).application.services.settings
    with pytest.raises(PluginUnusable, match="the plugin strict failed in object_checks: LookupError: no list"):
        create_app(settings, plugin_manager({"strict": Strict}))


def test_a_plugin_that_ends_the_process_while_it_is_loaded_is_named(distribute: Distribute, portico: Portico) -> None:
    distribute("leaving", "raise SystemExit(3)")
    failed = portico("serve", "--port=0")
    assert failed.returncode == 1
    assert "the plugin leaving of house-plugin 1.0 cannot be loaded: SystemExit: 3" in failed.stderr


@pytest.mark.parametrize(
    ("hook", "result"),
    [
        ("value_type", 42),
        ("scalars", ["Point"]),
        ("relation_names", "things"),
        ("node_fields", {"shouted": GraphQLString}),
        ("node_fields", Fields(100, {"shouted": GraphQLString})),
        ("connection_fields", Fields(100, {"shouted": lambda: 1})),
        ("filter_fields", Fields("first", {})),  # type: ignore[arg-type]
        ("delete_arguments", Fields(100, {"not a name": GraphQLArgument(GraphQLString)})),
        ("computed_fields", {"shouted": 1}),
        ("relationships", []),
        ("node_interfaces", [GraphQLString]),
        ("always_listed_types", [None]),
        ("database_types", GraphQLString),
        ("filled_columns", "name"),
    ],
)
def test_a_result_of_the_wrong_type_is_the_plugins_fault(
    start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture, hook: str, result: Any
) -> None:
    plugin = type("Wrong", (), {"wrong": staticmethod(hookimpl(specname=hook)(lambda: result))})
    api = start_api(TABLES, plugins={"wrong": plugin})
    assert api.ask('{ thingCollection(filter: {name: {eq: "quiet"}}) { edges { node { name } } } }').data
    assert api.ask("{ __schema { types { name } } }").data
    assert api.application.services.plugins.faults == {"wrong": hook}
    (answered,) = [each for each in caplog.records if f"the plugin wrong failed in {hook}" in each.message]
    assert answered.exc_info is not None
    assert "it returned" in str(answered.exc_info[1])


def test_a_result_that_fails_when_it_is_read_is_the_plugins_fault(start_api: Callable[..., Api]) -> None:
    def types() -> Any:
        yield GraphQLString
        raise LookupError("no more")

    plugin = type("Lazy", (), {"always_listed_types": staticmethod(hookimpl(types))})
    api = start_api(TABLES, plugins={"lazy": plugin})
    assert api.ask("{ thingCollection { edges { node { name } } } }").data
    assert api.application.services.plugins.faults == {"lazy": "always_listed_types"}


@pytest.mark.parametrize(
    ("hook", "result"),
    [("middleware", 42), ("object_checks", [42]), ("around_stages", {"plan": 42}), ("identifications", "x")],
)
def test_a_result_of_the_wrong_type_prevents_the_start(start_api: Callable[..., Api], hook: str, result: Any) -> None:
    plugin = type("Wrong", (), {"wrong": staticmethod(hookimpl(specname=hook)(lambda: result))})
    with pytest.raises(PluginUnusable, match=f"the plugin wrong failed in {hook}: TypeError: it returned .* not a "):
        start_api(TABLES, plugins={"wrong": plugin})
