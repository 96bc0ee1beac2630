"""The limit on open files: each connection needs one."""

from __future__ import annotations

import contextlib

try:
    import resource
except ImportError:
    # Windows has no such limit.
    resource = None  # type: ignore[assignment]


def raise_open_file_limit() -> None:
    """Raise the soft limit to the hard limit. The soft limit is usually low, for programs that use select(2)."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems allow less than they report.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
