"""Command line options made from the table of settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from app.settings import SETTINGS, Setting
from app.settings.kinds import Choice, Switch


def setting_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: one option for each setting that may be on a command line. Secrets are not: others see it."""
    for setting in reversed(SETTINGS):
        if setting.is_option:
            function = _option(setting)(function)
    return function


def _option(setting: Setting[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    default = setting.default_note or setting.show(setting.default)
    note = f"  [{setting.env}{'; default: ' + default if default else ''}]"
    if isinstance(setting.kind, Switch):
        return click.option(f"{setting.option}/--no-{setting.option[2:]}", default=None, help=setting.help + note)
    metavar = "|".join(setting.kind.words) if isinstance(setting.kind, Choice) else "VALUE"
    return click.option(setting.option, metavar=metavar, default=None, help=setting.help + note)
