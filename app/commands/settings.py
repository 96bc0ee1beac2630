"""``portico settings``"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import click

from app.settings import Setting, shown


@click.command("settings")
@click.option("--markdown", is_flag=True, help="Print docs/settings.md instead.")
def command(markdown: bool) -> None:
    """Show every setting with its value and the origin of the value; secrets are masked."""
    from app.discovery import configure, declared, plugin_manager

    if markdown:
        click.echo(settings_page(declared(plugin_manager())), nl=False)
        return
    for setting, value in shown(configure()[0]):
        origin = "environment" if setting.text_in(os.environ) else "default"
        click.echo(f"{setting.env:<26}{value or '-':<33} {origin:<13}{setting.help}")


def settings_page(declared: Iterable[Setting[Any]]) -> str:
    """The text of docs/settings.md for these settings."""
    lines = [
        "# Settings",
        "",
        "Settings are environment variables; many are also options of `portico serve`. An option takes precedence over",
        "its variable, and a blank variable counts as absent. `portico settings` shows the values in effect. Secrets",
        "have no option, because other users of the machine can read a process's command line.",
        "",
        "`portico settings --markdown` generates this page.",
        "",
        "| variable | option of `serve` | value | default | meaning |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(_cells(setting))} |" for setting in declared]
    return "\n".join(lines) + "\n"


def _cells(setting: Setting[Any]) -> tuple[str, ...]:
    default = setting.default_note or ("" if setting.default is None else f"`{setting.show(setting.default)}`")
    option = f"`{setting.option}`" if setting.is_option else ""
    return f"`{setting.env}`", option, setting.kind.description, default, setting.help
