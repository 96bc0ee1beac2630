"""The ``extensions`` of a request: by them plugins execute the request differently, or report more about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from app.errors import RequestError
from app.graphql.documents.errors import DocumentError
from app.pipeline.records import ParsedOperation, ResultSet
from app.plugin_guard import Plugins, PluginUnusable

Execute = Callable[..., ResultSet]
"""``execute(operation, bound, engine)``: the stage of that name."""

Extension = Callable[..., ResultSet]
"""``extension(execute, value, operation, bound, engine)`` returns the results of a request whose ``extensions`` have
the plugin's member with that value, which is not null. It calls ``execute``, or returns results of its own."""


PERSISTED_QUERY = "persistedQuery"
"""The member with the hash of the document, which Apollo's clients send with the text or instead of it."""

WITHOUT_EFFECT = frozenset({PERSISTED_QUERY, "clientLibrary"})
"""Members that do not change what a mutation does. ``clientLibrary`` names the library that sent the request."""


class RequestExtensions:
    """The members of ``extensions`` that plugins handle.

    In a query other members are ignored. A mutation with another member is refused: the member may be meant to change
    what the mutation does, like ``dryRun``, and the plugin that handles it may not be loaded.
    """

    def __init__(self, by_name: Mapping[str, Extension]) -> None:
        self._by_name = by_name

    def around(self, execute: Execute, parsed: ParsedOperation) -> Execute:
        """``execute``, wrapped by the plugins whose members the request has in its ``extensions``.

        Raises RequestError if these are not an object, and DocumentError for a mutation with a member that no plugin
        handles.
        """
        given = parsed.request.extensions
        if not isinstance(given, Mapping):
            raise RequestError("extensions must be an object")
        present = [name for name, value in given.items() if value is not None]
        if parsed.document.is_mutation:
            self._check_handled(present)
        # In the order of their names, so that it depends neither on the client nor on which plugin was loaded first.
        for name in sorted(present, reverse=True):
            if name in self._by_name:
                execute = partial(self._by_name[name], execute, given[name])
        return execute

    def _check_handled(self, present: Sequence[str]) -> None:
        for name in present:
            if name not in self._by_name and name not in WITHOUT_EFFECT:
                raise DocumentError(
                    f"extensions.{name} is not understood here; the mutation was not executed",
                    "BAD_USER_INPUT",
                    hint="Leave it out. It may belong to a plugin that this service does not load.",
                )


def request_extensions(plugins: Plugins, **arguments: Any) -> RequestExtensions:
    """The members that the plugins of an application handle. Raises PluginUnusable if two handle the same one."""
    found: dict[str, Extension] = {}
    for plugin, given in plugins.by_plugin("request_extensions", **arguments):
        for name, extension in given.items():
            if name in found:
                raise PluginUnusable(f"the plugin {plugin} handles extensions.{name}, which another plugin handles")
            found[name] = extension
    return RequestExtensions(found)
