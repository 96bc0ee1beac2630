"""``portico live``"""

from __future__ import annotations

import click

from app.commands.failure import CommandError
from app.commands.target import service_with_database, settings_with_database
from app.server.address import address_of, listen


@click.group("live", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Serve live queries until SIGTERM or Ctrl-C: their answers are sent again when they have changed."""
    if context.invoked_subcommand is None:
        _serve()


@command.command("enable")
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
def enable(tables: tuple[str, ...]) -> None:
    """Give tables a trigger that tells of changes at once; queries that read others are repeated at intervals."""
    from app.live import triggers

    with settings_with_database() as settings:
        triggers.enable(settings.database_url or "", tables)
    for each in tables:
        click.echo(f"Changes of {each} are told.")


@command.command("disable")
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
def disable(tables: tuple[str, ...]) -> None:
    """Take the trigger away again."""
    from app.live import triggers

    with settings_with_database() as settings:
        triggers.disable(settings.database_url or "", tables)
    for each in tables:
        click.echo(f"Changes of {each} are not told any more.")


def _serve() -> None:
    try:
        import uvicorn  # noqa: F401
    except ImportError:
        raise CommandError("live queries need another package: pip install 'portico[live]'") from None
    from app.commands.trial import has_keys
    from app.live.process import serve_live
    from app.live.queries import PATH
    from app.server.logs import configure_logging

    with service_with_database() as (settings, plugins):
        if not has_keys(settings):
            raise CommandError("no key is set: set JWT_SECRET, ANON_KEY and SERVICE_ROLE_KEY as for `portico serve`")
        configure_logging(settings)
        with listen(settings.host, settings.live_port) as listener:
            address = address_of(listener).rstrip("/")
            serve_live(settings, plugins, listener, lambda: click.echo(f"Live queries are at {address}{PATH}"))
