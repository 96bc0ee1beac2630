"""The page about sign-in for development: its SQL and its program work."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.installation.scripts import install_script
from app.installation.version import VERSION
from tests.docs.blocks import blocks
from tests.packages import node_packages
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY
from tests.sign_in.installing import own_plugin
from tests.storage.service import ANON, running


def test_the_program_signs_up_and_queries(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "signin"))
    from portico_sign_in.plugin import TABLES

    (tables,), (program,) = blocks("docs/sign-in.md", "sql"), blocks("docs/sign-in.md", "js")
    url = postgres.create_database(sql=install_script(VERSION) + TABLES + tables.text)
    with running(postgres, url, tmp_path / "objects", plugins=own_plugin(), development=True) as service:
        (tmp_path / "node_modules").symlink_to(node_packages() / "node_modules")
        (tmp_path / "program.mjs").write_text(program.text.replace("http://127.0.0.1:8000", service.url))
        # Node.js 20 has the WebSocket that supabase-js asks for behind this option.
        known = {**os.environ, "ANON_KEY": ANON, "NODE_OPTIONS": "--experimental-websocket"}
        done = subprocess.run(
            ["node", "program.mjs"],
            cwd=tmp_path, env=known, capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.stdout == '{"data":{"profileCollection":{"edges":[{"node":{"name":"Ann"}}]}}}\n', done.stderr
