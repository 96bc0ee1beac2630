"""Features that go beyond pg_graphql: plugins name those that they add, and a dialect, a setting or a role selects
which of them are offered. This file knows no feature by name."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from app.graphql.dialect import Dialect
from app.plugin_guard import Plugins

ALL, NONE = "all", "none"


class UnknownFeature(ValueError):
    """No plugin adds a feature of that name. The message is one sentence that lists the existing ones."""


class Features:
    """The features that the plugins of an application add."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
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
        return self._plugins.hooks_without(name for name, added in self._by_plugin.items() if added.isdisjoint(offered))
