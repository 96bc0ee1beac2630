"""``portico keys``"""

from __future__ import annotations

import os

import click

from app.identity.issuing import make_keys


@click.command("keys")
def command() -> None:
    """Make a secret and the two API keys, as lines for an environment file.

    With JWT_SECRET in the environment its keys are made; else a new secret as well.
    """
    click.echo(make_keys(os.environ.get("JWT_SECRET")).lines(), nl=False)
