"""``portico verify``"""

from __future__ import annotations

import json
import sys
from contextlib import closing

import click

from app.commands.target import service_with_database

_LIMITS = {"alias_limit": 100_000, "dry_run": True, "field_limit": 100_000, "token_limit": 200_000}
"""Settings that allow the large documents of a verification, and dry runs of mutations."""


@click.command("verify")
@click.option("--role", default="service_role", show_default=True, help="The database role of the caller.")
@click.option("--only", default="*", show_default=True, metavar="PATTERN", help="The relations, as schema.name.")
@click.option("--writes", is_flag=True, help="Also run mutations, and roll them back; triggers and sequences run.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(role: str, only: str, *, writes: bool, as_json: bool) -> int:
    """Compare the results of the GraphQL API with SQL, for every relation that a role sees.

    It reads rows, pages, filters, orders, relationships, aggregates and keys in both ways, and changes nothing. The
    exit code is 1 if anything differs.
    """
    from app.pipeline.engine import make_engine
    from app.verification.walk import Extent, verify

    def progress(name: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K{name}", nl=False, err=True)

    with service_with_database(_LIMITS) as (settings, plugins), closing(make_engine(settings, plugins)) as engine:
        report = verify(engine, settings.database_url or "", role, Extent(only=only, writes=writes), progress)
        progress("")
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        click.echo("\n".join(report.lines()))
    return 0 if report.is_equal else 1
