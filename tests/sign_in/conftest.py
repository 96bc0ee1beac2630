"""A service with sign-in, in development, and requests like those of the clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from app.testing.fixtures import MakeService
from app.testing.service import Service
from tests.process.running import REPOSITORY
from tests.sign_in.installing import own_plugin

PASSWORD = "correct horse"


@dataclass(frozen=True)
class SignIn:
    """A service under test. ``call`` returns the status and the JSON of a response; None for an empty one."""

    service: Service

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        key: str | None = None,
        headers: dict[str, str] | None = None,
        host: str = "localhost",
        remote_addr: str = "127.0.0.1",
        **options: Any,
    ) -> tuple[int, Any]:
        key = self.service.anon_key if key is None else key
        sent = {"apikey": key, "Authorization": f"Bearer {token or key}", **(headers or {})}
        options |= {"host": host, "extras": {"REMOTE_ADDR": remote_addr}}
        if body is not None:
            options["body"] = json.dumps(body)
        result = self.service.client.simulate_request(method, f"/auth/v1/{path}", headers=sent, **options)
        return result.status_code, result.json if result.content else None

    def admin(self, method: str, path: str, body: object = None, **options: Any) -> tuple[int, Any]:
        return self.call(method, f"admin/{path}", body, key=self.service.service_role_key, **options)

    def sign_up(self, email: str = "ann@example.com", **more: Any) -> dict[str, Any]:
        status, session = self.call("POST", "signup", {"email": email, "password": PASSWORD, **more})
        assert status == 200, session
        return dict(session)

    def sign_in(self, email: str = "ann@example.com", password: str = PASSWORD, **options: Any) -> tuple[int, Any]:
        body = {"email": email, "password": password}
        return self.call("POST", "token?grant_type=password", body, **options)

    def refresh(self, token: object) -> tuple[int, Any]:
        return self.call("POST", "token?grant_type=refresh_token", {"refresh_token": token})


@pytest.fixture
def start(portico_service: MakeService, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SignIn]:
    """``start(sql, **settings)``: a service in development, on a database with the tables of sign-in in which ``sql``
    was run."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "signin"))
    from portico_sign_in import plugin

    def start_(sql: str = "", **settings: Any) -> SignIn:
        given = {"development": True, **settings}
        return SignIn(portico_service(plugin.TABLES + ";" + sql, own_plugin(), **given))

    return start_


@pytest.fixture
def auth(start: Callable[..., SignIn]) -> SignIn:
    return start()
