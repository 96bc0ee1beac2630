"""Features that go beyond pg_graphql: plugins name those that they add, and a dialect, a setting or a role selects
which of them are offered. The same for types of values, which change the type of columns: a setting selects these. This
file knows none by name."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from app.graphql.schema.dialect import Dialect
from app.plugin_guard import Plugins

ALL, NONE = "all", "none"


class UnknownFeature(ValueError):
    """No plugin adds a feature, or a type of values, of that name. The message is one sentence that lists those that
    exist."""


class Features:
    """The features that the plugins of an application add, with those of their ``value_types`` that are named, or with
    ``all``. Raises UnknownFeature for a type of values that no plugin adds."""

    def __init__(self, plugins: Plugins, value_types: Iterable[str] = ()) -> None:
        self._plugins = plugins
        self._left_out = _without_value_types(plugins, frozenset(value_types))
        self._by_plugin = {name: frozenset(added) for name, added in plugins.by_plugin("features") if added}
        self.all: frozenset[str] = frozenset().union(*self._by_plugin.values())

    def chosen(self, words: Iterable[str], otherwise: frozenset[str] | None = None) -> frozenset[str]:
        """The features that ``words`` select, in order: ``all``, ``none``, a name to add one, or ``-name`` to omit one.
        If the first word omits one, the others are those of ``otherwise``, by default all.

        Raises UnknownFeature.
        """
        left = self.all if otherwise is None else otherwise
        for position, word in enumerate(words):
            name = word.removeprefix("-")
            if word in (ALL, NONE):
                left = self.all if word == ALL else frozenset()
            elif name not in self.all:
                raise UnknownFeature(f"no feature is called {name!r}; the features are {', '.join(sorted(self.all))}")
            elif name != word:
                left -= {name}
            else:
                left = left | {name} if position else frozenset({name})
        return left

    def offered(self, dialect: Dialect, words: Iterable[str]) -> frozenset[str]:
        """The features that ``words`` select if the dialect goes beyond pg_graphql, else none."""
        return self.chosen(words) if dialect.extended else frozenset()

    def hooks(self, offered: frozenset[str]) -> pluggy.HookRelay:
        """The hooks of a schema with these features; plugins that add only other features are not called."""
        others = [name for name, added in self._by_plugin.items() if added.isdisjoint(offered)]
        return self._plugins.hooks_without([*others, *self._left_out])


def _without_value_types(plugins: Plugins, chosen: frozenset[str]) -> list[str]:
    """The names of the plugins that add types of values, none of which is chosen."""
    by_plugin = {name: frozenset(added) for name, added in plugins.by_plugin("value_types") if added}
    known = frozenset[str]().union(*by_plugin.values())
    for name in sorted(chosen - known - {ALL}):
        listed = ", ".join(sorted(known))
        raise UnknownFeature(f"no type of values is called {name!r}; there are {listed}")
    return [] if ALL in chosen else [name for name, added in by_plugin.items() if added.isdisjoint(chosen)]
