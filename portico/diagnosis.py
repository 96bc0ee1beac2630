"""The findings of ``portico doctor``, for plugins that show them."""

from __future__ import annotations

from app.commands.doctor import findings
from app.commands.finding import Finding

__all__ = ["Finding", "findings"]
