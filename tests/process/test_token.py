"""``portico token``: tokens for trying out."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from dataclasses import asdict
from pathlib import Path

import jwt
import pytest

from app.commands.embedded_service import KEPT_KEYS
from app.identity.issuing import make_keys
from tests.process.conftest import Portico

SECRET = "a secret of the tests that is long enough"
SHARED = "another secret that is long enough for a key of SHA-384"


def test_a_token_is_signed_with_the_secret(portico: Portico) -> None:
    made = portico("token", "--sub", "ann", "--expires", "15m", JWT_SECRET=SECRET, JWT_AUDIENCE="app")
    claims = jwt.decode(made.stdout.strip(), SECRET, ["HS256"], audience="app")
    assert (claims["role"], claims["sub"], claims["exp"] - claims["iat"]) == ("authenticated", "ann", 900)
    assert made.stderr == ""


def test_a_role_outside_of_api_roles_is_noted(portico: Portico) -> None:
    made = portico("token", "--role", "editor", JWT_SECRET=SECRET)
    assert jwt.decode(made.stdout.strip(), SECRET, ["HS256"])["role"] == "editor"
    assert made.stderr == "portico: editor is not in API_ROLES: it must be granted to one of these roles.\n"


def test_a_token_is_signed_with_a_shared_key_of_the_key_set(portico: Portico, tmp_path: Path) -> None:
    secret = urlsafe_b64encode(SHARED.encode()).decode().rstrip("=")
    keys = {"keys": [{"kty": "oct", "alg": "HS384", "kid": "one", "k": secret}]}
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(keys))
    made = portico("token", JWT_JWKS=str(path)).stdout.strip()
    assert jwt.get_unverified_header(made)["kid"] == "one"
    assert jwt.decode(made, SHARED, ["HS384"])["role"] == "authenticated"


@pytest.mark.parametrize("source", ["https://127.0.0.1:1/jwks.json", '{"keys": []}'])
def test_a_key_set_that_only_verifies_cannot_sign(portico: Portico, source: str) -> None:
    refused = portico("token", JWT_JWKS=source)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "JWT_JWKS has no key to sign with, only keys that verify: get a token from the issuer" in refused.stderr


def test_a_missing_key_is_reported(portico: Portico) -> None:
    refused = portico("token", DATABASE_URL="postgresql://127.0.0.1:1/none")
    assert "run `portico keys`, and set JWT_SECRET" in refused.stderr
    refused = portico("token", JWT_JWKS="/nowhere/keys.json")
    assert refused.stderr.startswith("portico: JWT_JWKS cannot be read: ")


def test_the_embedded_database_has_its_own_key(portico: Portico, tmp_path: Path) -> None:
    assert "no key is set to sign with" in portico("token", DATA_DIR=str(tmp_path)).stderr
    (tmp_path / KEPT_KEYS).write_text(json.dumps(asdict(make_keys(SECRET))))
    made = portico("token", "--expires", "7d", DATA_DIR=str(tmp_path)).stdout.strip()
    assert jwt.decode(made, SECRET, ["HS256"])["role"] == "authenticated"


@pytest.mark.parametrize("wrong", ["1", "0s", "-1h", "1y", "soon"])
def test_an_invalid_lifetime_is_refused(portico: Portico, wrong: str) -> None:
    assert portico("token", "--expires", wrong, JWT_SECRET=SECRET).returncode == 2
