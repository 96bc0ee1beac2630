"""Installs Portico's objects in the database, for ``portico init`` and CREATE EXTENSION. Nothing else installs them.

docs/database.md describes the objects; the SQL is in ``sql/``.
"""

from app.installation.install import (
    OLDEST_SERVER,
    Grants,
    InstallationError,
    Report,
    closed_relations,
    install,
    make_logins,
    uninstall,
    upgrade,
)
from app.installation.missing import Problem, storage_damage
from app.installation.public_relations import ClosedRelation, readable_private_relations
from app.installation.state import InstallationState, immutable, outdated, read_server, read_state, unsupported
from app.installation.version import VERSION

__all__ = [
    "OLDEST_SERVER",
    "VERSION",
    "ClosedRelation",
    "Grants",
    "InstallationError",
    "InstallationState",
    "Problem",
    "Report",
    "closed_relations",
    "immutable",
    "install",
    "make_logins",
    "outdated",
    "read_server",
    "read_state",
    "readable_private_relations",
    "storage_damage",
    "uninstall",
    "unsupported",
    "upgrade",
]
