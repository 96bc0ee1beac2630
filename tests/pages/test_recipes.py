"""The recipes on the page about roles and policies do what they promise."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import falcon.testing
import pytest

from app.installation.install import install
from app.wsgi import create_app
from tests.docs.blocks import blocks
from tests.graphql.api import Api, token
from tests.postgres_server import PostgresServer

ANN, BEN = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def api(postgres: PostgresServer) -> Iterator[Api]:
    """A service on a database in which the page was followed up to the end of the recipes."""
    url = postgres.create_database()
    install(url)
    recipes = [each.text for each in blocks("docs/roles-and-policies.md", "sql")]
    end = next(at for at, text in enumerate(recipes) if "statement_timeout" in text)
    for text in recipes[:end]:
        postgres.execute(text, url)
    postgres.execute(
        f"""insert into team_member values (1, '{ANN}'), (1, '{BEN}'), (2, '{BEN}');
            insert into task (team_id, title) values (1, 'shared'), (2, 'of Ben''s team');
            insert into report (body) values ('secret')""",
        url,
    )
    opened = Api(url)
    yield opened
    opened.close()
    postgres.drop_database(url)


def names(api: Api, user: str, collection: str, field: str, **claims: Any) -> list[str]:
    """The values of a field in all rows visible to a user."""
    query = f"{{ {collection}Collection {{ edges {{ node {{ {field} }} }} }} }}"
    edges = api.ask(query, claims={"sub": user, **claims}).data[f"{collection}Collection"]["edges"]
    return [edge["node"][field] for edge in edges]


def add(api: Api, user: str, table: str, row: str, **claims: Any) -> Any:
    query = f"mutation {{ insertInto{table}Collection(objects: [{{{row}}}]) {{ affectedCount }} }}"
    return api.ask(query, claims={"sub": user, **claims})


def test_users_see_their_own_rows(api: Api) -> None:
    assert not add(api, ANN, "note", 'body: "hers"').errors
    assert (names(api, ANN, "note", "body"), names(api, BEN, "note", "body")) == (["hers"], [])


def test_everybody_reads_the_author_writes_and_deleted_rows_are_gone(api: Api) -> None:
    assert not add(api, ANN, "post", 'title: "hers"').errors
    assert add(api, BEN, "post", f'title: "not his", author: "{ANN}"').code == "INSUFFICIENT_PRIVILEGE"
    assert names(api, BEN, "post", "title") == ["hers"]
    post = names(api, ANN, "post", "id")[0]
    assert api.ask(f'mutation {{ delete_post(id: "{post}") }}', claims={"sub": BEN}).data == {"delete_post": None}
    assert api.ask(f'mutation {{ delete_post(id: "{post}") }}', claims={"sub": ANN}).data == {"delete_post": post}
    assert names(api, ANN, "post", "title") == []
    assert names(api, ANN, "post", "title", role="service_role") == ["hers"]


def test_members_see_rows_of_their_teams(api: Api) -> None:
    assert names(api, ANN, "task", "title") == ["shared"]
    assert names(api, BEN, "task", "title") == ["shared", "of Ben's team"]
    assert add(api, ANN, "task", 'title: "x", team_id: 2').code == "INSUFFICIENT_PRIVILEGE"


def test_administrators_see_all_reports(api: Api) -> None:
    assert names(api, ANN, "report", "body") == []
    assert names(api, ANN, "report", "body", app_metadata={"is_admin": True}) == ["secret"]


def test_tenants_see_their_own_rows(api: Api) -> None:
    assert not add(api, ANN, "invoice", 'amount: "9"', tenant="north").errors
    assert names(api, BEN, "invoice", "amount", tenant="north") == ["9"]
    assert names(api, BEN, "invoice", "amount", tenant="south") == []
    assert add(api, ANN, "invoice", 'amount: "9", tenant: "south"', tenant="north").code == "INSUFFICIENT_PRIVILEGE"


def test_users_store_pictures_in_their_own_folders(api: Api, tmp_path: Any) -> None:
    services = api.application.services
    settings = dataclasses.replace(services.settings, storage_url=tmp_path.as_uri())
    application = create_app(settings, services.plugins)
    client = falcon.testing.TestClient(application)

    def put(path: str, content_type: str) -> int:
        bearer = token({"sub": ANN, "role": "authenticated"})
        headers = {"Authorization": f"Bearer {bearer}", "Content-Type": content_type}
        return int(client.simulate_post(f"/object/pictures/{path}", body=b"x", headers=headers).status_code)

    try:
        assert put(f"{ANN}/a.png", "image/png") == 200
        assert put(f"{ANN}/a.txt", "text/plain") == 400
        assert put(f"{BEN}/a.png", "image/png") == 400
    finally:
        application.close()
