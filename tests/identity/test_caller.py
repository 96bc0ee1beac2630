"""Identifying the caller from the headers of a request."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest

from app.errors import AccessError
from app.identity import Caller, TokenError
from app.identity.key_sets import KeySet
from tests.identity.conftest import ANON_KEY, SECRET, SERVICE_KEY, Clock, make_identity
from tests.identity.key_server import SigningKey, key_set
from tests.process.running import until

UserToken = Callable[..., str]


@pytest.mark.parametrize(("key", "role"), [(ANON_KEY, "anon"), (SERVICE_KEY, "service_role")])
def test_configured_keys_have_their_roles(key: str, role: str) -> None:
    caller = make_identity().caller(key, None, host=None)
    assert (caller.role, caller.claims, caller.claims_json) == (role, {"role": role}, f'{{"role":"{role}"}}')
    assert caller.expires_at is None


@pytest.mark.parametrize("api_key", [None, ""])
def test_a_missing_key_is_refused(api_key: str | None) -> None:
    with pytest.raises(AccessError, match="missing") as raised:
        make_identity().caller(api_key, f"Bearer {ANON_KEY}", host=None)
    assert (raised.value.status, raised.value.code) == (401, "MISSING_API_KEY")


@pytest.mark.parametrize("api_key", ["wrong", ANON_KEY[:-1], ANON_KEY + "x", ANON_KEY.upper(), "a.b.c", "ä\udcff"])
def test_a_wrong_key_is_refused(api_key: str) -> None:
    with pytest.raises(AccessError) as raised:
        make_identity().caller(api_key, None, host=None)
    assert (raised.value.status, raised.value.code) == (401, "INVALID_API_KEY")
    assert raised.value.message == "The apiKey is not one of this project's."


def test_every_key_is_refused_without_configured_keys() -> None:
    identity = make_identity(jwt_secret=None, anon_key=None, service_role_key="")
    for api_key in ("", "x", jwt.encode({"role": "anon"}, SECRET, "HS256")):
        with pytest.raises(AccessError):
            identity.caller(api_key, None, host=None)


def test_a_token_with_a_role_is_a_key(user_token: UserToken) -> None:
    identity = make_identity()
    assert identity.caller(user_token(role="anon", iss="x"), None, host=None).claims == {"role": "anon", "iss": "x"}
    with pytest.raises(AccessError) as raised:
        identity.caller(user_token(sub="u1"), None, host=None)
    assert raised.value.code == "INVALID_API_KEY"
    with pytest.raises(AccessError) as raised:
        identity.caller(user_token(role="anon", exp=1), None, host=None)
    assert raised.value.code == "JWT_EXPIRED"


def test_a_users_token_takes_precedence(user_token: UserToken) -> None:
    expires = int(time.time()) + 60
    token = user_token(sub="u1", exp=expires, app={"a": [1]})
    for key in (ANON_KEY, SERVICE_KEY):
        for scheme in ("Bearer", "bearer", "BEARER "):
            caller = make_identity().caller(key, f"{scheme} {token}", host=None)
            assert caller.role == "authenticated"
            assert caller.expires_at == expires
            assert json.loads(caller.claims_json) == dict(caller.claims)
            assert caller.claims == {"sub": "u1", "exp": expires, "app": {"a": [1]}, "role": "authenticated"}


def test_the_role_of_a_token_is_not_changed(user_token: UserToken) -> None:
    assert make_identity().caller(ANON_KEY, f"Bearer {user_token(role='Éditeur x')}", host=None).role == "Éditeur x"


@pytest.mark.parametrize(("bearer", "role"), [(ANON_KEY, "anon"), (SERVICE_KEY, "service_role")])
def test_a_key_as_bearer_counts_as_that_key(bearer: str, role: str) -> None:
    """Supabase's clients send the key in both headers until a user has signed in."""
    assert make_identity().caller(ANON_KEY, f"Bearer {bearer}", host=None).role == role
    assert make_identity().caller(SERVICE_KEY, f"Bearer {bearer}", host=None).role == role


def test_a_token_may_be_key_and_bearer(user_token: UserToken) -> None:
    key = user_token(role="service_role")
    assert make_identity().caller(key, f"Bearer {key}", host=None).role == "service_role"


