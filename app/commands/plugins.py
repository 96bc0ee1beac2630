"""``portico plugins``"""

from __future__ import annotations

import click

from app.settings import load


@click.command("plugins")
def command() -> int:
    """List the installed plugins: name, distribution and version, and what each does or why it is not loaded.

    The exit code is 1 when one cannot be loaded.
    """
    from app.discovery import plugin_manager

    settings = load()
    plugins = plugin_manager(disabled=settings.disabled_plugins, required=False)
    for each in plugins.installed:
        what = f"cannot be loaded: {each.problem}" if each.problem else "disabled" if each.disabled else each.summary
        click.echo(f"{each.name:<20}{each.distribution:<18}{what}")
    return 1 if any(each.problem for each in plugins.installed) else 0
