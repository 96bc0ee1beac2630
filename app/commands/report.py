"""The report that init and upgrade print."""

from __future__ import annotations

import click

from app.installation.install import Report
from app.installation.missing import Problem


def print_report(report: Report) -> None:
    """Print the versions, the notice and the problems."""
    if report.before == report.after:
        click.echo(f"Version {report.after} is installed.")
    else:
        click.echo(
            f"Installed version {report.after}" + (f"; it was {report.before} before." if report.before else ".")
        )
    if report.notice:
        click.echo(f"Note: {report.notice}")
    _print_problems(report.problems)


def _print_problems(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        click.echo(f"- {problem.what}")
        for line in problem.fix.splitlines():
            click.echo(f"    {line}")
