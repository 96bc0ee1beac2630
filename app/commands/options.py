"""Command line options derived from the declared settings."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from app.settings import Setting, SettingError
from app.settings.kinds import Choice, Switch

Sections = Mapping[str, Sequence[click.Option]]


class ServiceCommand(click.Command):
    """A command with an option for each setting that allows one; its help has them by section. Plugins, which declare
    further settings, are loaded only when this command runs."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        of_settings = itertools.chain.from_iterable(_sections(ctx).values())
        return [*super().get_params(ctx), *of_settings]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, options in {"Options": super().get_params(ctx), **_sections(ctx)}.items():
            with formatter.section(title):
                formatter.write_dl([record for each in options if (record := each.get_help_record(ctx))])


def _sections(ctx: click.Context) -> Sections:
    if __name__ not in ctx.meta:
        ctx.meta[__name__] = _options()
    sections: Sections = ctx.meta[__name__]
    return sections


def _options() -> Sections:
    from app.discovery import declared, plugin_manager

    sections: dict[str, list[click.Option]] = {}
    for setting in declared(plugin_manager(required=False)):
        if setting.is_option:
            sections.setdefault(setting.section, []).append(_option(setting))
    return sections


def _option(setting: Setting[Any]) -> click.Option:
    default = setting.default_note or setting.show(setting.default)
    note = f"  [{setting.env}{'; default: ' + default if default else ''}]"
    if isinstance(setting.kind, Switch):
        return click.Option([f"{setting.option}/--no-{setting.option[2:]}"], default=None, help=setting.help + note)
    check = partial(_checked, setting)
    metavar = "|".join(setting.kind.words) if isinstance(setting.kind, Choice) else "VALUE"
    return click.Option([setting.option], metavar=metavar, default=None, callback=check, help=setting.help + note)


def _checked(setting: Setting[Any], ctx: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """The value of an option. Raises click.BadParameter for an invalid value, and for a blank one, which is more likely
    an unset variable of a script than a request for the default."""
    if text is None:
        return None
    if not text.strip():
        raise click.BadParameter("the value is blank", ctx, option)
    try:
        setting.parse(text)
    except SettingError as ex:
        raise click.BadParameter(str(ex).removeprefix(f"{setting.env}: "), ctx, option) from None
    return text
