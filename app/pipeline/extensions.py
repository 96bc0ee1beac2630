"""What a request asks for in its ``extensions``: plugins execute it in another way, or tell more about it."""

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
"""``extension(execute, value, operation, bound, engine)`` gives the results of a request whose ``extensions`` have the
member, not null, with that value. It calls ``execute``, or answers in its place."""


PERSISTED_QUERY = "persistedQuery"
"""The member that has the hash of the document, which Apollo's clients send in place of its text or with it."""

WITHOUT_EFFECT = frozenset({PERSISTED_QUERY, "clientLibrary"})
"""Members that do not change what a mutation does; the other one names the client's library."""


class RequestExtensions:
    """The members of ``extensions`` that plugins understand.

    A query is answered without regard to others. A mutation is refused: such a member may have been meant to change
    what it does, as one that asks for a trial, and a plugin that would have understood it may not be loaded.
    """

    def __init__(self, by_name: Mapping[str, Extension]) -> None:
        self._by_name = by_name

    def around(self, execute: Execute, parsed: ParsedOperation) -> Execute:
        """How to execute a request that has ``extensions``.

        Raises RequestError unless they are an object, and DocumentError for a mutation with a member that nothing
        understands.
        """
        given = parsed.request.extensions
        if not isinstance(given, Mapping):
            raise RequestError("extensions must be an object")
        asked = [name for name, value in given.items() if value is not None]
        if parsed.document.is_mutation:
            self._check_understood(asked)
        # In the order of their names, so that it depends neither on the client nor on which plugin was loaded first.
        for name in sorted(asked, reverse=True):
            if name in self._by_name:
                execute = partial(self._by_name[name], execute, given[name])
        return execute

    def _check_understood(self, asked: Sequence[str]) -> None:
        for name in asked:
            if name not in self._by_name and name not in WITHOUT_EFFECT:
                raise DocumentError(
                    f"extensions.{name} is not understood here; the mutation was not executed",
                    "BAD_USER_INPUT",
                    hint="Leave it out. It may belong to a plugin that this service does not load.",
                )


def request_extensions(plugins: Plugins, **arguments: Any) -> RequestExtensions:
    """What the plugins of an application understand. Raises PluginUnusable where two understand the same member."""
    found: dict[str, Extension] = {}
    for plugin, given in plugins.by_plugin("request_extensions", **arguments):
        for name, extension in given.items():
            if name in found:
                raise PluginUnusable(f"the plugin {plugin} handles extensions.{name}, which another plugin handles")
            found[name] = extension
    return RequestExtensions(found)
