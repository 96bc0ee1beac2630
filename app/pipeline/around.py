"""What plugins put around the stages: each may look before and after, change what passes, or refuse.

Put together once for an application. What a plugin raises by mistake fails the request and is told as the plugin's: it
may be a check, and a check that fails lets nobody through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from types import TracebackType
from typing import Any

from app.errors import PorticoError
from app.plugin_guard import Plugins, PluginUnusable

Around = Callable[..., Any]
"""``around(run, *arguments)``: what the stage gives, as ``run(*arguments)`` does. The arguments are the stage's: its
records, and the engine for those that take it."""

STAGES = ("parse", "authorize", "plan", "execute", "shape")


def around_stages(plugins: Plugins, **arguments: Any) -> Mapping[str, Around]:
    """What stands around each stage, the plugin that pluggy calls first outermost; stages without any are not there.

    Raises PluginUnusable for a stage that does not exist.
    """
    found: dict[str, list[Around]] = {}
    for plugin, given in plugins.by_plugin("around_stages", **arguments):
        for stage, around in given.items():
            if stage not in STAGES:
                raise PluginUnusable(f"the plugin {plugin} is around {stage!r}, which is none of {', '.join(STAGES)}")
            found.setdefault(stage, []).append(_guarded(plugins, plugin, stage, around))
    return {stage: reduce(_both, arounds) for stage, arounds in found.items()}


def _both(outer: Around, inner: Around) -> Around:
    return lambda run, *arguments: outer(partial(inner, run), *arguments)


def _guarded(plugins: Plugins, plugin: str, stage: str, around: Around) -> Around:
    def guarded(run: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return around(partial(_run, run), *arguments)
        except (PorticoError, RecursionError):
            raise
        except Exception as ex:
            if not _passed_through(ex.__traceback__):
                plugins.blame(plugin, f"around_stages, at {stage}")
            raise

    return guarded


def _run(run: Callable[..., Any], *arguments: Any) -> Any:
    return run(*arguments)


def _passed_through(traceback: TracebackType | None) -> bool:
    """Whether an exception came from the stage itself, or from what another plugin has around it."""
    while traceback is not None:
        if traceback.tb_frame.f_code is _run.__code__:
            return True
        traceback = traceback.tb_next
    return False
