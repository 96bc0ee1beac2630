"""``portico demo``"""

from __future__ import annotations

from functools import partial

import click

from app.commands.failure import CommandError


@click.command("demo")
def command() -> None:
    """Load the data of `portico serve --demo` into the database of DATABASE_URL.

    The schema public must be empty. The command prepares the database as `portico init` does, and stores pictures below
    STORAGE_URL. It can be run again: it loads what is missing.
    """
    from app.demo.load import load_demo, refuse_tables_of_others, report_changes
    from app.demo.pictures import store_pictures
    from app.discovery import configure
    from app.installation.install import install, run_script

    settings, plugins = configure()
    if settings.database_url is None:
        raise CommandError("set DATABASE_URL; without it, `portico serve --demo` has an embedded PostgreSQL")
    url = settings.database_url
    refuse_tables_of_others(url)
    install(url)
    plugins.hook.before_fork(settings=settings, as_owner=partial(run_script, url), owner_url=url)
    load_demo(url, click.echo)
    report_changes(url)
    store_pictures(url, settings, plugins, click.echo)
