"""The report that init and upgrade print."""

from __future__ import annotations

import click

from app.installation import Lack, Report


def tell(report: Report) -> None:
    if report.before == report.after:
        click.echo(f"Version {report.after} is installed.")
    else:
        click.echo(
            f"Installed version {report.after}" + (f"; it was {report.before} before." if report.before else ".")
        )
    if report.notice:
        click.echo(f"Note: {report.notice}")
    tell_lacks(report.lacks)


def tell_lacks(lacks: tuple[Lack, ...]) -> None:
    for lack in lacks:
        click.echo(f"- {lack.what}")
        for line in lack.fix.splitlines():
            click.echo(f"    {line}")
