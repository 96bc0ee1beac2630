"""``portico init``"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from app.commands.failure import CommandError
from app.commands.report import print_report
from app.commands.target import settings_with_database
from app.identity import SERVICE_ROLE
from app.settings import load


@click.command("init")
@click.option(
    "--grants-on-public",
    type=click.Choice(["protected", "all", "none"]),
    default="protected",
    help="The existing tables and views of schema public on which anon and authenticated get rights: those with row"
    " level security (the default), all except private ones, or none. With all, anon may read them, and authenticated"
    " may read and write them: they are listed, and you must confirm.",
)
@click.option(
    "--no-grants-on-public", "grants_on_public", flag_value="none", help="The same as --grants-on-public=none."
)
@click.option("--yes", is_flag=True, help="Confirm the list of --grants-on-public=all, for scripts.")
@click.option(
    "--logins",
    metavar="NAME",
    help="Also create the two logins of the service, NAME_api and NAME_service, and print their URLs once.",
)
def command(grants_on_public: str, yes: bool, logins: str | None) -> None:
    """Install Portico's objects in the database: roles, grants, and the schemas graphql, auth and storage.

    It can be run again: it adds what is missing and keeps what exists.
    """
    from app.installation.install import install, make_logins

    with settings_with_database() as settings:
        if logins is not None and load().database_url is None:
            raise CommandError("--logins needs DATABASE_URL; the embedded PostgreSQL has its own login")
        url = settings.database_url or ""
        opened = _confirmed(url, yes) if grants_on_public == "all" else ()
        print_report(
            install(url, grants_on_public="none" if grants_on_public == "none" else "protected", opened=opened)
        )
        if logins is not None:
            made = make_logins(url, logins, (*settings.api_roles, SERVICE_ROLE))
            click.echo("The service connects with these; they are not shown again:")
            click.echo(f"DATABASE_URL={made.database_url}")
            click.echo(f"SERVICE_DATABASE_URL={made.service_database_url}")


def _confirmed(url: str, yes: bool) -> Sequence[str]:
    """The names of the relations to open. Raises CommandError unless the operator confirms them."""
    from app.installation.install import closed_relations

    found = closed_relations(url)
    names = [each.name for each in found if each.reason is None]
    if not names:
        return ()
    click.echo("anon may read all rows of these relations, and authenticated may read and write them:")
    for name in names:
        click.echo(f"  {name}")
    # sys.stdin is None if the caller has closed it.
    if not yes and (sys.stdin is None or not sys.stdin.isatty()):
        raise CommandError("nothing was changed. Check this list, then confirm it with --yes")
    if not yes and not click.confirm(f"Open {'this relation' if len(names) == 1 else 'these relations'}?"):
        raise CommandError("nothing was changed")
    return names
