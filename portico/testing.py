"""The types of the fixtures for tests: ``portico_app``, ``portico_database``, ``portico_service`` and
``portico_server``."""

from __future__ import annotations

from app.testing.fixtures import MakeDatabase, MakeService
from app.testing.service import Service

__all__ = ["MakeDatabase", "MakeService", "Service"]
