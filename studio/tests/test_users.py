"""The users of sign-in for development, in the page's Users view."""

from __future__ import annotations

import pytest
from portico_sign_in.plugin import TABLES as SIGN_IN_TABLES
from portico_sign_in.plugin import SignIn
from visitor import NEEDED, TABLES

expect = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed").expect
pytestmark = NEEDED

PASSWORD = "correct horse"
PROFILES = """
create table profile (id uuid primary key references auth.users, name text);
create function handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.raw_user_meta_data ->> 'name' = 'Mallory' then
    raise exception 'Mallory may not sign up';
  end if;
  insert into public.profile (id, name) values (new.id, new.raw_user_meta_data ->> 'name');
  return new;
end $$;
create trigger on_auth_user_created after insert on auth.users for each row execute function handle_new_user();
alter table profile enable row level security;
create policy own on profile to authenticated using (id = (select auth.uid()));
grant select on profile to authenticated;
"""


@pytest.fixture
def serve(served):
    """Serves Studio with sign-in; ``sql`` follows the tables of both. Returns the service and the address of Users."""

    def serve_(sql="", **settings):
        service, address = served(f"{TABLES};{SIGN_IN_TABLES};{sql}", plugins={"sign_in": SignIn}, **settings)
        return service, f"{address}/studio/users"

    return serve_


def _add(page, email, password=PASSWORD, metadata="{}"):
    page.get_by_role("button", name="New user").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("E-mail").fill(email)
    dialog.get_by_label("Password").fill(password)
    dialog.get_by_label("User metadata").fill(metadata)
    dialog.get_by_role("button", name="Create").click()


def _sign_in(service, email, password):
    """The status and the JSON of a sign-in with the password."""
    done = service.client.simulate_post(
        "/auth/v1/token?grant_type=password",
        json={"email": email, "password": password},
        headers={"apikey": service.anon_key},
        host="localhost",
        extras={"REMOTE_ADDR": "127.0.0.1"},
    )
    return done.status_code, done.json


def test_a_user_is_added_and_signs_in_with_the_password(serve, visit):
    service, address = serve(PROFILES)
    page = visit(address)
    page.get_by_text("No users yet").wait_for()
    _add(page, "ann@example.com", metadata='{"name": "Ann"}')
    page.get_by_text("ann@example.com was created.").wait_for()
    page.get_by_role("rowheader", name="ann@example.com").wait_for()
    status, session = _sign_in(service, "ann@example.com", PASSWORD)
    assert (status, session["user"]["user_metadata"]) == (200, {"name": "Ann"})
    assert service.sql("select name from profile") == [["Ann"]]


def test_a_refused_user_is_explained_in_the_dialog(serve, visit):
    service, address = serve(PROFILES)
    page = visit(address, faults_expected=True)
    refusals = (
        ("mallory@example.com", '{"name": "Mallory"}', "Database error: Mallory may not sign up"),
        ("ben@example.com", '{"name": "Ben"', "The metadata must be a JSON object."),
        ("ben@example.com", "[]", "object"),
    )
    for email, metadata, reason in refusals:
        _add(page, email, metadata=metadata)
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(reason)
        page.keyboard.press("Escape")
    assert service.sql("select count(*) from auth.users") == [["0"]]


def test_a_password_is_set(serve, visit):
    service, address = serve()
    page = visit(address)
    _add(page, "ann@example.com")
    page.get_by_role("button", name="Set the password of ann@example.com").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Password")).to_be_focused()
    dialog.get_by_label("Password").fill("another horse")
    dialog.get_by_role("button", name="Set", exact=True).click()
    page.get_by_text("The password of ann@example.com was set.").wait_for()
    assert _sign_in(service, "ann@example.com", PASSWORD)[0] == 400
    assert _sign_in(service, "ann@example.com", "another horse")[0] == 200


def test_the_visitor_signs_in_as_a_user(serve, visit):
    _, address = serve(PROFILES)
    page = visit(address)
    for name in ("Ann", "Ben"):
        _add(page, f"{name.lower()}@example.com", metadata=f'{{"name": "{name}"}}')
        page.get_by_text(f"{name.lower()}@example.com was created.").wait_for()
    sign_in = page.get_by_role("button", name="Sign in as ann@example.com")
    sign_in.press("Enter")
    page.get_by_text("All views now send requests as ann@example.com.").wait_for()
    page.get_by_text("Caller: ann@example.com").wait_for(state="attached")
    expect(sign_in).to_be_focused()
    page.get_by_role("row", name="ann@example.com").get_by_text("caller", exact=True).wait_for()
    page.get_by_role("link", name="Data").click()
    page.get_by_role("link", name="Profile").click()
    page.get_by_role("button", name="Edit name: Ann").wait_for()
    assert page.get_by_role("button", name="Edit name: Ben").count() == 0


def test_a_user_is_deleted(serve, visit):
    service, address = serve(PROFILES)
    page = visit(address, faults_expected=True)
    _add(page, "ann@example.com")
    page.get_by_role("button", name="Delete ann@example.com").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("profile")
    service.sql("delete from profile")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("No users yet").wait_for()
    assert service.sql("select count(*) from auth.users") == [["0"]]


def test_many_users_are_shown_by_page(serve, visit):
    _, address = serve(
        "insert into auth.users (email, created_at) select 'user' || n || '@example.com', now() - n * interval '1 day'"
        " from generate_series(1, 51) n"
    )
    page = visit(address)
    page.get_by_text("51 users").wait_for()
    assert page.get_by_role("button", name="Sign in as").count() == 50
    page.get_by_role("button", name="Next").click()
    page.get_by_text("page 2 of 2").wait_for()
    expect(page.get_by_role("button", name="Sign in as")).to_have_count(1)


@pytest.mark.parametrize("settings", [{"sign_in": "off"}, {"trusted_proxy": "127.0.0.1"}])
def test_the_view_is_absent_without_sign_in(serve, visit, settings):
    service, address = serve(**settings)
    page = visit(address.removesuffix("/users"), faults_expected=True)
    if settings.get("trusted_proxy"):
        page.get_by_label("Anonymous key").fill(service.anon_key)
        page.get_by_label("Service role key").fill(service.service_role_key)
        page.get_by_role("button", name="Use these keys").click()
    page.get_by_role("link", name="Storage").wait_for()
    assert page.get_by_role("link", name="Users").count() == 0
    page.goto(address)
    page.wait_for_url("**/studio/explore")
