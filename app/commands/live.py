"""``portico live``"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import click

from app.commands.failure import CommandError
from app.commands.live_beside import check_extra
from app.commands.target import service_with_database, settings_with_database
from app.faces.live import PATH
from app.server.processes.address import address_of, listen
from app.server.processes.logs import announce, configure_logging

log = logging.getLogger("portico.live")


@click.group("live", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Serve live queries until SIGTERM or Ctrl-C: a query's response is sent again when it has changed."""
    if context.invoked_subcommand is None:
        _serve()


_TABLES = click.argument("tables", metavar="TABLE...", nargs=-1, required=True)


@command.command("enable")
@_TABLES
def enable(tables: tuple[str, ...]) -> None:
    """Create a trigger on tables that reports changes at once. Queries that read other relations are polled."""
    from app.faces.live import triggers

    _change(triggers.enable, tables, "reported")


@command.command("disable")
@_TABLES
def disable(tables: tuple[str, ...]) -> None:
    """Drop the trigger of tables."""
    from app.faces.live import triggers

    _change(triggers.disable, tables, "no longer reported")


def _change(change: Callable[[str, Sequence[str]], None], tables: Sequence[str], result: str) -> None:
    with settings_with_database() as settings:
        change(settings.database_url or "", tables)
    for each in tables:
        click.echo(f"Changes of {each} are {result}.")


def _serve() -> None:
    check_extra()
    from app.faces.live.process import serve_live
    from app.identity import has_keys

    with service_with_database() as (settings, plugins):
        if not has_keys(settings):
            raise CommandError("no key is set: set JWT_SECRET, ANON_KEY and SERVICE_ROLE_KEY as for `portico serve`")
        configure_logging(settings)
        with listen(settings.host, settings.live_port) as listener:
            address = address_of(listener).rstrip("/")
            serve_live(settings, plugins, listener, lambda: announce(log, f"Live queries are at {address}{PATH}"))
