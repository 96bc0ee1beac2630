"""A service in the process of the tests, and requests to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.testing.databases import run_sql

if TYPE_CHECKING:
    from falcon.testing import Result, TestClient

    from app.wsgi import Application

JWT_SECRET = "the secret of a service that only tests know"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Service:
    """A service under test. ``client`` is Falcon's test client; ``anon_key`` and ``service_role_key`` are the API keys.
    ``graphql``, ``errors`` and ``request`` send ``anon_key`` with each request."""

    database_url: str
    application: Application
    client: TestClient
    anon_key: str
    service_role_key: str

    def graphql(self, query: str, variables: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """The data of the response to ``query``; fails if the response has errors. Options are those of ``request``."""
        response = self._ask(query, variables, options)
        assert "errors" not in response, response["errors"]  # noqa: S101
        data: dict[str, Any] = response["data"]
        return data

    def errors(self, query: str, variables: Mapping[str, Any] | None = None, **options: Any) -> list[dict[str, Any]]:
        """The errors of the response to ``query``; fails if it has none. Options are those of ``request``."""
        response = self._ask(query, variables, options)
        assert "errors" in response, response["data"]  # noqa: S101
        errors: list[dict[str, Any]] = response["errors"]
        return errors

    def _ask(self, query: str, variables: Mapping[str, Any] | None, options: Mapping[str, Any]) -> dict[str, Any]:
        body = json.dumps({"query": query, "variables": variables})
        response: dict[str, Any] = self.request("POST", "/graphql/v1", body=body, **options).json
        return response

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
        return run_sql(self.database_url, statement)


def make_service(
    database_url: str,
    settings: Mapping[str, Any],
    plugins: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Service:
    """A service on a database. It has the installed plugins and ``plugins``; ``settings`` are values by the names of
    settings, ``environment`` by those of their variables. Its ``application`` must be closed."""
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
        "database_url": database_url,
    }
    application = create_app(*configure(environment or {}, given, plugins))
    return Service(database_url, application, TestClient(application), keys.anon_key, keys.service_role_key)
