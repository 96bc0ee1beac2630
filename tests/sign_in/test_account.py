"""A user's own requests: sign up, sign in, read and change oneself, sign out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from app.testing.service import JWT_SECRET
from tests.sign_in.conftest import PASSWORD, SignIn

# A table and a trigger as guides for Supabase show them.
PROFILES = """
create table public.profile (id uuid primary key references auth.users on delete cascade, name text);
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.raw_user_meta_data ->> 'name' = 'nobody' then
    raise exception 'nobody may not sign up';
  end if;
  insert into public.profile (id, name) values (new.id, new.raw_user_meta_data ->> 'name');
  return new;
end $$;
create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();
alter table public.profile enable row level security;
create policy own on public.profile to authenticated using (id = auth.uid());
grant select on public.profile to authenticated;
"""


def test_a_user_signs_up_and_queries(start: Callable[..., SignIn]) -> None:
    auth = start(PROFILES)
    auth.sign_up("ben@example.com", data={"name": "Ben"})
    session = auth.sign_up(data={"name": "Ann"})
    user = session["user"]
    assert (session["token_type"], session["expires_in"]) == ("bearer", 3600)
    assert (user["email"], user["aud"], user["role"]) == ("ann@example.com", "authenticated", "authenticated")
    assert (user["user_metadata"], user["app_metadata"]["provider"]) == ({"name": "Ann"}, "email")
    assert user["email_confirmed_at"] == user["confirmed_at"]
    claims = jwt.decode(session["access_token"], JWT_SECRET, ["HS256"], audience="authenticated")
    assert (claims["sub"], claims["email"], claims["role"]) == (user["id"], "ann@example.com", "authenticated")
    assert claims["exp"] == session["expires_at"] == pytest.approx(time.time() + 3600, abs=100)
    token = {"Authorization": f"Bearer {session['access_token']}"}
    found = auth.service.graphql("{ profileCollection { edges { node { id name } } } }", headers=token)
    assert found["profileCollection"]["edges"] == [{"node": {"id": user["id"], "name": "Ann"}}]


def test_a_trigger_refuses_a_user(start: Callable[..., SignIn]) -> None:
    auth = start(PROFILES)
    body = {"email": "n@example.com", "password": PASSWORD, "data": {"name": "nobody"}}
    status, refused = auth.call("POST", "signup", body)
    assert (status, refused["error_code"]) == (500, "unexpected_failure")
    assert refused["msg"] == "Database error: nobody may not sign up"
    assert auth.service.sql("select count(*) from auth.users") == [["0"]]


def test_only_the_hash_of_a_password_is_stored(auth: SignIn) -> None:
    auth.sign_up()
    ((row,),) = auth.service.sql("select row_to_json(u)::text from auth.users u")
    assert row is not None
    assert "$argon2id$" in row
    assert PASSWORD not in row


def test_a_user_signs_in(auth: SignIn) -> None:
    auth.sign_up("Ann@Example.com")
    status, session = auth.sign_in(" ann@EXAMPLE.com ")
    assert status == 200
    assert session["user"]["last_sign_in_at"]
    assert session["access_token"] != session["refresh_token"]
    assert "password" not in str(session["user"])


WRONG = (400, {"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"})


def test_a_wrong_password_and_an_unknown_user_get_the_same_answer(start: Callable[..., SignIn]) -> None:
    auth = start("insert into auth.users (email, encrypted_password) values ('old@example.com', '$2a$10$abc')")
    auth.sign_up()
    assert auth.sign_in(password="wrong") == WRONG
    assert auth.sign_in("nobody@example.com") == WRONG
    assert auth.sign_in(password=PASSWORD * 9) == WRONG
    # Its hash is of another scheme.
    assert auth.sign_in("old@example.com") == WRONG


ANN = {"email": "ann@example.com", "password": PASSWORD}
UNSUITABLE: list[tuple[Any, int, str]] = [
    ({**ANN, "password": "short"}, 422, "weak_password"),
    ({**ANN, "password": "a" * 73}, 400, "validation_failed"),
    ({**ANN, "password": None}, 400, "validation_failed"),
    ({**ANN, "password": 12345678}, 400, "validation_failed"),
    ({**ANN, "email": "ann"}, 400, "validation_failed"),
    ({**ANN, "email": ["ann@example.com"]}, 400, "validation_failed"),
    ({**ANN, "data": []}, 400, "validation_failed"),
    ({**ANN, "data": {"a": "x" * 4096}}, 400, "validation_failed"),
    ({**ANN, "data": {"a": "\0"}}, 400, "bad_json"),
    ({**ANN, "data": {"a": "\ud800"}}, 400, "bad_json"),
    ({**ANN, "data": {"a": float("inf")}}, 400, "bad_json"),
    ({**ANN, "phone": "+436601234567"}, 422, "phone_provider_disabled"),
    ({"data": {}}, 422, "anonymous_provider_disabled"),
    ([], 400, "bad_json"),
    ({**ANN, "password": "a" * 70_000}, 413, "validation_failed"),
]


def test_an_unsuitable_sign_up_is_refused(auth: SignIn) -> None:
    for body, status, code in UNSUITABLE:
        answered, refused = auth.call("POST", "signup", body)
        assert (answered, refused["code"], refused["error_code"]) == (status, status, code), body
        assert refused["msg"]
    assert auth.service.sql("select count(*) from auth.users") == [["0"]]
    # Text that only looks like an escaped U+0000 is stored.
    assert auth.sign_up(data={"a": "\\u0000"})["user"]["user_metadata"] == {"a": "\\u0000"}


def test_an_address_has_one_user(auth: SignIn) -> None:
    auth.sign_up()
    status, refused = auth.call("POST", "signup", {"email": "ANN@example.com", "password": PASSWORD})
    assert (status, refused["error_code"]) == (422, "user_already_exists")


def test_users_read_and_change_themselves(auth: SignIn) -> None:
    session = auth.sign_up(data={"name": "Ann", "town": "Graz", "deep": {"none": None}})
    token = session["access_token"]
    assert auth.call("GET", "user", token=token)[1]["email"] == "ann@example.com"
    changes = {"email": "anna@example.com", "data": {"town": None, "age": 7}, "role": "service_role"}
    status, user = auth.call("PUT", "user", changes, token=token)
    assert (status, user["email"], user["role"]) == (200, "anna@example.com", "authenticated")
    assert user["user_metadata"] == {"name": "Ann", "age": 7, "deep": {"none": None}}
    auth.sign_up("ben@example.com")
    status, refused = auth.call("PUT", "user", {"email": "Ben@example.com"}, token=token)
    assert (status, refused["error_code"]) == (422, "email_exists")
    status, refused = auth.call("PUT", "user", {"data": {"more": "x" * 4090}}, token=token)
    assert (status, refused["error_code"]) == (400, "validation_failed")


def test_a_new_password_ends_the_other_sessions(auth: SignIn) -> None:
    other, session = auth.sign_up(), auth.sign_in()[1]
    token = session["access_token"]
    status, refused = auth.call("PUT", "user", {"password": PASSWORD}, token=token)
    assert (status, refused["error_code"]) == (422, "same_password")
    assert auth.call("PUT", "user", {"password": "another horse"}, token=token)[0] == 200
    assert auth.sign_in() == WRONG
    assert auth.sign_in(password="another horse")[0] == 200
    status, refused = auth.call("GET", "user", token=other["access_token"])
    assert (status, refused["error_code"]) == (403, "session_not_found")
    assert auth.call("GET", "user", token=token)[0] == 200


SCOPES = {"": [], "?scope=global": [], "?scope=local": ["other"], "?scope=others": ["own"]}


def test_a_user_signs_out(auth: SignIn) -> None:
    auth.sign_up()
    for scope, left in SCOPES.items():
        own, other = auth.sign_in()[1], auth.sign_in()[1]
        assert auth.call("POST", f"logout{scope}", token=own["access_token"]) == (204, None)
        sessions = {"own": own, "other": other}
        assert [name for name, each in sessions.items() if auth.refresh(each["refresh_token"])[0] == 200] == left
    status, refused = auth.call("POST", "logout?scope=all", token=auth.sign_in()[1]["access_token"])
    assert (status, refused["error_code"]) == (400, "validation_failed")


def test_a_token_is_required(auth: SignIn) -> None:
    for method, path in (("GET", "user"), ("PUT", "user"), ("POST", "logout")):
        status, refused = auth.call(method, path, {} if method != "GET" else None)
        assert (status, refused["error_code"]) == (403, "bad_jwt"), path
        status, refused = auth.call(method, path, token="nonsense")
        assert (status, refused["error_code"]) == (403, "bad_jwt"), path
    status, refused = auth.call("POST", "signup", {"email": "a@example.com", "password": PASSWORD}, key="")
    assert (status, refused["error_code"]) == (401, "no_authorization")
