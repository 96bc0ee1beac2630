"""``portico plan``"""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from app.commands.failure import CommandError
from app.commands.target import service_with_database


@click.command("plan")
@click.argument("query")
@click.option("--role", default="anon", show_default=True, help="The database role of the caller.")
@click.option("--variables", default="{}", metavar="JSON", help="The query's variables.")
def command(query: str, role: str, variables: str) -> None:
    """Print the SQL that answers QUERY ("-" to read it from standard input), without running it."""
    from app.commands.inspect import plan_sql

    text = _standard_input() if query == "-" else query
    values = _object(variables)
    with service_with_database() as (settings, plugins):
        click.echo(plan_sql(settings, plugins, role, text, values))


def _standard_input() -> str:
    try:
        # sys.stdin is None if the caller has closed it.
        return sys.stdin.read() if sys.stdin else ""
    except (OSError, UnicodeDecodeError) as ex:
        raise CommandError(f"standard input cannot be read: {ex}") from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as ex:
        raise click.BadParameter(f"not JSON: {ex}", param_hint="--variables") from None
    except RecursionError:
        raise click.BadParameter("too many levels", param_hint="--variables") from None
    if not isinstance(value, dict):
        raise click.BadParameter("not a JSON object", param_hint="--variables")
    return value
