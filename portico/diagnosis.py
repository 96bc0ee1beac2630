"""What ``portico doctor`` finds, for plugins that show it."""

from __future__ import annotations

from app.commands.doctor import findings
from app.commands.finding import Finding

__all__ = ["Finding", "findings"]
