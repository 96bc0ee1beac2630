"""Parts of pages that are made from the running code while the site is built.

A page says ``<!-- generated: commands -->`` where such a part belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import click

from app.commands.options import ServiceCommand

PLACE = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def commands() -> str:
    """Each command with its help and options, in Markdown."""
    from app.cli import cli

    return "\n".join(_command("portico", cli))


def _command(path: str, command: click.Command) -> Iterator[str]:
    from app.cli import cli

    # A command keeps its help option, with the names that the first context of the process had.
    context = click.Context(command, info_name=path, **cli.context_settings)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _command(f"{path} {name}", cast("click.Command", command.get_command(context, name)))
        return
    yield from (f"## `{path}`", "", "```text", " ".join(command.get_usage(context).split()[1:]), "```", "")
    yield from (re.sub(r"(?m)^ +", "", command.help or "").strip(), "")
    if isinstance(command, ServiceCommand):
        yield from ("Each [setting](settings.md) that is not a secret has an option. The further options are:", "")
    options = [each for each in command.params if isinstance(each, click.Option) and not _is_setting(each)]
    if options:
        yield from ("| option | default | what it is |", "|---|---|---|")
        yield from (_option(each) for each in options)
        yield ""


def _option(option: click.Option) -> str:
    names = " ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
    # Click uses a sentinel as the default of an option that has none.
    default = option.default if isinstance(option.default, (str, int, float)) else ""
    if isinstance(default, bool):
        default = "on" if default else "off"
    return f"| {names} | {default} | {option.help} |"


def _is_setting(option: click.Option) -> bool:
    from app.settings import SETTINGS

    return any(each.is_option and each.option in option.opts for each in SETTINGS)


GENERATORS: dict[str, Callable[[], str]] = {"commands": commands}


def filled(text: str) -> str:
    """A page's text with its generated parts in place. Raises KeyError if no generator has the name of a part."""
    return PLACE.sub(lambda found: GENERATORS[found[1]](), text)


def setup(app: Any) -> dict[str, Any]:
    """Sphinx's entry point."""

    def fill(_app: Any, _document: str, source: list[str]) -> None:
        source[0] = filled(source[0])

    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
