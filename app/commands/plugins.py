"""``portico plugins``"""

from __future__ import annotations

import click

from app.settings import load


@click.command("plugins")
def command() -> int:
    """List the installed plugins: name, distribution, version, and a summary or why the plugin is not loaded.

    The exit code is 1 if a plugin cannot be loaded.
    """
    from app.discovery import plugin_manager

    settings = load()
    plugins = plugin_manager(disabled=settings.disabled_plugins, required=False)
    name_width = max(len(each.name) for each in plugins.installed)
    distribution_width = max(len(each.distribution) for each in plugins.installed)
    for each in plugins.installed:
        what = f"cannot be loaded: {each.problem}" if each.problem else "disabled" if each.disabled else each.summary
        click.echo(f"{each.name:<{name_width}}  {each.distribution:<{distribution_width}}  {what}")
    return 1 if any(each.problem for each in plugins.installed) else 0
