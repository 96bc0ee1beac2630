"""The page about identity providers: Portico takes their tokens, and the policy for users without a UUID works."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from app.identity import Identity
from app.identity.tokens import TokenError
from app.settings import load
from tests.docs.blocks import all_blocks, blocks
from tests.graphql.api import Api
from tests.graphql.conftest import start_api as start_api

PAGE = "docs/identity-providers.md"
PROVIDERS = [each.heading for each in all_blocks(PAGE) if each.language == "json"]


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _of(provider: str, language: str) -> str:
    return next(each.text for each in all_blocks(PAGE) if (each.heading, each.language) == (provider, language))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_tokens_of_a_provider_are_accepted(provider: str, key: rsa.RSAPrivateKey) -> None:
    lines = dict(line.split("=", 1) for line in _of(provider, "text").splitlines())
    assert lines["JWT_JWKS"].startswith("https://")
    public = {**json.loads(RSAAlgorithm.to_jwk(key.public_key())), "kid": "one", "use": "sig", "alg": "RS256"}
    encryption = {**public, "kid": "two", "use": "enc", "alg": "RSA-OAEP"}
    settings = replace(load({**lines, "ANON_KEY": "anon-key"}), jwt_jwks=json.dumps({"keys": [encryption, public]}))
    identity = Identity(settings)
    claims = json.loads(_of(provider, "json"))
    token = jwt.encode({**claims, "exp": 4e9}, key, "RS256", {"kid": "one"})
    caller = identity.caller("anon-key", f"Bearer {token}", host=None)
    assert (caller.role, caller.claims["sub"]) == ("authenticated", claims["sub"])
    elsewhere = jwt.encode({**claims, "aud": "elsewhere"}, key, "RS256", {"kid": "one"})
    with pytest.raises(TokenError, match="another audience"):
        identity.caller("anon-key", f"Bearer {elsewhere}", host=None)


def test_all_four_providers_are_on_the_page() -> None:
    assert PROVIDERS == ["Auth0", "Keycloak", "Clerk", "Supabase Auth (GoTrue)"]


def test_users_without_a_uuid_have_their_own_rows(start_api: Callable[..., Api]) -> None:
    (block,) = blocks("docs/identity-providers.md", "sql")
    api = start_api(block.text)
    insert = 'mutation { insertIntonoteCollection(objects: [{ body: "mine" }]) { affectedCount } }'
    assert api.ask(insert, claims={"sub": "auth0|ann"}).data
    rows = "{ noteCollection { edges { node { owner } } } }"
    mine = api.ask(rows, claims={"sub": "auth0|ann"}).data["noteCollection"]["edges"]
    assert mine == [{"node": {"owner": "auth0|ann"}}]
    assert api.ask(rows, claims={"sub": "user_bob"}).data["noteCollection"]["edges"] == []
