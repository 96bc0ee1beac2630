"""The command ``portico``, also ``python -m app``. Each command is a file in ``app/commands``."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from traceback import walk_tb

import click

from app.commands.failure import explained
from app.interrupt import end_at_interrupt, raise_at_interrupt
from app.server.processes.logs import log_from_the_start, logs_json

log = logging.getLogger("portico.serve")

_BUILT_IN = (
    "demo", "docs", "doctor", "documents", "init", "keys", "live", "plan", "plugins", "schema", "serve", "settings",
    "test-server", "token", "uninstall", "upgrade", "verify", "version",
)  # fmt: skip


_SERVING = ("serve", "live")
"""The commands that run until they are stopped."""


class _Commands(click.Group):
    """The built-in commands and those of plugins. Each is imported when it is run: few of them need the whole service.
    Plugins are loaded only for a command that is not built in."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*_BUILT_IN, *_plugin_commands()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _BUILT_IN:
            return _plugin_commands().get(cmd_name)
        command: click.Command = import_module(f"app.commands.{cmd_name.replace('-', '_')}").command
        return command


def _plugin_commands() -> dict[str, click.Command]:
    from app.discovery import plugin_manager
    from app.settings import load

    # A plugin that cannot be loaded has no commands; serve and `portico plugins` report why.
    plugins = plugin_manager(disabled=load().disabled_plugins, required=False)
    found: dict[str, click.Command] = {}
    for each in (each for some in plugins.hook.commands() for each in some):
        name = str(each.name)
        known = found.get(name)
        if isinstance(known, click.Group) and isinstance(each, click.Group):
            # Several plugins may have commands in one group.
            each = click.Group(name, {**known.commands, **each.commands}, help=each.help)
        found[name] = each
    return found


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from app.commands.version import software

        click.echo(software())
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version of this software and exit.",
)
def cli() -> None:
    """A GraphQL API and an object storage API in front of any PostgreSQL."""
    # Commands print an error as one line; only serve configures logging.
    logging.getLogger("portico").addHandler(logging.NullHandler())


def _about_output(ex: Exception) -> str | None:
    """One line if ``ex`` means that standard output cannot be written, for example on a full disk."""
    if isinstance(ex, OSError) and any(frame.f_code is click.echo.__code__ for frame, _ in walk_tb(ex.__traceback__)):
        return f"the output cannot be written: {ex.strerror}"
    return None


def _about_directory(ex: Exception) -> str | None:
    """One line if a relative path was not found because the current directory was removed."""
    if isinstance(ex, FileNotFoundError):
        try:
            os.getcwd()
        except FileNotFoundError:
            return "the current directory was removed; start from another one"
    return None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: with 0 on success, 1 and one line on stderr on failure, 2 on wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    # The service installs its own signal handlers once it is ready; other commands clean up after Ctrl-C.
    (end_at_interrupt if given and given[0] in _SERVING else raise_at_interrupt)()
    if list(given[:1]) == ["serve"]:
        log_from_the_start(given, os.environ)
    try:
        code = cli.main(arguments, "portico", standalone_mode=False)
    except click.ClickException as ex:
        if logs_json():
            log.critical("%s", ex.format_message())
        else:
            ex.show()
        sys.exit(ex.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # The program that reads the output, such as head, has closed the pipe.
        sys.stderr.close()
        sys.exit(1)
    except Exception as ex:
        line = explained(ex) or _about_output(ex) or _about_directory(ex)
        if logs_json():
            log.critical("%s", line or "the service ended", exc_info=None if line else ex)
        elif line is None:
            raise
        else:
            click.echo(f"portico: {line}", err=True)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
