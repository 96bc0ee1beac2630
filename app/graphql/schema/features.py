"""Features that go beyond pg_graphql: plugins name the features that they add, and the dialect, a setting or a role
selects which are offered. In the same way plugins name value types, which replace the types of columns, and a setting
selects them. This file knows no feature by name."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from app.graphql.schema.dialect import Dialect
from app.plugin_guard import Plugins

ALL, NONE = "all", "none"


class UnknownFeature(ValueError):
    """No plugin adds a feature, or a value type, of that name. The message is one sentence, which lists those that
    exist."""


class Features:
    """The features that the plugins of an application add. Of the plugins with value types only those are used whose
    types are in ``value_types``; ``all`` selects every one. Raises UnknownFeature for a value type that no plugin
    adds."""

    def __init__(self, plugins: Plugins, value_types: Iterable[str] = ()) -> None:
        self._plugins = plugins
        self._left_out = _without_value_types(plugins, frozenset(value_types))
        self._by_plugin = {name: frozenset(added) for name, added in plugins.by_plugin("features") if added}
        self.all: frozenset[str] = frozenset().union(*self._by_plugin.values())

    def chosen(self, words: Iterable[str], otherwise: frozenset[str] | None = None) -> frozenset[str]:
        """The features that ``words`` select, in order: ``all``, ``none``, a name to add one, or ``-name`` to omit one.
        If the first word omits one, the selection starts with ``otherwise``, by default all.

        Raises UnknownFeature.
        """
        selected = self.all if otherwise is None else otherwise
        for position, word in enumerate(words):
            name = word.removeprefix("-")
            if word in (ALL, NONE):
                selected = self.all if word == ALL else frozenset()
            elif name not in self.all:
                raise UnknownFeature(f"no feature is called {name!r}; the features are {', '.join(sorted(self.all))}")
            elif name != word:
                selected -= {name}
            else:
                selected = selected | {name} if position else frozenset({name})
        return selected

    def offered(self, dialect: Dialect, words: Iterable[str]) -> frozenset[str]:
        """The features that ``words`` select if the dialect goes beyond pg_graphql, else none."""
        return self.chosen(words) if dialect.extended else frozenset()

    def hooks(self, offered: frozenset[str]) -> pluggy.HookRelay:
        """The hooks of a schema with these features; plugins that add only other features are not called."""
        others = [name for name, added in self._by_plugin.items() if added.isdisjoint(offered)]
        return self._plugins.hooks_without([*others, *self._left_out])


def _without_value_types(plugins: Plugins, chosen: frozenset[str]) -> list[str]:
    """The names of the plugins that add value types, none of which is chosen."""
    by_plugin = {name: frozenset(added) for name, added in plugins.by_plugin("value_types") if added}
    known = frozenset[str]().union(*by_plugin.values())
    for name in sorted(chosen - known - {ALL}):
        listed = ", ".join(sorted(known))
        raise UnknownFeature(f"no type of values is called {name!r}; there are {listed}")
    return [] if ALL in chosen else [name for name, added in by_plugin.items() if added.isdisjoint(chosen)]
