"""``portico keys``"""

from __future__ import annotations

import os

import click

from app.identity.issuing import make_keys


@click.command("keys")
def command() -> None:
    """Generate a secret and the two API keys, as lines for an environment file.

    If JWT_SECRET is set in the environment, the keys are made from it instead of a new secret.
    """
    click.echo(make_keys(os.environ.get("JWT_SECRET")).lines(), nl=False)
