"""The operations of ``supabase.auth.admin``, which need the key of the service role."""

from __future__ import annotations

import re
from typing import Any

from portico_sign_in import sessions, users
from portico_sign_in.account import changes
from portico_sign_in.errors import email_taken, invalid
from portico_sign_in.request import Request, Response

_LARGEST_PAGE = 1000
_DURATION = re.compile(r"(\d{1,9})(h|m|s)", re.ASCII)


def list_users(request: Request) -> Response:
    request.check_service_role()
    number, size = _number(request, "page", 1), min(_number(request, "per_page", 50), _LARGEST_PAGE)
    with request.transaction() as run:
        found, total = users.page(run, number, size)
    last = max(1, -(-total // size))
    pages = {"next": number + 1, "last": last} if number < last else {"last": last}
    links = [f'<{request.falcon.path}?page={page}&per_page={size}>; rel="{name}"' for name, page in pages.items()]
    body = {"users": [each.json() for each in found], "aud": "authenticated", "total": total}
    return Response(200, body, {"X-Total-Count": str(total), "Link": ", ".join(links)})


def create(request: Request) -> Response:
    request.check_service_role()
    given = request.body()
    values = {"email": users.email_of(given.get("email")), **_changes(request, given)}
    if given.get("id") is not None:
        values["id"] = users.uuid_of(given["id"])
    with request.transaction() as run:
        return Response(200, users.create(run, values, email_taken()).json())


def read(request: Request, user_id: str) -> Response:
    request.check_service_role()
    with request.transaction() as run:
        return Response(200, users.by_id(run, user_id).json())


def change(request: Request, user_id: str) -> Response:
    request.check_service_role()
    given = request.body()
    values = _changes(request, given)
    with request.transaction() as run:
        changed = users.change(run, user_id, values, email_taken())
        if "encrypted_password" in values or changed.is_banned:
            sessions.end(run, "", changed.id, "global")
    return Response(200, changed.json())


def delete(request: Request, user_id: str) -> Response:
    request.check_service_role()
    if request.body().get("should_soft_delete"):
        raise invalid("Development sign-in deletes users for good; leave should_soft_delete out")
    with request.transaction() as run:
        user = users.by_id(run, user_id)
        run("delete from auth.users where id = $1::uuid", user.id)
    return Response(200, {})


def _changes(request: Request, given: dict[str, Any]) -> dict[str, str | None]:
    if given.get("password_hash"):
        raise invalid("Development sign-in takes no password_hash, but a password")
    values = changes(request, given, "user_metadata")
    if given.get("email_confirm"):
        values["email_confirmed_at"] = "now"
    if given.get("app_metadata") is not None:
        values["raw_app_meta_data"] = users.metadata_of(given["app_metadata"])
    if given.get("role") is not None:
        if not isinstance(given["role"], str) or not 0 < len(given["role"]) < 64:
            raise invalid("role must be the name of a database role")
        values["role"] = given["role"]
    if given.get("ban_duration") is not None:
        values["banned_until"] = _banned_until(given["ban_duration"])
    return values


def _banned_until(given: object) -> str | None:
    if given == "none":
        return None
    found = _DURATION.fullmatch(str(given))
    if not found:
        raise invalid("ban_duration must be none, or a duration such as 24h, 30m or 90s")
    return users.in_future(int(found[1]) * {"h": 3600, "m": 60, "s": 1}[found[2]])


def _number(request: Request, name: str, otherwise: int) -> int:
    given = request.query(name)
    if not given:
        return otherwise
    if not re.fullmatch(r"\d{1,9}", given, re.ASCII) or not int(given):
        raise invalid(f"{name} must be a whole number from 1")
    return int(given)
