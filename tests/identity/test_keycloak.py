"""The recipe of docs/keycloak.md, followed from top to bottom with a real Keycloak, which KEYCLOAK_HOME names."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import pytest
import requests

from tests.database.proxy import Proxy
from tests.docs.blocks import all_blocks, blocks
from tests.identity.keycloak_server import Keycloak, running_keycloak
from tests.pages.reader import Reader
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, open_directory, until

HOME = os.environ.get("KEYCLOAK_HOME")
pytestmark = [
    pytest.mark.skipif(HOME is None, reason="KEYCLOAK_HOME does not name a Keycloak"),
    # Keycloak builds itself and creates its tables first.
    pytest.mark.timeout(1800),
]
BODIES = "{ noteCollection { edges { node { body } } } }"
ADMIN = "export KC_BOOTSTRAP_ADMIN_PASSWORD='the password of the administrator'\n"


@dataclass(frozen=True)
class App:
    """A service in front of a database with Keycloak's users."""

    keycloak: Keycloak
    reader: Reader
    server: PostgresServer
    database_url: str
    anon_key: str

    def post(self, query: str, token: str) -> Any:
        headers = {"apiKey": self.anon_key, "Authorization": f"Bearer {token}"}
        url = f"{self.reader.address}/graphql/v1"
        return requests.post(url, json={"query": query}, headers=headers, timeout=PATIENCE_S).json()

    def write(self, body: str, token: str) -> Any:
        objects = f'objects: [{{body: "{body}"}}]'
        return self.post(f"mutation {{ insertIntonoteCollection({objects}) {{ affectedCount }} }}", token)

    def bodies(self, token: str) -> list[str]:
        edges = self.post(BODIES, token)["data"]["noteCollection"]["edges"]
        return [each["node"]["body"] for each in edges]

    def sql(self, statements: str) -> list[list[object]]:
        return self.server.execute(statements, self.database_url)


@pytest.fixture(scope="module")
def app(usual_postgres: PostgresServer) -> Iterator[App]:
    (realm,) = (each.text for each in all_blocks("docs/keycloak.md") if each.language == "json")
    before, after = blocks("docs/keycloak.md", "sql")
    start, serve, *_ = blocks("docs/keycloak.md", "sh")
    url = usual_postgres.create_database()
    usual_postgres.execute(before.text, url)
    proxy = Proxy(url)  # Java's driver has no Unix sockets.
    port = _free_port()
    replaced = {
        "https://login.example.com": f"http://localhost:{port}",
        "http://127.0.0.1:8080": f"http://127.0.0.1:{port}",
        "--http-port=8080": f"--http-port={port}",
        "127.0.0.1:5432/app": f"127.0.0.1:{proxy.port}/{url.partition('?')[0].rpartition('/')[2]}",
    }
    with open_directory() as place:
        with running_keycloak(Path(HOME or ""), place / "keycloak", realm, start.text, replaced, port) as keycloak:
            (place / "app").mkdir()
            reader = Reader(place / "app", url)
            reader.set(DATABASE_URL=url)
            reader.shell("portico keys > .env; set -a; . ./.env; portico init")
            usual_postgres.execute(after.text, url)
            reader.shell(keycloak.located(serve.text))
            anon_key = reader.shell('echo "$ANON_KEY"').strip()
            yield App(keycloak, reader, usual_postgres, url, anon_key)
            reader.close()
        proxy.close()
    usual_postgres.drop_database(url)
    usual_postgres.execute("drop role keycloak")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_a_user_signs_up_and_queries_at_once(app: App) -> None:
    ann, ben = (app.keycloak.sign_up(f"{name}@example.com")["access_token"] for name in ("ann", "ben"))
    assert app.write("hers", ann) == {"data": {"insertIntonoteCollection": {"affectedCount": 1}}}
    assert (app.bodies(ann), app.bodies(ben)) == (["hers"], [])
    rows = app.sql("select m.email, n.body from public.member m left join public.note n on n.owner = m.id order by 1")
    assert rows == [["ann@example.com", "hers"], ["ben@example.com", None]]


