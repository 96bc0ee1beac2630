"""The sources of registered documents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from app.errors import Unavailable
from app.plugin_guard import Plugins

Given = TypeVar("Given")


class DocumentsUnusable(RuntimeError):
    """Registered documents cannot be used; the message is one line for the operator."""


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A source of registered documents.

    ``read`` returns their texts by id. ``state`` returns a value that changes when they change; it is called about
    every second, so it should be cheap. Both raise DocumentsUnusable, or Unavailable if a retry may help.
    """

    read: Callable[[], Mapping[str, str]]
    state: Callable[[], Hashable]


def document_sources(plugins: Plugins, **arguments: Any) -> tuple[DocumentSource, ...]:
    """The sources that the plugins provide."""
    found = plugins.by_plugin("documents", **arguments)
    return tuple(
        DocumentSource(_guarded(plugins, plugin, each.read), _guarded(plugins, plugin, each.state))
        for plugin, some in found
        for each in some
    )


def _guarded(plugins: Plugins, plugin: str, function: Callable[[], Given]) -> Callable[[], Given]:
    def guarded() -> Given:
        try:
            return function()
        except (DocumentsUnusable, Unavailable):
            raise
        except Exception as ex:
            plugins.blame(plugin, "documents")
            raise DocumentsUnusable(f"the plugin {plugin} failed to read documents: {type(ex).__name__}") from ex

    return guarded
