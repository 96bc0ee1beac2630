"""``portico keys``"""

from __future__ import annotations

import os

import click

from app.commands.failure import CommandError
from app.identity.issuing import is_too_short, make_keys


@click.command("keys")
def command() -> None:
    """Generate a secret and the two API keys, as lines for an environment file.

    If JWT_SECRET is set in the environment, the keys are made from it instead of a new secret.
    """
    secret = os.environ.get("JWT_SECRET")
    if secret and is_too_short(secret):
        raise CommandError("JWT_SECRET is shorter than 32 bytes and could be guessed: unset it, and run this again")
    click.echo(make_keys(secret).lines(), nl=False)
