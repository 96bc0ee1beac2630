from __future__ import annotations


class EmbeddedError(RuntimeError):
    """The embedded PostgreSQL cannot be used; the message tells the operator the reason and a remedy."""


class StillInUse(EmbeddedError):
    """Processes of a killed server are still running."""
