"""Finds plugins by their entry points and loads them.

A plugin that cannot be loaded stops the service from starting; with PLUGINS_REQUIRED=off it is left out and logged.
"""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Collection, Mapping
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Any

from app.graphql.schema.features import Features, UnknownFeature
from app.hook_results import RESULTS
from app.hooks import GROUP, GraphQLHooks, ServiceHooks, StorageHooks
from app.plugin_guard import InstalledPlugin, Plugins, PluginUnusable, one_line
from app.settings import SETTINGS, Setting, SettingError, Settings, load

log = logging.getLogger("portico.plugins")

_CHOICE = ("disabled_plugins", "plugins_required")
"""The settings that select plugins. They are read first, because plugins declare further settings."""


def plugin_manager(
    extra: Mapping[str, Any] | None = None, *, disabled: Collection[str] = (), required: bool = True
) -> Plugins:
    """All installed plugins except the ``disabled`` ones, plus ``extra`` plugins by name (for tests and embedding).

    Raises PluginUnusable for the first plugin that cannot be loaded; unless ``required``, it is left out instead.
    """
    plugins = Plugins(GROUP, (GraphQLHooks, ServiceHooks, StorageHooks), may_fail=GraphQLHooks, results=RESULTS)
    found = _found()
    unknown = set(disabled) - {each.name for each, _ in found} - set(extra or ())
    if unknown:
        raise PluginUnusable(f"DISABLED_PLUGINS: no plugin is called {min(unknown)!r}; `portico plugins` lists them")
    plugins.installed = tuple(
        _install(plugins, each, origin, each.name in disabled, required) for each, origin in found
    )
    for name, plugin in (extra or {}).items():
        if name not in disabled:
            plugins.add(name, plugin)
    return plugins


def configure(
    environ: Mapping[str, str] = os.environ,
    overrides: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> tuple[Settings, Plugins]:
    """The settings of a service, including those of its plugins, and the plugins.

    ``environ`` and ``overrides`` are passed to ``app.settings.load``, ``extra`` to ``plugin_manager``. Raises
    SettingError or PluginUnusable with a line for the operator.
    """
    chosen = {name: value for name, value in (overrides or {}).items() if name in _CHOICE}
    choice = load(environ, chosen)
    plugins = plugin_manager(extra, disabled=choice.disabled_plugins, required=choice.plugins_required)
    settings = load(environ, overrides, declared_settings(plugins))
    try:
        Features(plugins).chosen(settings.graphql_features)
    except UnknownFeature as ex:
        raise SettingError(f"GRAPHQL_FEATURES: {ex}") from None
    try:
        Features(plugins, settings.value_types)
    except UnknownFeature as ex:
        raise SettingError(f"VALUE_TYPES: {ex}") from None
    return settings, plugins


def declared(plugins: Plugins) -> list[Setting[Any]]:
    """All settings: the built-in ones, and those of plugins."""
    return [*SETTINGS, *declared_settings(plugins)]


def declared_settings(plugins: Plugins) -> list[Setting[Any]]:
    """The settings that plugins declare, ordered by plugin name."""
    # pluggy calls the plugin registered last first.
    return [setting for some in reversed(plugins.hook.settings()) for setting in some]


def _found() -> list[tuple[EntryPoint, str]]:
    """The entry points with their origins, in an order that does not depend on the installation."""
    # Each access to a distribution's metadata reads and parses the file again.
    origins: dict[Distribution, str] = {}
    found = []
    for each in entry_points(group=GROUP):
        if each.dist and each.dist not in origins:
            metadata = each.dist.metadata
            origins[each.dist] = f"{metadata['Name']} {metadata['Version']}"
        found.append((each, origins[each.dist] if each.dist else each.value))
    return sorted(found, key=lambda pair: (pair[0].name, pair[1]))


def _install(plugins: Plugins, entry_point: EntryPoint, origin: str, disabled: bool, required: bool) -> InstalledPlugin:
    name = entry_point.name
    if disabled:
        return InstalledPlugin(name, origin, disabled=True)
    try:
        if plugins.has_plugin(name):
            raise PluginUnusable("another plugin has the same name")
        plugin = entry_point.load()
        plugins.add(name, plugin)
    except (Exception, SystemExit) as ex:
        problem = one_line(ex)
        if required:
            message = f"the plugin {name} of {origin} cannot be loaded: {problem}; set PLUGINS_REQUIRED=off to serve"
            raise PluginUnusable(f"{message} without it, or name it in DISABLED_PLUGINS") from ex
        log.warning("the plugin %s of %s is left out: %s", name, origin, problem)
        plugins.faults[name] = "loading"
        return InstalledPlugin(name, origin, problem=problem)
    return InstalledPlugin(name, origin, (inspect.getdoc(plugin) or "").partition("\n")[0])
