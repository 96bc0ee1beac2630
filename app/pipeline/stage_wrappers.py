"""The wrappers that plugins put around the stages: one may act before and after its stage, change its input or result,
or refuse the request.

They are assembled once for an application. An unexpected exception of a plugin fails the request and is attributed to
the plugin: the plugin may be a check, and a check that breaks must not let requests through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from types import TracebackType
from typing import Any

from app.errors import PorticoError
from app.plugin_guard import Plugins, PluginUnusable

Around = Callable[..., Any]
"""``around(run, *arguments)`` calls ``run(*arguments)`` and returns the result of the stage. The arguments are those of
the stage: its records and, for stages that take it, the engine."""

STAGES = ("parse", "authorize", "plan", "execute", "shape")


def around_stages(plugins: Plugins, **arguments: Any) -> Mapping[str, Around]:
    """The wrapper of each stage; that of the plugin that pluggy calls first is the outermost. Stages without a wrapper
    are left out.

    Raises PluginUnusable for a stage that does not exist.
    """
    found: dict[str, list[Around]] = {}
    for plugin, given in plugins.by_plugin("around_stages", **arguments):
        for stage, around in given.items():
            if stage not in STAGES:
                raise PluginUnusable(
                    f"the plugin {plugin} wraps the stage {stage!r}, but the stages are {', '.join(STAGES)}"
                )
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
    """Whether an exception came from inside the wrapper: from the stage itself, or from another plugin's wrapper."""
    while traceback is not None:
        if traceback.tb_frame.f_code is _run.__code__:
            return True
        traceback = traceback.tb_next
    return False
