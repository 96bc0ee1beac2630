"""``portico init``"""

from __future__ import annotations

import click

from app.commands.report import tell
from app.commands.target import settings_with_database


@click.command("init")
@click.option(
    "--grants-on-public/--no-grants-on-public",
    default=True,
    help="Whether anon, authenticated and service_role get rights on schema public, the first time.",
)
def command(grants_on_public: bool) -> None:
    """Install in the database what the service wants there: roles, grants, and the schemas graphql, auth, storage.

    May be run again: what is missing is added, what is there stays.
    """
    from app.installation import install

    with settings_with_database() as settings:
        tell(install(settings.database_url or "", grants_on_public=grants_on_public))
