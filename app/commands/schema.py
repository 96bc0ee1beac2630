"""``portico schema print`` and ``portico schema diff``"""

from __future__ import annotations

import json
from contextlib import closing
from typing import IO

import click

from app.commands.target import service_with_database


@click.group("schema")
def command() -> None:
    """The GraphQL schema that a role sees."""


@command.command("print")
@click.option("--role", default="anon", show_default=True, help="The database role.")
@click.option("--subscriptions", is_flag=True, help="Include the type of live queries, for tools that check documents.")
def print_schema(role: str, *, subscriptions: bool) -> None:
    """Print the schema in the schema definition language."""
    from app.commands.inspect import schema_sdl

    with service_with_database() as (settings, plugins):
        for number, definition in enumerate(schema_sdl(settings, plugins, role, subscriptions=subscriptions)):
            click.echo(f"\n{definition}" if number else definition)


@command.command("diff")
@click.argument("old", type=click.File(encoding="utf-8-sig"))
@click.option("--role", default="anon", show_default=True, help="The database role.")
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
def diff(old: IO[str], role: str, *, as_json: bool) -> int:
    """List the changes between OLD, a schema that `portico schema print` printed before ("-" for standard input), and
    the schema that a role sees now.

    A breaking change makes valid documents invalid, a dangerous one may change how a client behaves, and a safe one
    does neither. The exit code is 1 if there is a breaking change.
    """
    from app.commands.schema_changes import changes_since, read_text
    from app.pipeline.engine import make_engine

    text = read_text(old)
    with service_with_database() as (settings, plugins), closing(make_engine(settings, plugins)) as engine:
        changes = changes_since(text, old.name, engine.role_schemas.of_role(role))
    if as_json:
        click.echo(json.dumps(changes.as_json(), indent=2))
    else:
        click.echo("\n".join(changes.lines()))
    return 1 if changes.breaking else 0
