"""The limit on open files: each connection needs one."""

from __future__ import annotations

import contextlib

try:
    import resource
except ImportError:
    # Windows has no such limit.
    resource = None  # type: ignore[assignment]


def raise_open_file_limit() -> None:
    """Raise the soft limit, which is low because of programs that use select(2), to the hard limit."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems allow less than they report.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
