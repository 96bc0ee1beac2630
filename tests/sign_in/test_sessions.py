"""Refresh tokens: used once, with tolerance for two requests at the same time."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor

from tests.sign_in.conftest import SignIn


def test_a_refresh_returns_new_tokens(auth: SignIn) -> None:
    first = auth.sign_up()
    status, second = auth.refresh(first["refresh_token"])
    assert status == 200
    assert second["refresh_token"] != first["refresh_token"]
    assert second["user"]["email"] == "ann@example.com"
    assert auth.call("GET", "user", token=second["access_token"])[0] == 200


def test_a_second_use_ends_the_session(auth: SignIn) -> None:
    first = auth.sign_up()
    tokens = [first["refresh_token"]]
    for _ in range(3):
        tokens.append(auth.refresh(tokens[-1])[1]["refresh_token"])
    status, refused = auth.refresh(tokens[0])
    assert (status, refused["error_code"]) == (400, "refresh_token_already_used")
    # Also for the owner of the valid token: no one knows which of the two is the thief.
    status, refused = auth.refresh(tokens[-1])
    assert (status, refused["error_code"]) == (400, "refresh_token_not_found")
    assert auth.sign_in()[0] == 200


def test_two_tabs_refresh_at_the_same_time(auth: SignIn) -> None:
    token = auth.sign_up()["refresh_token"]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(auth.refresh, [token] * 8))
    assert [status for status, _ in answers] == [200] * 8
    (following,) = {session["refresh_token"] for _, session in answers}
    # A tab that did not get the response in time sends the old token once more.
    assert auth.refresh(token)[1]["refresh_token"] == following
    assert auth.refresh(following)[0] == 200


def test_an_invented_token_is_refused(auth: SignIn) -> None:
    token = auth.sign_up()["refresh_token"]
    raw = bytearray(base64.urlsafe_b64decode(token))
    raw[19] += 1
    altered = base64.urlsafe_b64encode(raw).decode()
    for invented in ("", "a", "é", altered, token[:-4], "A" * 48, None, 7, "A" * 10_000):
        status, refused = auth.refresh(invented)
        assert status == 400, invented
        assert refused["error_code"] in ("refresh_token_not_found", "validation_failed")
    assert auth.refresh(token)[0] == 200


def test_a_banned_user_cannot_refresh(auth: SignIn) -> None:
    session = auth.sign_up()
    user = session["user"]["id"]
    auth.service.sql(f"update auth.users set banned_until = now() + interval '1 hour' where id = '{user}'")
    status, refused = auth.refresh(session["refresh_token"])
    assert (status, refused["error_code"]) == (400, "user_banned")
    status, refused = auth.sign_in()
    assert (status, refused["error_code"]) == (400, "user_banned")
    auth.service.sql("update auth.users set banned_until = null")
    assert auth.refresh(session["refresh_token"])[0] == 200


def test_a_session_ends_with_its_user(auth: SignIn) -> None:
    session = auth.sign_up()
    auth.service.sql("delete from auth.users")
    status, refused = auth.refresh(session["refresh_token"])
    assert (status, refused["error_code"]) == (400, "refresh_token_not_found")
    status, refused = auth.call("GET", "user", token=session["access_token"])
    assert (status, refused["error_code"]) == (403, "session_not_found")
