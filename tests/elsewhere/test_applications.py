"""Databases that were not made for this service: those of applications from PyPI and Maven, by their own migrations.

Each application is installed in its own directory. Run it with ``python -m pytest tests/elsewhere``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.database import parse_database_url
from app.installation.install import install
from tests.database.proxy import Proxy
from tests.elsewhere.walking import inserted_and_verified
from tests.packages import maven_archive, python_packages
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.long

SYNAPSE = """
server_name: elsewhere.example
report_stats: false
signing_key: "ed25519 a_test AQ2pJmzjQoZyGHE3cdW7mIhZdxVTtX4zJVq1EC3Oe5M"
macaroon_secret_key: of a test
media_store_path: media
database:
  name: psycopg2
  # Its test database need not sort as one in production.
  allow_unsafe_locale: true
  args: {{user: "{user}", password: "{password}", host: "{host}", port: {port}, dbname: "{database}"}}
"""
SUPERSET = """
SECRET_KEY = "of a test"
SQLALCHEMY_DATABASE_URI = "postgresql+psycopg2://{user}:{password}@/{database}?host={host}&port={port}"
"""
URL = "postgresql+psycopg2://{user}:{password}@/{database}?host={host}&port={port}"


@dataclass(frozen=True)
class Application:
    """``command``: the arguments of a program of the environment that makes the tables. ``files``: what it reads, by
    name. In both and in ``variables`` the parts of the database's address are named in braces."""

    requirements: Sequence[str]
    command: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    inserted: int = 5


APPLICATIONS = {
    "airflow": Application(
        ["apache-airflow==3.1.*", "psycopg2-binary", "asyncpg"],
        ["airflow", "db", "migrate"],
        variables={"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": URL, "AIRFLOW_HOME": "{folder}"},
    ),
    "mlflow": Application(["mlflow==3.*", "psycopg2-binary"], ["mlflow", "db", "upgrade", URL]),
    "superset": Application(
        ["apache-superset==4.1.*", "psycopg2-binary", "marshmallow<4"],
        ["superset", "db", "upgrade"],
        files={"superset_config.py": SUPERSET},
        variables={"FLASK_APP": "superset", "PYTHONPATH": "{folder}"},
    ),
    "synapse": Application(
        ["matrix-synapse[postgres]==1.*"],
        ["update_synapse_database", "--database-config", "synapse.yaml"],
        files={"synapse.yaml": SYNAPSE},
    ),
}


@pytest.mark.parametrize("name", APPLICATIONS)
def test_everything_in_the_schema_works(name: str, postgres: PostgresServer, tmp_path: Path) -> None:
    application = APPLICATIONS[name]
    environment = python_packages(*application.requirements)
    url = postgres.create_database()
    address = _address(url, tmp_path)
    for file, text in application.files.items():
        (tmp_path / file).write_text(text.format(**address))
    program, *arguments = application.command
    made = subprocess.run(
        [environment / "bin" / program, *(each.format(**address) for each in arguments)],
        cwd=tmp_path,
        env={**os.environ, **{variable: text.format(**address) for variable, text in application.variables.items()}},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    install(url)
    assert len(inserted_and_verified(url)) >= application.inserted
    postgres.drop_database(url)


KEYCLOAK = "org.keycloak:keycloak-quarkus-dist:26.0.7:zip"


def test_everything_in_the_schema_of_keycloak_works(postgres: PostgresServer, tmp_path: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    (program,) = maven_archive(KEYCLOAK).glob("*/bin/kc.sh")
    url = postgres.create_database()
    target = parse_database_url(url)
    # Java's driver has no Unix sockets.
    proxy = Proxy(url)
    made = subprocess.run(
        ["sh", program, "export", "--dir", tmp_path / "realms", "--db", "postgres",
         "--db-url", f"jdbc:postgresql://127.0.0.1:{proxy.port}/{target.database}",
         "--db-username", target.user, "--db-password", target.password or ""],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    proxy.close()
    assert made.returncode == 0, made.stdout[-2000:]
    install(url)
    assert len(inserted_and_verified(url)) >= 5
    postgres.drop_database(url)


def _address(url: str, folder: Path) -> Mapping[str, object]:
    target = parse_database_url(url)
    # libpq wants the directory of the socket.
    host = str(target.socket_path).rpartition("/")[0] if target.socket_path else target.host
    return {
        "user": target.user,
        "password": target.password or "",
        "host": host,
        "port": target.port,
        "database": target.database,
        "folder": folder,
    }
