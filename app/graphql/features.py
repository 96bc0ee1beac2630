"""Features that go beyond pg_graphql: plugins name those that they add, and a dialect, a setting or a role says which
of them are offered. No feature's name is known here."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from app.graphql.dialect import Dialect
from app.plugin_guard import Plugins

ALL, NONE = "all", "none"


class UnknownFeature(ValueError):
    """No plugin adds a feature of that name; the message is one sentence that lists those that there are."""


class Features:
    """The features that the plugins of an application add."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._by_plugin = {name: frozenset(added) for name, added in plugins.by_plugin("features") if added}
        self.all: frozenset[str] = frozenset().union(*self._by_plugin.values())

    def chosen(self, words: Iterable[str], otherwise: frozenset[str] | None = None) -> frozenset[str]:
        """The features that ``words`` choose, one after the other: ``all``, ``none``, a name, or ``-name`` to take one
        away. Where the first word takes away, it is from ``otherwise``, all of them without it.

        Raises UnknownFeature.
        """
        left = self.all if otherwise is None else otherwise
        for position, word in enumerate(words):
            name = word.removeprefix("-")
            if word in (ALL, NONE):
                left = self.all if word == ALL else frozenset()
            elif name not in self.all:
                raise UnknownFeature(f"no feature is called {name!r}; there are {', '.join(sorted(self.all))}")
            elif name != word:
                left -= {name}
            else:
                left = left | {name} if position else frozenset({name})
        return left

    def offered(self, dialect: Dialect, words: Iterable[str]) -> frozenset[str]:
        """The features that ``words`` choose where the dialect goes beyond pg_graphql; else none."""
        return self.chosen(words) if dialect.extended else frozenset()

    def hooks(self, offered: frozenset[str]) -> pluggy.HookRelay:
        """The hooks of a schema with these features: of plugins that add others, none is called."""
        return self._plugins.hooks_without(name for name, added in self._by_plugin.items() if added.isdisjoint(offered))
