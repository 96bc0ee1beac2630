"""Identifies callers by further credentials, which plugins accept.

A plugin is called only if the request has the header that it names. An exception in a plugin fails the request and is
reported as the plugin's: a broken check never gives the request another caller or makes it anonymous.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple

from app.errors import PorticoError
from app.identity.caller import Caller
from app.plugin_guard import Plugins


class RequestHead(NamedTuple):
    """The head of a request, from which a plugin identifies the caller. ``header`` takes a header's name in lower case
    and returns its value; None if it is absent."""

    method: str
    path: str
    header: Callable[[str], str | None]

    @classmethod
    def of(cls, method: str, path: str, environ: Mapping[str, Any]) -> RequestHead:
        """The head of a WSGI request."""
        return cls(method, path, lambda name: environ.get(_environ_name(name)))

    def cookie(self, name: str) -> str | None:
        """The value of a cookie; None if it is absent or the cookies cannot be parsed."""
        try:
            found = SimpleCookie(self.header("cookie") or "").get(name)
        except CookieError:
            return None
        return found.value if found is not None else None


@lru_cache(200)
def _environ_name(header: str) -> str:
    return "HTTP_" + header.upper().replace("-", "_")


Identify = Callable[[RequestHead], Caller | None]


@dataclass(frozen=True, slots=True)
class Identification:
    """A kind of credential in the request header ``header``, a name in lower case. ``identify`` returns the caller, or
    None if the credential is of another kind, and raises AccessError to refuse it. It must not block: the server also
    calls it before it reads a body."""

    header: str
    identify: Identify


class Identifications:
    """The identifications of an application, in the order in which they are tried."""

    def __init__(self, known: tuple[Identification, ...]) -> None:
        self._known = known
        self.headers = tuple(dict.fromkeys(each.header for each in known))
        """The names of the headers with credentials, in lower case."""

    def caller(self, head: RequestHead) -> Caller | None:
        """The caller; None if no identification recognises a credential. Raises AccessError."""
        for each in self._known:
            if head.header(each.header) is not None:
                caller = each.identify(head)
                if caller is not None:
                    return caller
        return None


def identifications(plugins: Plugins, **arguments: Any) -> Identifications:
    """The identifications that the plugins provide."""
    found = plugins.by_plugin("identifications", **arguments)
    return Identifications(tuple(_guarded(plugins, plugin, each) for plugin, some in found for each in some))


def _guarded(plugins: Plugins, plugin: str, identification: Identification) -> Identification:
    def identify(head: RequestHead) -> Caller | None:
        try:
            return identification.identify(head)
        except PorticoError:
            raise
        except Exception:
            plugins.blame(plugin, "identifications")
            raise

    return Identification(identification.header, identify)
