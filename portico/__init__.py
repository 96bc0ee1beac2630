"""The public names of Portico, for plugins and for embedding it. docs/plugins.md lists them.

Import from here, and from ``portico.testing`` in tests; everything else may change in any release.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from portico.own_packages import check

check()

if TYPE_CHECKING:
    from portico.names import *  # noqa: F403
    from portico.names import __all__ as __all__
else:
    # Hidden from type checkers, which would otherwise accept any name.
    def __getattr__(name: str) -> Any:
        """The name, or ``__all__``. The names are imported at the first use of one of them: this takes longer than most
        commands, and Python runs this file before ``portico.__main__``."""
        names = import_module("portico.names")
        if name not in ("__all__", *names.__all__):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(names, name)


def __dir__() -> list[str]:
    return [*globals(), *import_module("portico.names").__all__]
