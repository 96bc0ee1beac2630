"""The SQL of docs/needs.md: its triggers set dates and record a history."""

from __future__ import annotations

from app.installation.install import install
from tests.docs.blocks import blocks
from tests.graphql.api import Api
from tests.postgres_server import PostgresServer

ANN = "aaaaaaaa-0000-4000-8000-000000000001"


def test_triggers_set_updated_at_and_record_each_change(database_url: str, postgres: PostgresServer) -> None:
    install(database_url)
    for block in blocks("docs/needs.md", "sql"):
        postgres.execute(block.text, database_url)
    api = Api(database_url)
    try:
        insert = """mutation {
          insertIntoarticleCollection(objects: [{title: "One", updated_at: "2000-01-01T00:00:00Z"}])
            { records { id updated_at } } }"""
        (inserted,) = api.ask(insert, claims={"sub": ANN}).data["insertIntoarticleCollection"]["records"]
        assert inserted["updated_at"] > "2026"
        change = 'mutation { updatearticleCollection(set: {title: "Two"}) { records { updated_at } } }'
        (changed,) = api.ask(change).data["updatearticleCollection"]["records"]
        assert changed["updated_at"] > inserted["updated_at"]
        assert api.ask("mutation { deleteFromarticleCollection { affectedCount } }").data
        fields = api.ask("{ __schema { queryType { fields { name } } } }").data["__schema"]["queryType"]["fields"]
        assert "changeCollection" not in [each["name"] for each in fields]
    finally:
        api.close()
    recorded = postgres.execute(
        "select by_user::text, table_name, old_row ->> 'title', new_row ->> 'title' from history.change order by at",
        database_url,
    )
    assert recorded == [[ANN, "article", None, "One"], [None, "article", "One", "Two"], [None, "article", "Two", None]]
