"""The types of the fixtures for plugin tests: ``portico_database``, ``portico_service`` and ``portico_server``."""

from __future__ import annotations

from app.testing import MakeDatabase, MakeService, Service

__all__ = ["MakeDatabase", "MakeService", "Service"]
