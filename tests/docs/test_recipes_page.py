"""The page of recipes: each does what it promises, under concurrency too."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from app.installation.install import install
from tests.docs.blocks import blocks
from tests.graphql.api import Answer, Api
from tests.postgres_server import PostgresServer, connect
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import SERVICE, Service

ANN, BEN = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
SQL = blocks("docs/recipes.md", "sql")
DOCUMENTS = blocks("docs/recipes.md", "graphql")

Ask = Callable[..., Answer]


def of(heading: str) -> list[str]:
    """The documents of a section."""
    return [each.text for each in DOCUMENTS if each.heading == heading]


@pytest.fixture
def api(database_url: str, postgres: PostgresServer) -> Iterator[Api]:
    install(database_url)
    for block in SQL:
        postgres.execute(block.text, database_url)
    api = Api(database_url)
    yield api
    api.close()


@pytest.fixture
def ask(api: Api) -> Ask:
    def ask(query: str, variables: Any = None, user: str = ANN) -> Answer:
        return api.ask(query, variables, claims={"sub": user, "role": "authenticated", "email": f"{user[:1]}@x.org"})

    return ask


def test_offline_devices_miss_no_change(ask: Ask, api: Api) -> None:
    pull, push = of("Offline work and synchronization")
    ids = [str(uuid.uuid4()) for _ in range(3)]

    def changed(since: str) -> tuple[str, dict[str, Any]]:
        answer = ask(pull, {"since": since}).data
        edges = answer["noteCollection"]["edges"]
        return answer["changes_until"], {each["node"]["id"]: each["node"] for each in edges}

    def send(base: int, body: str) -> Any:
        variables = {"notes": [{"id": each} for each in ids[:2]], "id": ids[0], "base": base, "body": body}
        return ask(push, variables).data

    sent = send(1, "one")
    assert [each["version"] for each in sent["insertIntonoteCollection"]["records"]] == [1, 1]
    again = send(1, "late")
    assert [each["records"] for each in again.values()] == [[], []]
    since, rows = changed("0")
    assert {each["body"] for each in rows.values()} == {"one", ""}
    # One that began before commits after the device has asked.
    with closing(connect(api.database_url)) as other:
        other.run("begin")
        other.run(f"insert into note (id, owner, body) values ('{ids[2]}', '{ANN}', 'slow')")
        assert send(2, "two")["updatenoteCollection"]["records"] == [{"id": ids[0], "version": 3}]
        since, rows = changed(since)
        assert rows[ids[0]]["body"] == "two"
        assert ids[2] not in rows
        other.run("commit")
    since, rows = changed(since)
    assert rows[ids[2]]["body"] == "slow"
    gone = 'mutation { updatenoteCollection(filter: {id: {eq: "%s"}}, set: {deleted: true}) { affectedCount } }'
    assert ask(gone % ids[1]).data
    since, rows = changed(since)
    assert rows[ids[1]]["deleted"]
    assert ask(pull, {"since": "0"}, BEN).data["noteCollection"]["edges"] == []


def test_orders_never_oversell(ask: Ask, postgres: PostgresServer, api: Api) -> None:
    (order,) = of("From cart to order")
    postgres.execute("insert into product values (1, 'Mug', 9.90, 5), (2, 'Tee', 20, 100)", api.database_url)
    users = [str(uuid.uuid4()) for _ in range(8)]
    items = "{product_id: %d, quantity: 1}"
    for n, user in enumerate(users):
        both = [items % each for each in ((1, 2) if n % 2 else (2, 1))]
        ask(
            f"mutation {{ insertIntocart_itemCollection(objects: [{', '.join(both)}]) {{ affectedCount }} }}", user=user
        )
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda user: ask(order, user=user), users))
    refused = [each for each in answers if each.errors]
    assert {each.code for each in refused} == {"CHECK_VIOLATION"}
    assert {each.errors[0]["extensions"]["constraint"] for each in refused} == {"product_stock_check"}
    assert len(refused) == 3
    made = next(each.data["place_order"] for each in answers if not each.errors)
    assert len(made["purchase_itemCollection"]["edges"]) == 2
    assert postgres.execute("select stock from product order by id", api.database_url) == [[0], [95]]
    buyer = users[next(n for n, each in enumerate(answers) if not each.errors)]
    assert ask(order, user=buyer).errors[0]["extensions"]["sqlstate"] == "CART0"


def test_bookings_never_overlap(ask: Ask, postgres: PostgresServer, api: Api) -> None:
    free, book = of("No double booking")
    postgres.execute("insert into room values (1, 'Attic', 50), (2, 'Loft', 80), (3, 'Suite', 300)", api.database_url)

    def found(nights: str) -> list[int]:
        return [each["node"]["id"] for each in ask(free, {"during": nights}, BEN).data["free_rooms"]["edges"]]

    with ThreadPoolExecutor(3) as pool:
        answers = [*pool.map(lambda n: ask(book, {"during": f"[2030-05-0{n},2030-05-04)"}), (1, 2, 3))]
    (made,) = (each.data["insertIntobookingCollection"]["records"][0] for each in answers if not each.errors)
    refused = [each for each in answers if each.errors]
    assert {(each.code, each.errors[0]["extensions"]["constraint"]) for each in refused} == {
        ("EXCLUSION_VIOLATION", "no_double_booking")
    }
    assert made["total"] in ("50.00", "100.00", "150.00")
    assert (found("[2030-05-03,2030-05-09)"), found("[2030-05-04,2030-05-09)")) == ([2], [1, 2])
    cancel = "mutation { updatebookingCollection(set: {is_cancelled: true}) { affectedCount } }"
    assert [ask(cancel, user=user).data["updatebookingCollection"]["affectedCount"] for user in (BEN, ANN)] == [0, 1]
    assert found("[2030-05-03,2030-05-09)") == [1, 2]
    for nights in ("empty", "[2030-05-01,)", "(,2030-05-01)"):
        assert ask(book, {"during": nights}).code == "CHECK_VIOLATION"


def test_unread_counts_and_presence_are_shown(ask: Ask, postgres: PostgresServer, api: Api) -> None:
    (read,) = of("Unread messages and presence")
    postgres.execute("insert into channel values (1, 'all')", api.database_url)
    write = 'mutation { insertIntomessageCollection(objects: [{channel_id: 1, body: "hi"}]) { records { id } } }'
    assert ask(write, user=BEN).code == "INSUFFICIENT_PRIVILEGE"
    for user in (ANN, BEN):
        ask("mutation { insertIntomemberCollection(objects: [{channel_id: 1}]) { affectedCount } }", user=user)
    assert ask(write, user=BEN).data
    assert ask("mutation { here }", user=BEN).data == ask("mutation { here }", user=BEN).data == {"here": True}
    assert ask(read).data == {
        "memberCollection": {"edges": [{"node": {"unread": "1", "channel": {"name": "all"}}}]},
        "presenceCollection": {"edges": [{"node": {"user_id": BEN}}]},
    }


def test_documents_are_shared_by_address_and_by_link(ask: Ask, api: Api) -> None:
    (read,) = of("Sharing")
    made = ask("""mutation {
      insertIntodocumentCollection(objects: [{id: 1, body: "ours"}]) { affectedCount }
      insertIntodocument_linkCollection(objects: [{document_id: 1}]) { records { token } }
    }""").data
    token = made["insertIntodocument_linkCollection"]["records"][0]["token"]
    seen = "{ documentCollection { edges { node { body } } } document_linkCollection { edges { node { token } } } }"
    assert ask(seen, user=BEN).data["documentCollection"]["edges"] == []
    assert api.ask(read, {"token": token}).data == {"document_by_link": {"body": "ours"}}
    assert api.ask(read, {"token": str(uuid.uuid4())}).data == {"document_by_link": None}
    share = """mutation {
      insertIntodocument_shareCollection(objects: [{document_id: 1, email: "b@x.org"}]) { affectedCount }
    }"""
    assert ask(share, user=BEN).code == "INSUFFICIENT_PRIVILEGE"
    assert ask(share).data
    assert ask(seen, user=BEN).data == {
        "documentCollection": {"edges": [{"node": {"body": "ours"}}]},
        "document_linkCollection": {"edges": []},
    }


def test_the_limit_for_a_user_holds(ask: Ask) -> None:
    write = 'mutation { insertIntopostCollection(objects: [{body: "x"}]) { affectedCount } }'
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: ask(write), range(8)))
    refused = [each for each in answers if each.errors]
    assert {each.errors[0]["extensions"]["sqlstate"] for each in refused} == {"RATE1"}
    assert len(refused) == 3
    assert ask(write, user=BEN).data


def test_accounts_are_exported_and_deleted(ask: Ask, postgres: PostgresServer, api: Api) -> None:
    export, delete = of("Deleting accounts")
    for user in (ANN, BEN):
        postgres.execute(
            "insert into storage.buckets (id, name) values ('b', 'b') on conflict do nothing;"
            f"insert into keepsake values ({1 if user == ANN else 2}, '{user}', 'mine');"
            "insert into storage.objects (bucket_id, name, owner_id, version)"
            f" values ('b', '{user}.txt', '{user}', gen_random_uuid()::text)",
            api.database_url,
        )
    assert f"b/{ANN}.txt" in ask(export).data["my_data"]
    assert BEN not in ask(export).data["my_data"]
    assert ask(delete).data
    left = postgres.execute("select name from storage.objects", api.database_url)
    assert left == [[f"{BEN}.txt"]]
    assert postgres.execute("select owner::text from keepsake", api.database_url) == [[BEN]]
    assert postgres.execute("select name from storage.work", api.database_url) == [[f"{ANN}.txt"]]


def test_an_import_can_be_repeated(
    own_service: Callable[..., Service], postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    service = own_service()
    tables = next(each.text for each in SQL if each.heading == "From cart to order")
    postgres.execute(tables, service.database_url)
    monkeypatch.setenv("SERVICE_ROLE_KEY", SERVICE)
    (block,) = blocks("docs/recipes.md", "python")
    for inserted in (2500, 0):
        exec(block.text.replace("http://127.0.0.1:8000", service.url), {})
        assert capsys.readouterr().out == f"{[{'affectedCount': 2500, 'insertedCount': inserted}] * 2}\n"
