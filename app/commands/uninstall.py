"""``portico uninstall``"""

from __future__ import annotations

import click

from app.commands.target import settings_with_database


@click.command("uninstall")
def command() -> None:
    """Remove the objects that `portico init` installed, except roles, grants, and the schemas auth and storage."""
    from app.installation.install import uninstall

    with settings_with_database() as settings:
        version = uninstall(settings.database_url or "").before
    if version is None:
        click.echo("Nothing is installed.")
    else:
        click.echo(f"Version {version} was removed. Roles, grants, and the schemas auth and storage were kept.")