@pytest.mark.parametrize("authorization", [None, "", "  "])
def test_missing_authorization_leaves_the_role_of_the_key(authorization: str | None) -> None:
    assert make_identity().caller(ANON_KEY, authorization, host=None).role == "anon"


@pytest.mark.parametrize("authorization", ["Bearer", "Bearer ", "Basic dTpw", "Bearer undefined", "x", "Bearer a.b.c"])
def test_unusable_authorization_is_refused(authorization: str) -> None:
    with pytest.raises(AccessError) as raised:
        make_identity().caller(SERVICE_KEY, authorization, host=None)
    assert (raised.value.status, raised.value.code) == (401, "INVALID_JWT")


@pytest.mark.parametrize("role", [None, 1, True, [], {}, "", "a\0b", "x" * 64, "é" * 32, "none", "\ud800"])
def test_roles_that_cannot_be_set_are_refused(user_token: UserToken, role: Any) -> None:
    token = user_token(role=role)
    for key, authorization in ((ANON_KEY, f"Bearer {token}"), (token, None)):
        with pytest.raises(AccessError) as raised:
            make_identity().caller(key, authorization, host=None)
        assert (raised.value.status, raised.value.code) == (401, "INVALID_JWT")


def test_a_cached_token_expires(user_token: UserToken) -> None:
    clock = Clock(time.time())
    identity = make_identity(now=clock, leeway_s=0)
    authorization = f"Bearer {user_token(sub='u1', exp=int(clock.now) + 60)}"
    first = identity.caller(ANON_KEY, authorization, host=None)
    clock.now += 58
    assert identity.caller(ANON_KEY, authorization, host=None) is first
    clock.now += 3
    # Verified again, by the real clock.
    assert identity.caller(ANON_KEY, authorization, host=None) is not first


def test_tokens_are_verified_again_if_the_clock_was_set_back(user_token: UserToken) -> None:
    """Otherwise a token would outlive its key by as much, and be valid before its time."""
    clock = Clock(time.time() + 3600)
    identity = make_identity(now=clock)
    authorization = f"Bearer {user_token(sub='u1')}"
    first = identity.caller(ANON_KEY, authorization, host=None)
    assert identity.caller(ANON_KEY, authorization, host=None) is first
    clock.now -= 3600
    assert identity.caller(ANON_KEY, authorization, host=None) is not first


def test_an_expired_cached_token_is_refused(user_token: UserToken) -> None:
    identity = make_identity(leeway_s=0)

    def accepted() -> str | None:
        authorization = f"Bearer {user_token(sub='u1', exp=int(time.time()) + 2)}"
        return authorization if refusal(authorization) is None else None

    def refusal(authorization: str) -> str | None:
        try:
            identity.caller(ANON_KEY, authorization, host=None)
        except AccessError as error:
            return error.code
        return None

    remembered = until(accepted)
    assert remembered is not None
    assert until(lambda: refusal(remembered)) == "JWT_EXPIRED"


def test_the_cache_of_callers_is_bounded_in_number_and_time(user_token: UserToken) -> None:
    clock = Clock(time.time())
    identity = make_identity(now=clock)
    authorization = f"Bearer {user_token(sub='u1')}"
    first = identity.caller(ANON_KEY, authorization, host=None)
    clock.now += 299
    assert identity.caller(ANON_KEY, authorization, host=None) is first
    clock.now += 2
    assert identity.caller(ANON_KEY, authorization, host=None) is not first
    for number in range(2100):
        identity.caller(ANON_KEY, f"Bearer {user_token(sub=str(number))}", host=None)
    assert (len(identity._callers), len(identity._claims)) == (2000, 2000)


def test_a_token_with_another_key_is_not_cached_for_longer(tmp_path: Path) -> None:
    key, clock, keys = SigningKey("RS256", "withdrawn"), Clock(time.time()), tmp_path / "keys.json"
    keys.write_text(key_set(key))
    identity = make_identity(jwt_jwks=str(keys), now=clock)
    token = key.sign({"sub": "u1", "role": "authenticated"})
    asked = [(ANON_KEY, f"Bearer {token}"), (SERVICE_KEY, f"Bearer {token}"), (token, None)]
    assert identity.caller(*asked[0], host=None).role == "authenticated"
    keys.write_text(key_set())
    clock.now += 299
    for each in asked:
        assert identity.caller(*each, host=None).role == "authenticated"
    identity._verifier._keys = KeySet(str(keys))
    clock.now += 2
    for each in asked:
        with pytest.raises(AccessError):
            identity.caller(*each, host=None)


