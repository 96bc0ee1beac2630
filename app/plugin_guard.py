"""Isolates the failures of plugins, and names the plugin.

When a hook of the GraphQL schema fails, only its contribution is missing: the log names the hook and the plugin,
/health names the plugin, and everything else is served. Any other hook may add a security check, so its failure is an
error.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import ModuleType
from typing import Any

import pluggy

from app.errors import PorticoError
from app.settings import SettingError

log = logging.getLogger("portico.plugins")

Hook = Callable[..., Any]

# These concern the request, the database or the settings; a RecursionError concerns the code around the plugin.
_NOT_ITS_FAULT = (PorticoError, SettingError, RecursionError)


class PluginUnusable(RuntimeError):
    """A plugin cannot be used. The message is one sentence for the operator that names the plugin."""


@dataclass(frozen=True, slots=True)
class InstalledPlugin:
    """A plugin that an entry point names. ``summary`` is the first line of its docstring; ``problem`` says why it could
    not be loaded, '' if it could."""

    name: str
    distribution: str
    summary: str = ""
    disabled: bool = False
    problem: str = ""


class _Guarded:
    """The hooks of a plugin, each wrapped in a guard."""


class Plugins(pluggy.PluginManager):
    """The plugins of an application. ``faults`` maps plugins that failed to the place of their first failure."""

    def __init__(
        self, group: str, specifications: Iterable[type], may_fail: type, results: Mapping[str, Callable[[Any], Any]]
    ) -> None:
        """``specifications`` are classes of hooks. A hook of the class ``may_fail`` contributes nothing if it fails.
        ``results`` maps a hook to the function that checks its result and raises if the result is wrong."""
        super().__init__(group)
        self._mark = f"{group}_impl"
        for each in specifications:
            self.add_hookspecs(each)
        self._may_fail = vars(may_fail)
        self._results = results
        self.installed: tuple[InstalledPlugin, ...] = ()
        self.faults: dict[str, str] = {}
        self._logged: set[tuple[str, str]] = set()

    def add(self, name: str, plugin: object) -> None:
        """Register a plugin: a module, an object, or a class, which is instantiated for each application.

        Raises pluggy.PluginValidationError for an unknown hook or argument.
        """
        instance = plugin() if isinstance(plugin, type) else plugin
        guarded = _Guarded()
        for attribute in dir(instance):
            options = self.parse_hookimpl_opts(instance, attribute)
            if options is not None:
                function = getattr(instance, attribute)
                is_wrapper = options.get("wrapper") or options.get("hookwrapper")
                hook = options.get("specname") or attribute
                setattr(guarded, attribute, function if is_wrapper else self._guard(name, hook, function))
        self.register(guarded, name)
        try:
            self.check_pending()
        except pluggy.PluginValidationError:
            self.unregister(guarded)
            raise

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        # pluggy calls inspect for each attribute of each plugin, which is most of the time of loading them.
        if name.startswith("__"):
            return None
        if isinstance(plugin, ModuleType) and not hasattr(vars(plugin).get(name), self._mark):
            return None
        return super().parse_hookimpl_opts(plugin, name)

    def by_plugin(self, hook: str, **arguments: Any) -> list[tuple[str, Any]]:
        """The results of a hook with the names of their plugins, in the order in which pluggy calls them."""
        impls = reversed(getattr(self.hook, hook).get_hookimpls())
        results = ((each.plugin_name, each.function(*(arguments[name] for name in each.argnames))) for each in impls)
        return [(plugin, result) for plugin, result in results if result is not None]

    def hooks_without(self, names: Iterable[str]) -> pluggy.HookRelay:
        """The hooks of all plugins except those with these names."""
        left_out = [self.get_plugin(name) for name in names]
        relay = pluggy.HookRelay()
        for hook in vars(self.hook):
            setattr(relay, hook, self.subset_hook_caller(hook, left_out))
        return relay

    def blame(self, plugin: str, place: str) -> None:
        """Log the current exception as the plugin's, once for each place, and make /health name the plugin."""
        if (plugin, place) not in self._logged:
            self._logged.add((plugin, place))
            log.exception("the plugin %s failed in %s", plugin, place)
        self.faults.setdefault(plugin, place)

    def _guard(self, name: str, hook: str, function: Hook) -> Hook:
        may_fail, read = hook in self._may_fail, self._results.get(hook)

        @wraps(function)
        def guarded(*arguments: Any, **named: Any) -> Any:
            try:
                result = function(*arguments, **named)
                return result if result is None or read is None else read(result)
            except _NOT_ITS_FAULT:
                raise
            except Exception as ex:
                if not may_fail:
                    raise PluginUnusable(f"the plugin {name} failed in {hook}: {one_line(ex)}") from ex
                self.blame(name, hook)
                return None

        return guarded


def one_line(ex: BaseException) -> str:
    """The exception as one line for the operator."""
    text = " ".join(str(ex).split())
    return text if isinstance(ex, PluginUnusable | pluggy.PluginValidationError) else f"{type(ex).__name__}: {text}"
