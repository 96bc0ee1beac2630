"""Clients of live queries and of both APIs through nginx, with the one rule of docs/deployment.md."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from app.installation.install import install
from bench.streaming import free_port
from tests.docs.blocks import Block, blocks
from tests.graphql.api import ANON_KEY, SERVICE_KEY
from tests.graphql.conftest import ROLES
from tests.live.streams import serving_beside
from tests.live.test_live_page import CLIENTS, SQL, WEBSOCKET, running_client
from tests.packages import node_packages
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, environment, until

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")

(RULE,) = blocks("docs/deployment.md", "nginx")
CONFIGURATION = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; {rule} }}
}}
"""
SUPABASE = """
import { createClient } from '@supabase/supabase-js'
const client = createClient(process.env.ADDRESS, process.env.SERVICE_KEY)
const created = await client.storage.createBucket('pictures')
const stored = await client.storage.from('pictures').upload('a.txt', 'some text', { contentType: 'text/plain' })
const { data, error } = await client.storage.from('pictures').download('a.txt')
console.log(created.error ?? stored.error ?? error ?? await data.text())
"""


@contextmanager
def behind_nginx(url: str, folder: Path) -> Iterator[str]:
    """nginx in front of the service at ``url``, with the rule of the page. Yields its address."""
    assert NGINX is not None
    port = free_port()
    rule = RULE.text.replace("http://127.0.0.1:8000", url)
    (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port, rule=rule))
    # Its workers have the account of the parent: the folder belongs to it.
    command = [NGINX, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with subprocess.Popen([*command, "-g", "user root;"] if os.getuid() == 0 else command) as nginx:
        try:
            until(lambda: answers(f"http://127.0.0.1:{port}/health"))
            yield f"http://127.0.0.1:{port}"
        finally:
            nginx.terminate()


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=PATIENCE_S).status_code == 200
    except requests.ConnectionError:
        return False


@pytest.mark.parametrize("client", CLIENTS, ids=["sse", "websocket", "apollo", "urql"])
def test_clients_of_live_queries_need_no_other_rule(
    postgres: PostgresServer, database_url: str, tmp_path: Path, client: Block
) -> None:
    postgres.execute(ROLES + SQL.text, database_url)
    given = {"LIVE_POLL_S": "0.5", "TRUSTED_PROXY": "127.0.0.1"}
    with (
        serving_beside(database_url, tmp_path, **given) as live,
        behind_nginx(_origin(live.url), tmp_path) as address,
        running_client(client, f"{address}/graphql/v1") as reported,
    ):
        assert reported.readline() == "Hello\n"
        postgres.execute("insert into message (body) values ('World')", database_url)
        assert reported.readline() == "Hello, World\n"


def test_supabase_js_needs_no_other_rule(database_url: str, tmp_path: Path) -> None:
    install(database_url)
    script = node_packages() / f"nginx-{os.getpid()}.mjs"
    script.write_text(WEBSOCKET + SUPABASE)
    given = {"TRUSTED_PROXY": "127.0.0.1", "STORAGE_URL": (tmp_path / "objects").as_uri()}
    try:
        with (
            serving_beside(database_url, tmp_path, **given) as live,
            behind_nginx(_origin(live.url), tmp_path) as address,
        ):
            done = subprocess.run(
                ["node", str(script)], cwd=script.parent, env=environment(ADDRESS=address, SERVICE_KEY=SERVICE_KEY),
                capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            )  # fmt: skip
            assert done.stdout == "some text\n", done.stdout + done.stderr
            query = {"query": "{ __typename }"}
            headers = {"apiKey": ANON_KEY}
            answer = requests.post(f"{address}/graphql/v1", json=query, headers=headers, timeout=PATIENCE_S)
            assert answer.json() == {"data": {"__typename": "Query"}}
    finally:
        script.unlink()


def _origin(url: str) -> str:
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc}"
