from __future__ import annotations


class EmbeddedError(RuntimeError):
    """The embedded PostgreSQL cannot be used; the message tells the operator why, and what to do."""


class StillInUse(EmbeddedError):
    """Processes of a killed server are still running."""
