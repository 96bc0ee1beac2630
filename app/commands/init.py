"""``portico init``"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from app.commands.report import tell
from app.commands.target import settings_with_database

if TYPE_CHECKING:
    from app.installation import Grants


@click.command("init")
@click.option(
    "--grants-on-public",
    type=click.Choice(["protected", "all", "none"]),
    help="What anon and authenticated get rights on of what is in schema public already: what has row level security"
    " (the default, asked for on a terminal), all, or nothing.",
)
@click.option("--no-grants-on-public", "grants_on_public", flag_value="none", help="The same as none.")
def command(grants_on_public: Grants | None) -> None:
    """Install in the database what the service wants there: roles, grants, and the schemas graphql, auth, storage.

    May be run again: what is missing is added, what is there stays.
    """
    from app.installation import install

    with settings_with_database() as settings:
        url = settings.database_url or ""
        tell(install(url, grants_on_public=grants_on_public or _asked_for(url)))


def _asked_for(url: str) -> Grants:
    from app.installation import unprotected

    if not sys.stdin.isatty():
        return "protected"
    names = unprotected(url)
    if not names:
        return "protected"
    click.echo("These relations in schema public have no row level security:")
    for name in names:
        click.echo(f"  {name}")
    wanted = click.confirm("Shall anon and authenticated be able to read and write all their rows?", default=False)
    return "all" if wanted else "protected"
