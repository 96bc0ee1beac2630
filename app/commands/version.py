"""``portico version``"""

from __future__ import annotations

from contextlib import closing
from importlib.metadata import PackageNotFoundError

import click

from app.commands.target import has_database, settings_with_database
from app.distribution import software_version


def software() -> str:
    """The version of this software, as one line."""
    try:
        return f"portico {software_version()}"
    except PackageNotFoundError:
        return "portico (not installed as a package)"


@click.command("version")
def command() -> None:
    """Show the versions of this software and of its objects in the database."""
    click.echo(software())
    if not has_database():
        return
    from app.database import Database
    from app.installation.state import outdated, read_state
    from app.installation.version import VERSION

    with settings_with_database() as settings, closing(Database(settings)) as database:
        state = read_state(database.read)
        server = (database.read("select current_setting('server_version')") or b"").decode()
    click.echo(f"database: PostgreSQL {server}, Portico's objects {state.version or 'not installed'}, newest {VERSION}")
    notice = outdated(state)
    if notice:
        click.echo(notice)
