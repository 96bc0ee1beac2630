"""Sign-in works only in development, only on this machine, and only for a limited number of attempts."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.sign_in.conftest import PASSWORD, SignIn

Start = Callable[..., SignIn]
ELSEWHERE: list[dict[str, Any]] = [
    {"remote_addr": "203.0.113.7"},
    {"host": "app.example.com"},
    {"headers": {"X-Forwarded-For": "203.0.113.7"}},
    {"headers": {"Via": "1.1 proxy"}},
    {"headers": {"X-Real-IP": "127.0.0.1"}},
    {"http_version": "1.0"},
]


CLOSED: list[dict[str, Any]] = [
    {"development": False},
    {"development": False, "sign_in": "everywhere"},
    {"sign_in": "off"},
    {"jwt_secret": None, "service_role_key": "key", "anon_key": "other"},
]


@pytest.mark.parametrize("settings", CLOSED)
def test_no_one_signs_in_outside_development(start: Start, settings: dict[str, Any]) -> None:
    auth = start(**settings)
    for method, path in (("POST", "signup"), ("POST", "token?grant_type=password"), ("GET", "admin/users")):
        status, refused = auth.call(method, path, key=auth.service.service_role_key)
        assert (status, refused["error_code"]) == (404, "not_found"), path
        assert refused["msg"].startswith("Portico has no Auth service")


def test_other_machines_and_proxies_are_refused(auth: SignIn) -> None:
    for options in ELSEWHERE:
        for status, refused in (
            auth.call("GET", "health", **options),
            auth.sign_in(**options),
            auth.admin("GET", "users", **options),
        ):
            assert (status, refused["error_code"]) == (403, "development_only"), options
            assert "SIGN_IN=everywhere" in refused["msg"]


def test_a_trusted_proxy_is_a_proxy(start: Start) -> None:
    auth = start(trusted_proxy="127.0.0.1")
    assert auth.call("GET", "health")[1]["error_code"] == "development_only"


def test_a_setting_opens_it_to_others(start: Start) -> None:
    auth = start(sign_in="everywhere")
    auth.sign_up()
    for options in ELSEWHERE:
        assert auth.sign_in(**options)[0] == 200, options


def test_it_says_that_it_is_for_development(auth: SignIn) -> None:
    for path in ("health", "settings", "nothing"):
        result = auth.service.client.simulate_get(
            f"/auth/v1/{path}", headers={"apikey": auth.service.anon_key}, host="localhost"
        )
        assert result.headers["x-portico-sign-in"] == "development only"
        assert result.headers["cache-control"] == "no-store"
    home = auth.service.client.simulate_get("/", headers={"accept": "text/html"}).text
    assert "<dt>/auth/v1</dt><dd>sign-in with e-mail and password, FOR DEVELOPMENT ONLY</dd>" in home
    assert auth.call("GET", "settings")[1]["external"] == {"email": True, "phone": False, "anonymous_users": False}
    assert auth.call("GET", ".well-known/jwks.json") == (200, {"keys": []})


def test_the_home_page_is_silent_outside_development(start: Start) -> None:
    home = start(development=False).service.client.simulate_get("/", headers={"accept": "text/html"}).text
    assert "/auth/v1" not in home


ABSENT = {
    "POST otp": "otp_disabled",
    "POST magiclink": "otp_disabled",
    "POST resend": "otp_disabled",
    "POST verify": "otp_disabled",
    "GET verify": "otp_disabled",
    "POST recover": "email_provider_disabled",
    "GET reauthenticate": "email_provider_disabled",
    "POST invite": "email_provider_disabled",
    "POST admin/generate_link": "email_provider_disabled",
    "GET authorize": "oauth_provider_not_supported",
    "GET callback": "oauth_provider_not_supported",
    "GET user/identities/authorize": "oauth_provider_not_supported",
    "DELETE user/identities/7": "oauth_provider_not_supported",
    "POST sso": "saml_provider_disabled",
    "GET saml/metadata": "saml_provider_disabled",
    "POST factors": "mfa_totp_enroll_not_enabled",
    "POST factors/7/verify": "mfa_totp_enroll_not_enabled",
    "GET admin/users/7/factors": "mfa_totp_enroll_not_enabled",
    "GET signup": "not_found",
    "POST nothing/at/all": "not_found",
    "PATCH user": "not_found",
    "POST token?grant_type=pkce": "validation_failed",
    "POST token?grant_type=id_token": "validation_failed",
    "POST token": "validation_failed",
}


def test_the_rest_of_the_protocol_is_refused_readably(auth: SignIn) -> None:
    for request, code in ABSENT.items():
        method, path = request.split(" ")
        status, refused = auth.call(method, path, {} if method != "GET" else None)
        assert (refused["code"], refused["error_code"]) == (status, code), request
        assert status in (400, 404, 422)
        assert refused["msg"].startswith("Development sign-in has no ")


def test_guesses_are_limited(auth: SignIn) -> None:
    auth.sign_up()
    auth.sign_up("ben@example.com")
    assert [auth.sign_in(password="wrong")[0] for _ in range(10)] == [400] * 10
    status, refused = auth.sign_in()
    assert (status, refused["error_code"]) == (429, "over_request_rate_limit")
    # Others may sign in, any number of times.
    assert {auth.sign_in("ben@example.com")[0] for _ in range(12)} == {200}


def test_guesses_for_many_users_are_limited(auth: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portico_sign_in.passwords.PasswordHasher.verify", lambda *_: False)
    statuses = [auth.sign_in(f"user{number}@example.com")[0] for number in range(101)]
    assert statuses == [400] * 100 + [429]


def test_failures_are_forgotten_after_a_minute(auth: SignIn) -> None:
    from portico_sign_in.attempts import Attempts
    from portico_sign_in.errors import Refusal

    now = 0.0
    attempts = Attempts(lambda: now)
    for _ in range(10):
        attempts.check("a@example.com")
    with pytest.raises(Refusal, match="rate limit"):
        attempts.check("a@example.com")
    now = 61.0
    attempts.check("a@example.com")


def test_neither_passwords_nor_tokens_are_logged(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    auth = start("alter table auth.sessions add check (refreshes < 1)", access_log=True)
    session = auth.sign_up()
    auth.sign_in(password="a wrong one")
    auth.call("PUT", "user", {"password": "another horse"}, token=session["access_token"])
    # Fails in the database.
    status, refused = auth.refresh(session["refresh_token"])
    assert (status, refused["error_code"]) == (500, "unexpected_failure")
    assert "violates check constraint" in caplog.text
    for secret in (
        PASSWORD,
        "a wrong one",
        "another horse",
        session["access_token"],
        session["refresh_token"],
        "argon2",
    ):
        assert secret not in caplog.text


def test_missing_tables_are_reported(auth: SignIn) -> None:
    auth.service.sql("drop table auth.users cascade")
    status, refused = auth.sign_in()
    assert (status, refused["error_code"]) == (500, "unexpected_failure")
    assert 'relation "auth.users" does not exist' in refused["msg"]


def test_the_tables_of_another_service_are_left_alone(auth: SignIn) -> None:
    from portico_sign_in.plugin import TABLES

    auth.service.sql(TABLES)
    auth.service.sql("comment on table auth.users is null")
    with pytest.raises(Exception, match=r"auth\.users belongs to another service"):
        auth.service.sql(TABLES)


def test_other_roles_have_no_rights(auth: SignIn) -> None:
    auth.sign_up()
    for role in ("anon", "authenticated"):
        for table in ("auth.users", "auth.sessions"):
            ((may,),) = auth.service.sql(f"select has_table_privilege('{role}', '{table}', 'select')")
            assert may == "f"


@pytest.mark.timing
def test_an_unknown_user_takes_as_long_as_a_known_one(auth: SignIn) -> None:
    auth.sign_up()

    def duration(email: str) -> float:
        began = time.thread_time()
        assert auth.sign_in(email, "wrong")[0] == 400
        return time.thread_time() - began

    both = [(duration("ann@example.com"), duration(f"{number}@example.com")) for number in range(5)]
    known, unknown = (min(each) for each in zip(*both, strict=True))
    assert 0.6 < unknown / known < 1.6
