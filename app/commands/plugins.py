"""``portico plugins``"""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points

import click


@click.command("plugins")
def command() -> None:
    """List the plugins that are installed: name, distribution and version, and what each does."""
    from app.hooks import GROUP, plugin_manager

    manager = plugin_manager()
    for entry_point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        summary = (inspect.getdoc(manager.get_plugin(entry_point.name)) or "").partition("\n")[0]
        origin = f"{entry_point.dist.name} {entry_point.dist.version}" if entry_point.dist else ""
        click.echo(f"{entry_point.name:<20}{origin:<18}{summary}")
