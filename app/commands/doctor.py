"""``portico doctor``"""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.target import service_with_database
from app.plugin_guard import Plugins
from app.settings import Settings, misspelt

if TYPE_CHECKING:
    from app.commands.finding import Finding


@click.command("doctor")
@click.option("--security", is_flag=True, help="Instead, list what must be closed before the service is public.")
@click.option(
    "--schemas",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with schemas that clients rely on, printed as <role>.graphql: breaking changes are findings.",
)
def command(security: bool, schemas: Path | None) -> int:
    """Check settings, database, replicas, roles, grants and registered documents. List what is missing and what to do
    about it.

    The exit code is 1 if a finding prevents the service from working.
    """
    with service_with_database() as (settings, plugins):
        found = findings(settings, plugins, security=security, schemas=schemas)
    for finding in found:
        click.echo(f"{finding.mark:<5} {finding.what}")
        if finding.fix:
            click.echo(f"      {finding.fix}")
    return 1 if any(finding.is_fatal for finding in found) else 0


def findings(
    settings: Settings, plugins: Plugins, *, security: bool = False, schemas: Path | None = None
) -> list[Finding]:
    """The findings about what is missing, or with ``security`` about what must be closed. ``schemas``: a folder with
    printed schemas to compare with the current ones. Raises Unavailable if the database is not available."""
    from app.commands.citus_checks import claims, spread
    from app.commands.connection_checks import connections
    from app.commands.diagnosis import examine
    from app.commands.document_checks import registered_documents
    from app.commands.effects import effects
    from app.commands.exclusion_checks import excluded
    from app.commands.finding import Finding
    from app.commands.notices import left_out
    from app.commands.replica_checks import replicas
    from app.commands.s3_probe import probed
    from app.commands.schema_changes import printed_schemas
    from app.commands.security_review import review
    from app.commands.settings_checks import of_settings
    from app.discovery import declared
    from app.pipeline.engine import make_engine

    # Only this command uses the engine's pool, so all queries share one connection.
    with closing(make_engine(settings, plugins)) as engine:
        database = engine.database
        if security:
            as_service = partial(database.read, as_service=True) if database.separates_service else None
            return [*review(settings, database.read, as_service), *effects(settings, engine)]
        of_database = (examine, connections, spread, replicas)
        found = [Finding("note", each, "rename it") for each in misspelt(os.environ, declared(plugins))]
        found += of_settings(settings)
        found += [finding for each in of_database for finding in each(settings, database)]
        found += [
            *claims(settings, engine),
            *effects(settings, engine),
            *excluded(settings, engine),
            *registered_documents(engine),
        ]
        found += printed_schemas(schemas, engine) if schemas else ()
        return [*found, *left_out(engine), *probed(settings)]
