"""``portico token``"""

from __future__ import annotations

import re

import click

from app.commands.failure import CommandError
from app.commands.target import is_in_data_dir
from app.identity.issuing import SigningKey, make_token
from app.settings import Settings

_DURATION = re.compile(r"(\d{1,9})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class _Duration(click.ParamType[int]):
    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seconds of ``value``."""
        found = _DURATION.fullmatch(str(value))
        if not found or not int(found[1]):
            self.fail(f"{value!r} is not a duration such as 30s, 15m, 8h or 7d", param, ctx)
        return int(found[1]) * _SECONDS[found[2]]


@click.command("token")
@click.option("--role", default="authenticated", show_default=True, help="The database role: the claim role.")
@click.option("--sub", help="The user: the claim sub, which policies read with auth.uid().")
@click.option("--expires", type=_Duration(), default="1h", show_default=True, help="The lifetime: 30s, 15m, 8h, 7d.")
def command(role: str, sub: str | None, expires: int) -> None:
    """Print a token for trials. Send it as `Authorization: Bearer TOKEN`.

    It is signed with JWT_SECRET, with a shared key of JWT_JWKS, or with the kept key of the embedded PostgreSQL.
    """
    from app.settings import load

    settings = load()
    if role not in settings.api_roles:
        click.echo(f"portico: {role} is not in API_ROLES: it must be granted to one of these roles.", err=True)
    click.echo(make_token(_signing_key(settings), role, expires, subject=sub, audience=settings.jwt_audience))


def _signing_key(settings: Settings) -> SigningKey:
    if settings.jwt_secret:
        return SigningKey(settings.jwt_secret.encode())
    if settings.jwt_jwks:
        from app.identity.key_sets import shared_key

        try:
            return shared_key(settings.jwt_jwks) or _refuse_public()
        except (OSError, ValueError) as ex:
            raise CommandError(f"JWT_JWKS cannot be read: {ex}") from None
    # Imported here because it imports the embedded PostgreSQL and its driver.
    from app.commands.embedded_service import KEPT_KEYS, with_kept_keys

    if settings.database_url is None and is_in_data_dir(settings, KEPT_KEYS):
        return SigningKey((with_kept_keys(settings).jwt_secret or "").encode())
    raise CommandError("no key is set to sign with: run `portico keys`, and set JWT_SECRET")


def _refuse_public() -> SigningKey:
    raise CommandError(
        "JWT_JWKS has no key to sign with, only keys that verify: get a token from the issuer, or set JWT_SECRET; "
        "tokens of both are accepted"
    )
