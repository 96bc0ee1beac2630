"""The command ``portico``, also ``python -m app``. Each command is a file of ``app/commands``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

import click

from app.commands import (
    doctor,
    init,
    keys,
    plan,
    plugins,
    schema,
    serve,
    settings,
    storage,
    uninstall,
    upgrade,
    version,
)
from app.commands.failure import explained


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """A GraphQL API and an object storage API in front of any PostgreSQL."""
    # Commands tell what went wrong in one line of their own; serve has log lines and says where they go.
    logging.getLogger("portico").addHandler(logging.NullHandler())


for _command in (doctor, init, keys, plan, plugins, schema, serve, settings, storage, uninstall, upgrade, version):
    cli.add_command(_command.command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process: 0 when it went well, 1 with one line on stderr when not, 2 for wrong usage."""
    try:
        code = cli.main(arguments, "portico", standalone_mode=False)
    except click.ClickException as ex:
        ex.show()
        sys.exit(ex.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output, such as head, has seen enough.
        sys.stderr.close()
        sys.exit(1)
    except Exception as ex:
        line = explained(ex)
        if line is None:
            raise
        click.echo(f"portico: {line}", err=True)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
