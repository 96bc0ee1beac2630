"""The operations of a user: sign up, sign in, refresh, read and change oneself, sign out."""

from __future__ import annotations

from typing import Any

from portico_sign_in import sessions, users
from portico_sign_in.errors import Refusal, email_taken, invalid, wrong_password
from portico_sign_in.request import Request, Response

_SCOPES = ("global", "local", "others")


def sign_up(request: Request) -> Response:
    given = request.body()
    if not given.get("email") and not given.get("phone"):
        raise Refusal(422, "anonymous_provider_disabled", "Development sign-in has no anonymous users")
    refuse_phone(given)
    values = {
        "email": users.email_of(given.get("email")),
        "encrypted_password": request.service.passwords.hash(given.get("password")),
        "email_confirmed_at": "now",
    }
    if given.get("data") is not None:
        values["raw_user_meta_data"] = users.metadata_of(given["data"])
    taken = Refusal(422, "user_already_exists", "User already registered")
    with request.transaction() as run:
        user = users.create(run, values, taken)
        return Response(200, request.service.sessions.start(run, user))


def token(request: Request) -> Response:
    grant = request.query("grant_type")
    if grant == "password":
        return _sign_in(request)
    if grant == "refresh_token":
        return _refresh(request)
    raise Refusal(400, "validation_failed", f"Development sign-in has no grant_type {grant!r}; it has password and"
                  " refresh_token")  # fmt: skip


def _sign_in(request: Request) -> Response:
    given, service = request.body(), request.service
    refuse_phone(given)
    password = given.get("password")
    if not isinstance(password, str):
        raise invalid("missing password")
    email = users.email_of(given.get("email"))
    service.attempts.check(email)
    with request.transaction() as run:
        user = users.find(run, email)
    # No connection is held while the password is compared.
    if not service.passwords.fits(user.password_hash if user else None, password) or user is None:
        raise wrong_password()
    service.attempts.succeeded(email)
    if user.times["email_confirmed_at"] is None:
        raise Refusal(400, "email_not_confirmed", "Email not confirmed")
    if user.is_banned:
        raise sessions.banned()
    with request.transaction() as run:
        return Response(200, service.sessions.start(run, user))


def _refresh(request: Request) -> Response:
    given = request.body().get("refresh_token")
    if not isinstance(given, str) or not given:
        raise invalid("Refresh token is not valid")
    with request.transaction() as run:
        made = request.service.sessions.refresh(run, given)
    if isinstance(made, Refusal):
        raise made
    return Response(200, made)


def read(request: Request) -> Response:
    return Response(200, _signed_in(request)[0].json())


def change(request: Request) -> Response:
    given = request.body()
    user, session = _signed_in(request)
    values = changes(request, given, "data")
    if "encrypted_password" in values and request.service.passwords.fits(user.password_hash, given["password"]):
        raise Refusal(422, "same_password", "New password should be different from the old password.")
    with request.transaction() as run:
        changed = users.change(run, user.id, values, email_taken())
        if "encrypted_password" in values:
            sessions.end(run, session, user.id, "others")
    return Response(200, changed.json())


def sign_out(request: Request) -> Response:
    user_id, session = request.user()
    scope = request.query("scope") or "global"
    if scope not in _SCOPES:
        raise invalid(f"Unsupported logout scope {scope!r}; it is one of {', '.join(_SCOPES)}")
    with request.transaction() as run:
        sessions.end(run, session, user_id, scope)
    return Response(204)


def _signed_in(request: Request) -> tuple[users.User, str]:
    """The user who sends the request, and the id of the session."""
    user_id, session = request.user()
    with request.transaction() as run:
        sessions.check(run, session, user_id)
        return users.by_id(run, user_id), session


def changes(request: Request, given: dict[str, Any], metadata: str) -> dict[str, str | None]:
    """The columns that a user may change, with new values. ``metadata``: the member of ``given`` with the user's
    metadata."""
    refuse_phone(given)
    values: dict[str, str | None] = {}
    if given.get("email"):
        values["email"] = users.email_of(given["email"])
    if given.get("password") is not None:
        values["encrypted_password"] = request.service.passwords.hash(given["password"])
    if given.get(metadata) is not None:
        values["raw_user_meta_data"] = users.metadata_of(given[metadata])
    return values


def refuse_phone(given: dict[str, Any]) -> None:
    if given.get("phone"):
        raise Refusal(
            422, "phone_provider_disabled", "Development sign-in has no phone numbers; it has e-mail and password"
        )
