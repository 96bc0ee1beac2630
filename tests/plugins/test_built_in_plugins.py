"""Any built-in plugin can be disabled: what it added is gone, and the rest is a valid API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from graphql import print_schema, validate_schema

from app.discovery import plugin_manager
from app.distribution import NAME
from tests.graphql.api import Api
from tests.plugins.test_discovery import TABLES

INFLECTED = TABLES + "comment on schema public is '@graphql({\"inflect_names\": true})';"

BUILT_IN = [each.name for each in plugin_manager().installed if each.distribution.startswith(f"{NAME} ")]
GONE = {
    "aggregates": ["type ThingAggregate", "AggregateResult", "aggregate: ThingAggregate\n"],
    "arrays": ["tags"],
    "by_pk": ["ByPk"],
    "collections": ["A page of the rows of type"],
    "columns": ["  nodeId: ID!\n  id: Int!\n"],
    "computed_fields": ["doubled"],
    "computed_filters": ["  doubled: IntFilter"],
    "composites": ["  spot: Spot", "type Spot", "input SpotInput"],
    "count_up_to": ["countUpTo"],
    "delete": ["deleteFromThingCollection", "ThingDeleteResponse"],
    "domains": ["  weight: Int\n", "  weight: IntFilter"],
    "distinct_on": ["distinctOn", "ThingColumn"],
    "enums": ["enum Colour"],
    "exposed_functions": ["coloured"],
    "filters": ["filter:", "Filter {", "FilterIs", "input IntFilter"],
    "further_aggregates": ["ThingCountDistinct", "stddev"],
    "functions": ["tripled"],
    "groups": ["groups(", "ThingGroup", "enum GroupBy"],
    "insert": ["insertIntoThingCollection", "ThingInsertInput"],
    "json_filters": ["JSONFilter", "JSONPathFilter"],
    "json_parts": ["  data(\n"],
    "logical_filters": ["  and: [ThingFilter!]"],
    "nested_inserts": ["InsertOneInput", "InsertManyInput", "connect:"],
    "node": ["nodeId", "interface Node", "node("],
    "operators": ["distinctFrom", "  not: IntFilter", "endsWith"],
    "ordering": ["orderBy:", "OrderBy {", "OrderByDirection"],
    "page_info": ["pageInfo", "PageInfo"],
    "relation_filters": ["ManyFilter", "ownerExists"],
    "relation_orders": ["ManyOrderBy", "owner: OwnerOrderBy"],
    "relationships": ["owner: Owner"],
    "scalars": ["scalar BigInt"],
    "search": ["SearchFilter", "searchRank"],
    "total_count": ["totalCount"],
    "update": ["updateThingCollection", "ThingUpdateInput"],
}
"""By plugin: what the printed schema no longer has."""

COLLECTION = "{ thingCollection { edges { node { name } } } }"
QUERIES = {"collections": "{ thingByPk(id: 1) { name } }"}
WITHOUT_COLUMNS = ("columns", "scalars")


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_disabled_plugin_is_gone_and_the_rest_answers(start_api: Callable[..., Api], name: str) -> None:
    api = start_api(INFLECTED, disabled_plugins=(name,), value_types=("all",))
    schema = api.application.services.engine.role_schemas.of_role("anon").graphql
    printed = print_schema(schema)
    assert [each for each in GONE.get(name, ()) if each in printed] == []
    answer = api.ask(QUERIES.get(name, COLLECTION))
    if name == "api_keys":
        assert answer.code == "MISSING_API_KEY"
    elif name not in WITHOUT_COLUMNS:
        assert validate_schema(schema) == []
        assert answer.data
    assert api.client.simulate_get("/health").json["process"] == "ok"


def test_all_plugins_are_there_by_default(start_api: Callable[..., Api]) -> None:
    api = start_api(INFLECTED, value_types=("all",))
    printed = print_schema(api.application.services.engine.role_schemas.of_role("anon").graphql)
    assert [each for gone in GONE.values() for each in gone if each not in printed] == []
