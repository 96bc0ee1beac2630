"""How many files a process may have open: each connection is one."""

from __future__ import annotations

import contextlib

try:
    import resource
except ImportError:
    # Windows has no such limit.
    resource = None  # type: ignore[assignment]


def open_as_many_as_granted() -> None:
    """Raise the limit, which is low for the sake of programs that use select(2), to what the system grants us."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems grant less than they tell.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