def test_an_expiring_key_limits_the_cache_time(user_token: UserToken) -> None:
    clock = Clock(time.time())
    identity = make_identity(now=clock, leeway_s=0)
    until = int(clock.now) + 60
    asked = (user_token(role="anon", exp=until), f"Bearer {user_token(sub='u1')}")
    first = identity.caller(*asked, host=None)
    clock.now = until + 1
    # Verified again, by the real clock.
    assert identity.caller(*asked, host=None) is not first


def test_long_headers_are_not_cached(user_token: UserToken) -> None:
    identity = make_identity()
    authorization = f"Bearer {' ' * 200_000}{user_token(sub='u1')}"
    assert identity.caller(ANON_KEY, authorization, host=None).claims["sub"] == "u1"
    assert len(identity._callers) == 0


def test_refused_credentials_are_not_cached(user_token: UserToken) -> None:
    identity = make_identity()
    for number in range(10):
        with pytest.raises(AccessError):
            identity.caller(ANON_KEY, f"Bearer {user_token(sub=str(number))}x", host=None)
    assert len(identity._callers) == len(identity._claims) == 0


def test_equal_claims_are_equal_callers() -> None:
    a, b = Caller.of({"sub": "1"}, default_role="anon"), Caller.of({"sub": "1"}, default_role="anon")
    c = Caller.of({"sub": "1"}, default_role="other")
    assert a == b
    assert len({a, b, c}) == 2
    assert a.cache_key != c.cache_key


def test_claims_that_are_not_json_are_refused(user_token: UserToken) -> None:
    with pytest.raises(AccessError):
        make_identity().caller(ANON_KEY, f"Bearer {user_token(x=float('nan'))}", host=None)


def test_verify_returns_the_claims_of_any_token(user_token: UserToken) -> None:
    identity = make_identity()
    assert identity.verify(ANON_KEY) == {"role": "anon"}
    assert identity.verify(user_token(sub="u1")) == {"sub": "u1"}
    with pytest.raises(TokenError) as raised:
        identity.verify("")
    assert raised.value.reason == "malformed"


REF = "abcdefghijklmnopqrst"


@pytest.mark.parametrize(
    "host",
    [f"{REF}.example.com", f"{REF}.example.com:8443", f"{REF.upper()}.Example.com.", REF, "127.0.0.1", "10.1.2.3:80",
     "[::1]", "[::1]:8000", "localhost", "localhost:3000", "x.localhost:1"],
)  # fmt: skip
def test_hosts_of_the_project_are_accepted(host: str) -> None:
    assert make_identity(project_ref=REF).caller(ANON_KEY, None, host=host).role == "anon"


@pytest.mark.parametrize("host", ["example.com", f"x{REF}.example.com", f"www.{REF}.com", "", None, "localhost.evil"])
def test_hosts_of_other_projects_are_refused(host: str | None) -> None:
    identity = make_identity(project_ref=REF)
    identity.caller(ANON_KEY, None, host="localhost")
    with pytest.raises(AccessError) as raised:
        identity.caller(ANON_KEY, None, host=host)
    assert (raised.value.status, raised.value.code) == (404, "PROJECT_NOT_FOUND")
    assert REF not in raised.value.message


@pytest.mark.parametrize("claims", [{"scope": "download"}, {"scope": "upload", "upsert": False}, {}])
def test_the_token_of_a_signed_url_is_no_user_token(user_token: UserToken, claims: dict[str, Any]) -> None:
    """Anybody may hold it, and it is made with the same secret: it must not count as a user's token."""
    identity = make_identity()
    token = user_token(url="bucket/key", **claims)
    with pytest.raises(TokenError, match="signed URL"):
        identity.caller(ANON_KEY, f"Bearer {token}", host=None)
    with pytest.raises(TokenError, match="signed URL"):
        identity.verify(token)
    assert identity.caller(ANON_KEY, f"Bearer {user_token(url='x', role='writer')}", host=None).role == "writer"
