"""Identities with the settings that a test wants, and what their tokens are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jwt
import pytest

from app.identity import Identity
from tests.identity.key_server import KeyServer

SECRET = "a secret that is long enough for HS256"
ANON_KEY, SERVICE_KEY = "anon-key-of-the-project", "service-key-of-the-project"


@dataclass
class IdentityOptions:
    jwt_secret: str | None = SECRET
    jwt_jwks: str | None = None
    jwt_audience: str | None = None
    anon_key: str | None = ANON_KEY
    service_role_key: str | None = SERVICE_KEY
    project_ref: str | None = None


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def make_identity(**options: Any) -> Identity:
    passed = {name: options.pop(name) for name in ("leeway_s", "now") if name in options}
    return Identity(IdentityOptions(**options), **passed)


@pytest.fixture
def key_server() -> Iterator[KeyServer]:
    server = KeyServer()
    yield server
    server.close()


@pytest.fixture
def user_token() -> Callable[..., str]:
    def sign(**claims: Any) -> str:
        return jwt.encode(claims, SECRET, "HS256")

    return sign
