"""``portico documents check``"""

from __future__ import annotations

import json
from contextlib import closing

import click

from app.commands.failure import CommandError
from app.commands.target import service_with_database


@click.group("documents")
def command() -> None:
    """The registered documents (DOCUMENTS)."""


@command.command("check")
@click.option("--role", "roles", multiple=True, help="Require that documents are valid for this role. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def check(roles: tuple[str, ...], *, as_json: bool) -> int:
    """Compare every registered document with the schema of each role of the API.

    A document must be valid for at least one of them, or for each role that --role names. The exit code is 1 if one is
    not.
    """
    from app.commands.document_checks import checked_documents, roles_of_the_api
    from app.pipeline.engine import make_engine

    with service_with_database() as (settings, plugins), closing(make_engine(settings, plugins)) as engine:
        found = checked_documents(engine, roles or roles_of_the_api(engine))
    if not found:
        raise CommandError("no document is registered; set DOCUMENTS")
    if as_json:
        click.echo(json.dumps([each.as_json() for each in found], indent=2))
    else:
        click.echo("\n".join(line for each in found for line in each.lines(every=bool(roles))))
    return 1 if any(each.is_wrong(every=bool(roles)) for each in found) else 0
