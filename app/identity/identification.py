"""Who calls, by other credentials than ours: what plugins take for one, and whom they take the bearer for.

A plugin is asked only where the header that it names is there. A mistake in it fails the request and is told as the
plugin's: nobody is taken for somebody else, or for nobody, because a check did not work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from app.errors import PorticoError
from app.identity.caller import Caller
from app.plugin_guard import Plugins


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The head of a request, for a plugin to see who sent it."""

    method: str
    path: str
    read: Callable[[str], str | None]

    @classmethod
    def of(cls, method: str, path: str, environ: Mapping[str, Any]) -> RequestHead:
        """That of a WSGI request."""
        return cls(method, path, lambda name: environ.get("HTTP_" + name.upper().replace("-", "_")))

    def header(self, name: str) -> str | None:
        """The value of a header, by its name in lower case; None where it is not there."""
        return self.read(name)

    def cookie(self, name: str) -> str | None:
        """The value of a cookie; None where it is not there or the cookies cannot be read."""
        try:
            found = SimpleCookie(self.header("cookie") or "").get(name)
        except CookieError:
            return None
        return found.value if found is not None else None


Identify = Callable[[RequestHead], Caller | None]


@dataclass(frozen=True, slots=True)
class Identification:
    """A credential in the request header ``header``, a name in lower case. ``identify`` gives who presents it, None
    where it is not one of its own, and raises AccessError to refuse. It must not wait: the server asks it also before
    it reads a body."""

    header: str
    identify: Identify


class Identifications:
    """The identifications of an application, in the order in which they are asked."""

    def __init__(self, known: tuple[Identification, ...]) -> None:
        self._known = known

    def caller(self, head: RequestHead) -> Caller | None:
        """Who sent the request, None where nobody knows. Raises AccessError."""
        for each in self._known:
            if head.header(each.header) is not None:
                caller = each.identify(head)
                if caller is not None:
                    return caller
        return None


def identifications(plugins: Plugins, **arguments: Any) -> Identifications:
    """Those that the plugins have."""
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
