"""``portico keys``"""

from __future__ import annotations

import click

from app.commands.failure import CommandError
from app.identity.issuing import is_too_short, make_keys
from app.settings import load


@click.command("keys")
def command() -> None:
    """Generate a secret and the two API keys, as lines for an environment file.

    If JWT_SECRET is set in the environment, the keys are made from it instead of a new secret.
    """
    secret = load().jwt_secret
    if secret and is_too_short(secret):
        raise CommandError("JWT_SECRET is shorter than 32 bytes and could be guessed: unset it, and run this again")
    click.echo(make_keys(secret).lines(), nl=False)
