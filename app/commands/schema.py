"""``portico schema print``"""

from __future__ import annotations

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
