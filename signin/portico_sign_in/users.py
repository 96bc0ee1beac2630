"""Users: the rows of auth.users, as records and as the JSON that clients read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from portico_sign_in.errors import Refusal, invalid, unknown_user

Run = Any
"""Runs a statement: ``portico.Services.as_service`` yields it."""

_EMAIL = re.compile(r"[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]{1,190}")
_LONGEST_BAN_S = 100 * 366 * 24 * 3600
_MOST_METADATA = 4096
"""In bytes of JSON, for both kinds together: they are part of each token, and so of the head of each request."""
_METADATA = {"raw_app_meta_data": '{"provider": "email", "providers": ["email"]}', "raw_user_meta_data": "{}"}
_TIME = "pg_catalog.to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
_TIMES = ("email_confirmed_at", "confirmed_at", "last_sign_in_at", "created_at", "updated_at", "banned_until")
_COLUMNS = ", ".join(
    [
        "id, coalesce(aud, 'authenticated'), coalesce(role, 'authenticated'), coalesce(email, '')",
        "coalesce(raw_app_meta_data, '{}'), coalesce(raw_user_meta_data, '{}')",
        "encrypted_password, coalesce(banned_until > pg_catalog.now(), false)",
        *map(_TIME.format, _TIMES),
    ]
)


@dataclass(frozen=True, slots=True)
class User:
    """A row of auth.users. ``times``: the columns in ``_TIMES`` as text."""

    id: str
    aud: str
    role: str
    email: str
    app_metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any]
    password_hash: str | None
    is_banned: bool
    times: Mapping[str, str | None]

    @classmethod
    def of(cls, row: tuple[str | None, ...]) -> User:
        id_, aud, role, email, app, own, hashed, banned, *times = row
        return cls(
            id_ or "", aud or "", role or "", email or "", json.loads(app or "{}"), json.loads(own or "{}"),
            hashed, banned == "t", dict(zip(_TIMES, times, strict=True)),
        )  # fmt: skip

    def json(self) -> dict[str, Any]:
        """The user as clients see it, without the password."""
        times = {name: value for name, value in self.times.items() if value is not None}
        identity = {
            "identity_id": self.id, "id": self.id, "user_id": self.id, "provider": "email", "email": self.email,
            "identity_data": {**self.user_metadata, "sub": self.id, "email": self.email},
            "created_at": self.times["created_at"], "updated_at": self.times["updated_at"],
        }  # fmt: skip
        return {
            "id": self.id, "aud": self.aud, "role": self.role, "email": self.email, "phone": "",
            "app_metadata": self.app_metadata, "user_metadata": self.user_metadata, "identities": [identity],
            "is_anonymous": False, **times,
        }  # fmt: skip


def email_of(given: object) -> str:
    """An e-mail address, in lower case. Raises Refusal."""
    if not isinstance(given, str) or not _EMAIL.fullmatch(given.strip()):
        raise invalid("Unable to validate email address: invalid format")
    return given.strip().lower()


def metadata_of(given: object) -> str:
    """Metadata as JSON. Raises Refusal."""
    if not isinstance(given, dict):
        raise invalid("Metadata must be an object")
    return json.dumps(given)


def find(run: Run, email: str) -> User | None:
    rows = run(f"select {_COLUMNS} from auth.users where pg_catalog.lower(email) = $1", email)
    return User.of(rows[0]) if rows else None


def by_id(run: Run, user_id: str) -> User:
    """Raises Refusal if there is no such user."""
    rows = run(f"select {_COLUMNS} from auth.users where id = $1::uuid", uuid_of(user_id))
    if not rows:
        raise unknown_user()
    return User.of(rows[0])


def uuid_of(given: object) -> str:
    try:
        return str(UUID(str(given)))
    except ValueError:
        raise invalid("The id of a user must be a UUID") from None


def page(run: Run, number: int, size: int) -> tuple[list[User], int]:
    """The users of a page, oldest first, and the number of all users."""
    rows = run(f"select {_COLUMNS} from auth.users order by created_at, id limit $1::bigint offset $2::bigint",
               str(size), str((number - 1) * size))  # fmt: skip
    return list(map(User.of, rows)), int(run("select count(*) from auth.users")[0][0] or 0)


def create(run: Run, values: Mapping[str, str | None], taken: Refusal) -> User:
    """Insert a user; ``values`` by column. Raises ``taken`` if another user has the e-mail address or the id, and what
    the database raises, also in triggers."""
    defaults = {"id": str(uuid4()), "aud": "authenticated", "role": "authenticated", **_METADATA}
    complete = {**defaults, **values}
    columns, placeholders = ", ".join(complete), ", ".join(map(_placeholder, complete, count(1)))
    made = run(f"insert into auth.users ({columns}) values ({placeholders}) on conflict do nothing returning id",
               *complete.values())  # fmt: skip
    if not made:
        raise taken
    # Read again: a trigger may have changed the row.
    return _checked(by_id(run, made[0][0] or ""))


def change(run: Run, user_id: str, values: Mapping[str, str | None], taken: Refusal) -> User:
    """Update a user's columns, and return the row. Metadata is merged with the present one; a member that is null is
    removed. Raises as ``create`` does."""
    user = by_id(run, user_id)
    email = values.get("email")
    other = find(run, email) if email else None
    if other is not None and other.id != user.id:
        raise taken
    if not values:
        return user
    assigned = ", ".join(f"{name} = {_value(name, at)}" for at, name in enumerate(values, 2))
    run(
        f"update auth.users set {assigned}, updated_at = pg_catalog.now() where id = $1::uuid",
        user.id,
        *values.values(),
    )
    return _checked(by_id(run, user.id))


def _checked(user: User) -> User:
    if len(json.dumps([user.app_metadata, user.user_metadata])) > _MOST_METADATA:
        raise invalid(f"The metadata of a user can have at most {_MOST_METADATA} bytes of JSON")
    return user


_TYPES = {
    "id": "uuid", "email_confirmed_at": "timestamptz", "raw_app_meta_data": "jsonb", "raw_user_meta_data": "jsonb",
    "banned_until": "timestamptz",
}  # fmt: skip


def _placeholder(name: str, at: int) -> str:
    return f"${at}::{_TYPES.get(name, 'text')}"


def _value(name: str, at: int) -> str:
    given = _placeholder(name, at)
    if _TYPES.get(name) != "jsonb":
        return given
    merged = f"pg_catalog.jsonb_each(coalesce({name}, '{{}}') || {given})"
    return f"(select coalesce(pg_catalog.jsonb_object_agg(key, value), '{{}}') from {merged} where value <> 'null')"


def in_future(seconds: int) -> str:
    """The time in ``seconds`` seconds, as PostgreSQL reads it."""
    return (datetime.now(UTC) + timedelta(seconds=min(seconds, _LONGEST_BAN_S))).isoformat()
