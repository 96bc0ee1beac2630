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
    help="On which existing tables and views of schema public anon and authenticated get rights: those with row level"
    " security (the default; on a terminal you are asked), all, or none.",
)
@click.option(
    "--no-grants-on-public", "grants_on_public", flag_value="none", help="The same as --grants-on-public=none."
)
def command(grants_on_public: Grants | None) -> None:
    """Install Portico's objects in the database: roles, grants, and the schemas graphql, auth and storage.

    It can be run again: it adds what is missing and keeps what exists.
    """
    from app.installation import install

    with settings_with_database() as settings:
        url = settings.database_url or ""
        tell(install(url, grants_on_public=grants_on_public or _asked_for(url)))


def _asked_for(url: str) -> Grants:
    from app.installation import unprotected

    # It is None where the caller has closed it.
    if sys.stdin is None or not sys.stdin.isatty():
        return "protected"
    names = unprotected(url)
    if not names:
        return "protected"
    click.echo("These relations in schema public have no row level security:")
    for name in names:
        click.echo(f"  {name}")
    wanted = click.confirm("Let anon and authenticated read and write all their rows?", default=False)
    return "all" if wanted else "protected"
