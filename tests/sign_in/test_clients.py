"""The released clients, unmodified: supabase-js and supabase-py sign up, sign in, refresh, and show refusals."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.installation.scripts import install_script
from app.installation.version import VERSION
from tests.packages import program as node_program
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY
from tests.sign_in.installing import own_plugin
from tests.storage.service import ANON, SERVICE, Service, running

NOTES = """
create table public.note (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  body text not null
);
alter table public.note enable row level security;
create policy own on public.note to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
grant select, insert, delete on public.note to authenticated;
grant select on public.note to anon;
"""
DEVELOPMENT = "Development sign-in has no"


@pytest.fixture
def service(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.syspath_prepend(str(REPOSITORY / "signin"))
    from portico_sign_in.plugin import TABLES

    url = postgres.create_database(sql=install_script(VERSION) + TABLES + NOTES)
    with running(postgres, url, tmp_path, plugins=own_plugin(), development=True) as running_service:
        yield running_service


def test_supabase_js_signs_in(service: Service) -> None:
    program = node_program("sign_in.mjs")
    done = subprocess.run(
        ["node", str(program), service.url, ANON, SERVICE],
        cwd=program.parent, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["signUp"] == [None, "ann@example.com", {"name": "Ann"}]
    assert seen["twice"] == ["AuthApiError", "User already registered", 422, "user_already_exists"]
    assert seen["weak"][0] == "AuthWeakPasswordError"
    assert seen["wrong"] == ["AuthApiError", "Invalid login credentials", 400, "invalid_credentials"]
    assert seen["signIn"] == [None, "bearer", True]
    assert seen["rows"] == {"data": {"noteCollection": {"edges": []}}}
    assert seen["inserted"] == {"data": {"insertIntonoteCollection": {"records": [{"body": "mine"}]}}}
    assert seen["refresh"] == [None, True]
    assert seen["getUser"] == [None, "ann@example.com", 1]
    assert seen["updateUser"] == [None, {"name": "Anna"}]
    assert seen["signOut"] is None
    assert seen["reused"][3] == "refresh_token_not_found"
    assert seen["old"][0] == "AuthSessionMissingError"
    wanted = ["SIGNED_IN", "SIGNED_OUT", "SIGNED_IN", "TOKEN_REFRESHED", "USER_UPDATED", "SIGNED_OUT"]
    assert [each for each in seen["events"] if each != "INITIAL_SESSION"] == wanted
    assert seen["createUser"] == [None, "ben@example.com"]
    assert seen["listUsers"] == [["ann@example.com"], 2, 2, 2]
    assert (seen["getUserById"], seen["updateUserById"]) == ("ben@example.com", {"name": "Ben"})
    assert (seen["deleteUser"], seen["deleted"][3]) == (None, "user_not_found")
    assert seen["notAdmin"][3] == "not_admin"
    for name, (_, message, _, _) in seen["refused"].items():
        assert message.startswith(DEVELOPMENT), name


def test_supabase_py_signs_in(service: Service) -> None:
    supabase = pytest.importorskip("supabase")
    with httpx.Client() as http, httpx.Client() as admin_http:
        client = supabase.create_client(service.url, ANON, supabase.ClientOptions(httpx_client=http))
        ann = {"email": "ann@example.com", "password": "correct horse"}
        signed_up = client.auth.sign_up({**ann, "options": {"data": {"name": "Ann"}}})
        assert (signed_up.user.email, signed_up.user.user_metadata) == ("ann@example.com", {"name": "Ann"})
        with pytest.raises(supabase.AuthApiError) as twice:
            client.auth.sign_up(ann)
        assert twice.value.code == "user_already_exists"
        client.auth.sign_out()
        with pytest.raises(supabase.AuthApiError) as wrong:
            client.auth.sign_in_with_password({**ann, "password": "wrong"})
        assert (wrong.value.message, wrong.value.code) == ("Invalid login credentials", "invalid_credentials")
        signed_in = client.auth.sign_in_with_password(ann)
        refreshed = client.auth.refresh_session()
        assert refreshed.session.refresh_token != signed_in.session.refresh_token
        assert client.auth.get_user().user.email == "ann@example.com"
        query = {"query": "{ noteCollection { edges { node { body } } } }"}
        token = {"apikey": ANON, "authorization": f"Bearer {refreshed.session.access_token}"}
        answer = http.post(f"{service.url}/graphql/v1", json=query, headers=token).json()
        assert answer == {"data": {"noteCollection": {"edges": []}}}
        assert client.auth.update_user({"data": {"name": "Anna"}}).user.user_metadata == {"name": "Anna"}
        with pytest.raises(supabase.AuthApiError, match=DEVELOPMENT) as refused:
            client.auth.sign_in_with_otp({"email": "ann@example.com"})
        assert refused.value.code == "otp_disabled"
        client.auth.sign_out()

        admin = supabase.create_client(service.url, SERVICE, supabase.ClientOptions(httpx_client=admin_http)).auth.admin
        ben = admin.create_user({"email": "ben@example.com", "password": "secret1", "email_confirm": True}).user
        assert [each.email for each in admin.list_users()] == ["ann@example.com", "ben@example.com"]
        assert admin.get_user_by_id(ben.id).user.email == "ben@example.com"
        assert admin.update_user_by_id(ben.id, {"app_metadata": {"team": 7}}).user.app_metadata["team"] == 7
        admin.delete_user(ben.id)
        assert [each.email for each in admin.list_users()] == ["ann@example.com"]
