"""The requests of ``supabase.auth.admin``, which need the key of the service role."""

from __future__ import annotations

from tests.sign_in.conftest import PASSWORD, SignIn

ID = "317eadce-631a-4429-a0bb-f19a7a517b4a"


def test_an_administrator_creates_a_user(auth: SignIn) -> None:
    body = {
        "id": ID, "email": "Ann@example.com", "password": PASSWORD, "email_confirm": True,
        "user_metadata": {"name": "Ann"}, "app_metadata": {"team": 7},
    }  # fmt: skip
    status, user = auth.admin("POST", "users", body)
    assert (status, user["id"], user["email"]) == (200, ID, "ann@example.com")
    assert (user["user_metadata"], user["app_metadata"]["team"]) == ({"name": "Ann"}, 7)
    assert auth.sign_in()[0] == 200
    for more in ({}, {"id": ID, "email": "other@example.com"}):
        status, refused = auth.admin("POST", "users", {**body, **more})
        assert (status, refused["error_code"]) == (422, "email_exists")


def test_a_user_without_confirmation_cannot_sign_in(auth: SignIn) -> None:
    user = auth.admin("POST", "users", {"email": "ann@example.com", "password": PASSWORD})[1]
    status, refused = auth.sign_in()
    assert (status, refused["error_code"]) == (400, "email_not_confirmed")
    assert auth.admin("PUT", f"users/{user['id']}", {"email_confirm": True})[0] == 200
    assert auth.sign_in()[0] == 200


def test_users_are_listed_by_page(auth: SignIn) -> None:
    emails = [f"user{number}@example.com" for number in range(5)]
    for email in emails:
        assert auth.admin("POST", "users", {"email": email})[0] == 200
    pages = [auth.admin("GET", f"users?page={page}&per_page=2")[1] for page in (1, 2, 3, 4)]
    assert [[user["email"] for user in page["users"]] for page in pages] == [emails[:2], emails[2:4], emails[4:], []]
    assert {page["total"] for page in pages} == {5}
    for wrong in ("page=0", "page=a", "per_page=-1", "page=1e3", "per_page=1234567890"):
        status, refused = auth.admin("GET", f"users?{wrong}")
        assert (status, refused["error_code"]) == (400, "validation_failed"), wrong


def test_an_administrator_changes_a_user(auth: SignIn) -> None:
    session = auth.sign_up(data={"name": "Ann"})
    place = f"users/{session['user']['id']}"
    changes = {
        "email": "anna@example.com", "password": "another horse", "role": "editor",
        "app_metadata": {"team": 7}, "user_metadata": {"town": "Graz"},
    }  # fmt: skip
    status, user = auth.admin("PUT", place, changes)
    assert (status, user["email"], user["role"]) == (200, "anna@example.com", "editor")
    assert user["app_metadata"] == {"provider": "email", "providers": ["email"], "team": 7}
    assert user["user_metadata"] == {"name": "Ann", "town": "Graz"}
    assert auth.refresh(session["refresh_token"])[0] == 400
    assert auth.sign_in("anna@example.com", "another horse")[0] == 200
    assert auth.admin("GET", place)[1]["email"] == "anna@example.com"
    assert auth.admin("PUT", place, {})[1]["email"] == "anna@example.com"


def test_a_ban_ends_sessions(auth: SignIn) -> None:
    session = auth.sign_up()
    place = f"users/{session['user']['id']}"
    assert auth.admin("PUT", place, {"ban_duration": "24h"})[1]["banned_until"]
    assert auth.refresh(session["refresh_token"])[0] == 400
    assert auth.sign_in()[1]["error_code"] == "user_banned"
    assert "banned_until" not in auth.admin("PUT", place, {"ban_duration": "none"})[1]
    assert auth.sign_in()[0] == 200
    for wrong in ("forever", "1", -1, "9999999999h"):
        assert auth.admin("PUT", place, {"ban_duration": wrong})[1]["error_code"] == "validation_failed"


def test_an_administrator_deletes_a_user(auth: SignIn) -> None:
    session = auth.sign_up()
    place = f"users/{session['user']['id']}"
    status, refused = auth.admin("DELETE", place, {"should_soft_delete": True})
    assert (status, refused["error_code"]) == (400, "validation_failed")
    assert auth.admin("DELETE", place, {"should_soft_delete": False}) == (200, {})
    for method, body in (("GET", None), ("PUT", {}), ("DELETE", None)):
        status, refused = auth.admin(method, place, body)
        assert (status, refused["error_code"]) == (404, "user_not_found"), method
    status, refused = auth.admin("GET", "users/7")
    assert (status, refused["error_code"]) == (400, "validation_failed")


def test_unsuitable_values_are_refused(auth: SignIn) -> None:
    for wrong in ({"id": 7}, {"role": ""}, {"role": []}, {"app_metadata": 1}, {"password_hash": "$2a$10$abc"}):
        status, refused = auth.admin("POST", "users", {"email": "ann@example.com", **wrong})
        assert (status, refused["error_code"]) == (400, "validation_failed"), wrong
    status, refused = auth.admin("POST", "users", {"email": "ann@example.com", "role": "r" * 300})
    assert (status, refused["error_code"]) == (400, "validation_failed")


def test_the_key_of_the_service_role_is_required(auth: SignIn) -> None:
    session = auth.sign_up()
    place = f"admin/users/{session['user']['id']}"
    requests = [("GET", "admin/users"), ("POST", "admin/users"), *[(each, place) for each in ("GET", "PUT", "DELETE")]]
    for token in (None, session["access_token"]):
        for method, path in requests:
            status, refused = auth.call(method, path, {} if method != "GET" else None, token=token)
            assert (status, refused["error_code"]) == (403, "not_admin"), path
    assert auth.call("GET", "user", token=session["access_token"])[0] == 200
