"""The GraphQL API of one database, called without a network in between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from falcon.testing import TestClient

from app.discovery import configure
from app.wsgi import Application, create_app

JWT_SECRET = "a secret of the tests that is long enough"
ANON_KEY = "anon-key-of-the-tests"
SERVICE_KEY = "service-key-of-the-tests"


@dataclass(frozen=True)
class Answer:
    """An HTTP response with its JSON body."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def data(self) -> Any:
        """The data of an answer without errors."""
        assert "errors" not in self.body, self.body["errors"]
        return self.body["data"]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.body.get("errors", [])

    @property
    def message(self) -> str:
        """The message of the only error."""
        assert len(self.errors) == 1, self.body
        return self.errors[0]["message"]

    @property
    def code(self) -> str:
        """The code of the only error."""
        assert len(self.errors) == 1, self.body
        return self.errors[0]["extensions"]["code"]


ROLES = ("anon", "authenticated", "service_role", "nesting", "reader_of_columns", "rights_member", "some_columns")
"""The roles that the tests' tokens may have."""


class Api:
    """A service on one database, with settings by name. Must be closed."""

    def __init__(self, database_url: str, plugins: Mapping[str, Any] | None = None, **settings: Any) -> None:
        self.database_url = database_url
        self.application: Application = create_app(
            *configure(
                {},
                {
                    "database_url": database_url,
                    "jwt_secret": JWT_SECRET,
                    "anon_key": ANON_KEY,
                    "service_role_key": SERVICE_KEY,
                    "api_roles": ROLES,
                    "threads": 4,
                    "workers": 1,
                    **settings,
                },
                plugins,
            )
        )
        self.client = TestClient(self.application)

    def ask(
        self,
        query: Any,
        variables: Any = None,
        *,
        role: str | None = None,
        claims: Mapping[str, Any] | None = None,
        operation: str | None = None,
        key: str | None = ANON_KEY,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """POST a query. ``role`` and ``claims`` make a user's token; without them the caller is anon."""
        body = {"query": query, "variables": variables, "operationName": operation}
        return self.post(json.dumps(body), role=role, claims=claims, key=key, headers=headers)

    def post(
        self,
        body: str | bytes,
        *,
        role: str | None = None,
        claims: Mapping[str, Any] | None = None,
        key: str | None = ANON_KEY,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        sent = {"Content-Type": "application/json", **(headers or {})}
        if key is not None:
            sent["apiKey"] = key
        if role is not None or claims is not None:
            sent["Authorization"] = f"Bearer {token({'role': role or 'authenticated', **(claims or {})})}"
        result = self.client.simulate_post("/graphql/v1", body=body, headers=sent)
        return Answer(result.status_code, json.loads(result.content), result.headers)

    def close(self) -> None:
        self.application.close()


def token(claims: Mapping[str, Any]) -> str:
    """A user's token, signed with the secret of the tests."""
    return jwt.encode(dict(claims), JWT_SECRET, "HS256")
