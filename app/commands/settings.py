"""``portico settings``"""

from __future__ import annotations

import os

import click

from app.settings import load, shown


@click.command("settings")
def command() -> None:
    """Show every setting, its value here, and where it comes from; secrets are masked."""
    for setting, value in shown(load()):
        origin = "environment" if os.environ.get(setting.env) else "default"
        click.echo(f"{setting.env:<26}{value or '-':<34}{origin:<13}{setting.help}")
