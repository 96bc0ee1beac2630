"""Entrances: the pages and endpoints of a service besides its APIs, as listed on the page at ``/``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.plugin_guard import Plugins
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Entrance:
    """A path of the service, with a title of a few words. With ``is_start`` browsers are redirected there from ``/``.
    ``serve`` appends ``fragment`` to the address that it prints. It may be a secret: no response contains it."""

    path: str
    title: str
    is_start: bool = False
    fragment: str = ""


def entrances(plugins: Plugins, settings: Settings) -> Sequence[Entrance]:
    """All entrances that the plugins offer, by path."""
    offered = [entrance for of_plugin in plugins.hook.entrances(settings=settings) for entrance in of_plugin]
    return sorted(offered, key=lambda each: each.path)


def find_start(offered: Sequence[Entrance]) -> Entrance | None:
    """The entrance to which browsers are redirected, if there is one."""
    return next((each for each in offered if each.is_start), None)
