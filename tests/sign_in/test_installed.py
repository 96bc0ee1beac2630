"""The distribution: installed by pip, found by its entry point, and the start of a service with it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import requests

from tests.plugins.test_extras import run
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY, open_directory, started
from tests.sign_in.installing import install_sign_in

SERVE = [sys.executable, "-m", "portico", "serve", "--port", "0", "--workers", "2"]
LOUD = "FOR DEVELOPMENT ONLY: /auth/v1 signs users in."


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The PYTHONPATH with the distribution as pip installs it."""
    return f"{install_sign_in(tmp_path_factory.mktemp('installed'))}:{REPOSITORY}"


def test_sign_in_is_found_by_its_entry_point(installed: str, tmp_path: Path) -> None:
    listed = run(tmp_path, "-m", "portico", "plugins", PYTHONPATH=installed)
    assert "portico-sign-in 1.0.0  Sign-in for development, with e-mail and password" in listed
    settings = run(tmp_path, "-m", "portico", "settings", "--markdown", PYTHONPATH=installed)
    assert "| `SIGN_IN` | `--sign-in` | off, local or everywhere | off; local with DEVELOPMENT |" in settings
    assert "create table auth.users" in run(tmp_path, "-m", "portico", "sign-in-tables", PYTHONPATH=installed)


def test_a_development_service_makes_the_tables(installed: str) -> None:
    with open_directory() as here:
        for development, status in (("on", 200), ("on", 422), ("off", 404)):
            with started(SERVE, here, PYTHONPATH=installed, DEVELOPMENT=development) as process:
                assert process.stdout
                said = ""
                while "anon key" not in said:
                    said += (line := process.stdout.readline())
                    assert line, said
                address = next(word for word in said.split() if word.endswith("/graphql/v1")).removesuffix(
                    "/graphql/v1"
                )
                keys = json.loads((here / ".portico" / "keys.json").read_text())
                body = {"email": "ann@example.com", "password": "correct horse"}
                headers = {"apikey": keys["anon_key"]}
                answer = requests.post(f"{address}/auth/v1/signup", json=body, headers=headers, timeout=PATIENCE_S)
                assert answer.status_code == status, answer.text
                assert (LOUD in said) == (development == "on"), said
                process.terminate()
                assert process.wait(PATIENCE_S) == 0


def test_a_login_without_rights_gets_the_command(installed: str, postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.create_database()
    known = {"PYTHONPATH": installed, "DATABASE_URL": url, "JWT_SECRET": "s" * 32, "DEVELOPMENT": "on"}
    with started(SERVE, tmp_path, **known) as process:
        assert process.stdout
        said = ""
        while "Portico serves" not in said:
            said += (line := process.stdout.readline())
            assert line, said
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    assert "the schema auth or the role service_role is missing" in said
    assert 'portico sign-in-tables | psql "$DATABASE_URL"' in said
