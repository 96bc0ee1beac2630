"""Fixtures for tests of plugins: a database, a service on it, and a client. pytest finds them automatically.

The PostgreSQL server is that of TEST_DATABASE_URL, the URL of a superuser. Without it, an embedded server starts on
first use, which needs the extra ``embedded``. Fixtures import what they need only when used, because pytest always
loads this file.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest

if TYPE_CHECKING:
    from falcon.testing import Result, TestClient

    from app.wsgi import Application

JWT_SECRET = "the secret of a service that only tests know"  # noqa: S105

MakeDatabase = Callable[[str], str]
MakeService = Callable[..., "Service"]


@dataclass(frozen=True, slots=True)
class Service:
    """A service under test. ``client`` is Falcon's test client; ``anon_key`` and ``service_role_key`` are the API keys.
    ``graphql`` and ``request`` send ``anon_key`` with each request."""

    database_url: str
    application: Application
    client: TestClient
    anon_key: str
    service_role_key: str

    def graphql(self, query: str, variables: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """The data of the response to ``query``; fails if the response has errors. Options are those of ``request``."""
        body = json.dumps({"query": query, "variables": variables})
        response = self.request("POST", "/graphql/v1", body=body, **options).json
        assert "errors" not in response, response["errors"]  # noqa: S101
        data: dict[str, Any] = response["data"]
        return data

    def request(
        self,
        method: str,
        path: str,
        *,
        role: str | None = None,
        claims: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Result:
        """The response to an HTTP request. With ``role`` or ``claims`` it is sent with a user's token, otherwise as
        anon. ``headers`` replace the default ones; a value of None removes a header. Other options are those of
        falcon.testing."""
        caller = self.token(role or "authenticated", **(claims or {})) if role or claims else self.anon_key
        sent = {"apikey": self.anon_key, "Authorization": f"Bearer {caller}", "Content-Type": "application/json"}
        sent |= dict(headers or {})
        given = {name: value for name, value in sent.items() if value is not None}
        return self.client.simulate_request(method, path, headers=given, **options)

    def token(self, role: str, **claims: Any) -> str:
        """A token that the service accepts."""
        import jwt

        return jwt.encode({"role": role, **claims}, JWT_SECRET, "HS256")

    def sql(self, statement: str) -> list[list[str | None]]:
        """Run SQL as the superuser, any number of statements, and return the rows of the last one as text."""
        return _execute(self.database_url, statement)


@pytest.fixture(scope="session")
def portico_server() -> Iterator[str]:
    """The URL of a superuser's database on the server on which tests create theirs."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    from app.embedded.cluster import EmbeddedPostgres

    # Temporary: it is removed when this process ends, even if the process is killed.
    directory = Path(tempfile.gettempdir()) / f"portico-testing-{os.getpid()}-{secrets.token_hex(4)}"
    with EmbeddedPostgres(directory, durable=False, temporary=True) as cluster:
        yield cluster.url()


@pytest.fixture(scope="session")
def portico_template(portico_server: str) -> Iterator[str]:
    """The name of a database in which Portico is installed. Others are created from it, which is faster."""
    from app.installation.install import install

    name = f"portico_testing_{os.getpid()}"
    _execute(portico_server, f"create database {name}")
    install(_url_of(portico_server, name))
    yield name
    _execute(portico_server, f"drop database {name} with (force)")


@pytest.fixture
def portico_database(portico_server: str, portico_template: str) -> Iterator[MakeDatabase]:
    """``portico_database(sql)``: the URL of a new database in which ``portico init`` and ``sql`` were run."""
    names: list[str] = []

    def make(sql: str = "") -> str:
        names.append(f"{portico_template}_{next(_numbers)}")
        _execute(portico_server, f"create database {names[-1]} template {portico_template}")
        url = _url_of(portico_server, names[-1])
        if sql:
            _execute(url, sql)
        return url

    yield make
    for name in names:
        _execute(portico_server, f"drop database if exists {name} with (force)")


@pytest.fixture
def portico_service(portico_database: MakeDatabase, tmp_path: Path) -> Iterator[MakeService]:
    """``portico_service(sql, plugins={"mine": mine}, **settings)``: a Service on a new database in which ``sql`` was
    run. It has the installed plugins and ``plugins``; settings are named like the options of ``portico serve``."""
    made: list[Service] = []

    def make(sql: str = "", plugins: Mapping[str, Any] | None = None, **settings: Any) -> Service:
        url = portico_database(sql)
        folder = tmp_path / f"objects{len(made)}"
        made.append(_service(url, plugins, {"storage_url": folder.as_uri(), **settings}))
        return made[-1]

    yield make
    for service in made:
        service.application.close()


_numbers = itertools.count(1)


def _service(url: str, plugins: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> Service:
    from falcon.testing import TestClient

    from app.discovery import configure
    from app.identity.issuing import make_keys
    from app.wsgi import create_app

    keys = make_keys(JWT_SECRET)
    given = {
        "jwt_secret": keys.jwt_secret,
        "anon_key": keys.anon_key,
        "service_role_key": keys.service_role_key,
        "workers": 1,
        **settings,
        "database_url": url,
    }
    application = create_app(*configure({}, given, plugins))
    return Service(url, application, TestClient(application), keys.anon_key, keys.service_role_key)


def _url_of(server: str, database: str) -> str:
    parts = urlsplit(server)
    parameters = [pair for pair in parse_qsl(parts.query) if pair[0] != "dbname"]
    query = urlencode(parameters, quote_via=quote, safe="/")
    return f"{parts.scheme}://{parts.netloc}/{database}" + (f"?{query}" if query else "")


def _execute(url: str, sql: str) -> list[list[str | None]]:
    from app.database.url.url import parse_database_url
    from app.database.wire.connect import connect
    from app.database.wire.tls import tls_context

    target = parse_database_url(url)
    with closing(connect(target, tls_context(target), prepared_limit=0)) as connection:
        rows = connection.simple(sql)[-1]
    return [[None if value is None else value.decode() for value in row] for row in rows]
