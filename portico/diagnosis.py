"""What ``portico doctor`` finds, for plugins that show it."""

from __future__ import annotations

from app.commands.diagnosis import Finding
from app.commands.doctor import findings

__all__ = ["Finding", "findings"]
