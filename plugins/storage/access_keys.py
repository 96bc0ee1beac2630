"""``portico storage keys``: access keys for the S3 protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from app.commands.failure import CommandError
from app.hooks import hookimpl

if TYPE_CHECKING:
    from app.faces.s3.access_keys import AccessKey, AccessKeys
    from app.settings import Settings


@hookimpl
def commands() -> Sequence[click.Command]:
    return (storage,)


@click.group("storage")
def storage() -> None:
    """The bytes of stored objects."""


@storage.group("keys")
def keys() -> None:
    """Access keys for the S3 protocol."""


@keys.command("create")
@click.argument("description")
@click.option("--role", default="service_role", show_default=True, help="The database role that requests run as.")
@click.option("--sub", help="The user id: the owner of stored objects, and auth.uid() in policies.")
@click.option("--claims", help="Further claims that policies can read, as a JSON object.")
@click.option(
    "--bucket", "buckets", multiple=True, help="A bucket for which the key is valid; may be repeated. Without it, all."
)
@click.option(
    "--expires-in", type=click.IntRange(1, 36500), metavar="DAYS", help="Days after which the key is invalid."
)
def create(
    description: str,
    role: str,
    sub: str | None,
    claims: str | None,
    buckets: tuple[str, ...],
    expires_in: int | None,
) -> None:
    """Create an access key and show its secret, which cannot be shown again."""
    if not 3 <= len(description) <= 2000:
        raise CommandError("the description must have 3 to 2000 characters")
    expires_at = None if expires_in is None else datetime.now(UTC) + timedelta(days=expires_in)
    given = {**_object(claims), "role": role, **({"sub": sub} if sub else {})}
    with _access_keys() as (settings, access_keys):
        _check_role(settings, role)
        key = access_keys.create(description, given, buckets=buckets or None, expires_at=expires_at)
    click.echo(f"AWS_ACCESS_KEY_ID={key.id}\nAWS_SECRET_ACCESS_KEY={key.secret}")


@keys.command("list")
def list_keys() -> None:
    """List the access keys, without their secrets."""
    with _access_keys() as (_, access_keys):
        for key in access_keys.all():
            click.echo(_line(key))


@keys.command("delete")
@click.argument("access_key")
def delete(access_key: str) -> None:
    """Delete an access key. It is invalid at once, on every worker."""
    with _access_keys() as (_, access_keys):
        if not access_keys.delete(access_key):
            raise CommandError(f"there is no access key {access_key}; `portico storage keys list` lists them")
    click.echo(f"Deleted {access_key}.")


def _line(key: AccessKey) -> str:
    parts = [key.id, key.created_at[:10], str(key.claims.get("role"))]
    if key.claims.get("sub"):
        parts.append(f"sub {key.claims['sub']}")
    if key.buckets is not None:
        parts.append(f"buckets {', '.join(key.buckets)}")
    if key.expires_at is not None:
        expiry = datetime.fromtimestamp(key.expires_at, UTC)
        parts.append(f"{'expired' if expiry < datetime.now(UTC) else 'expires'} {expiry:%Y-%m-%d}")
    if key.secret is None:
        parts.append("made with another JWT_SECRET")
    return "  ".join([*parts, key.description])


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise CommandError("--claims must be a JSON object")
    return value


def _check_role(settings: Settings, role: str) -> None:
    if role not in settings.api_roles:
        raise CommandError(f"the role {role} is not in API_ROLES ({', '.join(settings.api_roles)})")


@contextmanager
def _access_keys() -> Iterator[tuple[Settings, AccessKeys]]:
    from app.commands.target import service_with_database
    from app.database import ContextBuilder, Database
    from app.faces.s3.access_keys import AccessKeys

    with service_with_database() as (settings, _):
        secret = settings.jwt_secret or settings.service_role_key
        if not secret:
            raise CommandError("set JWT_SECRET: the secrets of access keys are encrypted with a key derived from it")
        with closing(Database(settings)) as database:
            yield settings, AccessKeys(database, ContextBuilder(), secret)
