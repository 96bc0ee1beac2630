"""``portico doctor``"""

from __future__ import annotations

import sys

import click

from app.commands.target import service_with_database


@click.command("doctor")
@click.option("--security", is_flag=True, help="List instead what should be closed before the service is public.")
def command(security: bool) -> int:
    """Check settings, database, roles and grants; say what is missing and what to do about it.

    The exit code is 1 when a finding prevents the service from working.
    """
    from app.commands.diagnosis import examine
    from app.commands.notices import left_out
    from app.commands.security_review import review

    with service_with_database() as (settings, plugins):
        findings = review(settings) if security else [*examine(settings), *left_out(settings, plugins)]
    for finding in findings:
        click.echo(f"{finding.mark:<5} {finding.what}")
        if finding.fix:
            click.echo(f"      {finding.fix}")
    sys.stdout.flush()
    return 1 if any(finding.is_fatal for finding in findings) else 0