def test_a_user_stores_a_file(app: App) -> None:
    token = app.keycloak.sign_up("bob@example.com")["access_token"]
    app.sql(
        "insert into storage.buckets (id, name) values ('files', 'files');"
        "create policy files on storage.objects for insert to authenticated with check (bucket_id = 'files')"
    )
    url = f"{app.reader.address}/storage/v1/object/files/one.txt"
    headers = {"apiKey": app.anon_key, "Authorization": f"Bearer {token}", "Content-Type": "text/plain"}
    stored = requests.post(url, "Hello", headers=headers, timeout=PATIENCE_S)
    assert stored.status_code == 200, stored.text
    user = jwt.decode(token, options={"verify_signature": False})["sub"]
    assert app.sql("select owner_id from storage.objects where bucket_id = 'files'") == [[user]]


def test_a_refreshed_token_is_accepted_and_an_id_token_refused(app: App) -> None:
    tokens = app.keycloak.sign_up("cid@example.com")
    refreshed = app.keycloak.tokens(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    assert refreshed["access_token"] != tokens["access_token"]
    assert app.bodies(refreshed["access_token"]) == []
    (refused,) = app.post(BODIES, tokens["id_token"])["errors"]
    assert (refused["extensions"]["code"], "another audience" in refused["message"]) == ("INVALID_JWT", True)


def test_a_deleted_user_takes_the_rows_along(app: App) -> None:
    token = app.keycloak.sign_up("dan@example.com")["access_token"]
    app.write("of Dan", token)
    user = jwt.decode(token, options={"verify_signature": False})["sub"]
    sign_in, *_ = (each.text for each in blocks("docs/keycloak.md", "sh") if "kcadm.sh config" in each.text)
    app.keycloak.shell(ADMIN + sign_in.partition("\n")[0])
    app.keycloak.shell(f"bin/kcadm.sh update users/{user} -r app -s email=dan@example.org")
    assert app.sql(f"select email from public.member where id = '{user}'") == [["dan@example.org"]]
    app.keycloak.shell(f"bin/kcadm.sh delete users/{user} -r app")
    assert app.sql(f"select count(*) from public.member where id = '{user}'") == [[0]]
    assert app.sql(f"select count(*) from public.note where owner = '{user}'") == [[0]]
    # The token is still valid, but its user cannot be referred to.
    assert app.write("of no one", token)["errors"]


def test_new_keys_are_used_and_removed_ones_refused(app: App) -> None:
    *_, add, remove = (each.text for each in blocks("docs/keycloak.md", "sh"))
    known, unused = (app.keycloak.sign_up(f"{name}@example.com")["access_token"] for name in ("eve", "fay"))
    assert app.bodies(known) == []
    app.keycloak.shell(ADMIN + add)
    new = app.keycloak.sign_up("gil@example.com")["access_token"]
    assert _key_of(new) != _key_of(known) == _key_of(unused)
    # The keys are read again ten seconds after the last time at the earliest.
    until(lambda: "data" in app.post(BODIES, new))
    assert app.bodies(app.keycloak.sign_up("hal@example.com")["access_token"]) == []
    assert app.bodies(known) == []
    app.keycloak.shell(remove)
    app.keycloak.shell(ADMIN + add.replace("rsa-second", "rsa-third").replace("200", "300"))
    newest = app.keycloak.sign_up("ida@example.com")["access_token"]
    until(lambda: "data" in app.post(BODIES, newest))
    (refused,) = app.post(BODIES, unused)["errors"]
    assert refused["extensions"]["code"] == "INVALID_JWT"
    assert app.bodies(new) == []


def _key_of(token: str) -> str:
    return str(jwt.get_unverified_header(token)["kid"])
