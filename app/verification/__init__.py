"""Compares the answers of the GraphQL API with SQL, on any database: ``portico verify``.

Each file holds one kind of comparison, and writes its SQL on its own: nothing here uses the planner that it judges.
Nothing that serves requests imports this package.
"""

from app.verification.report import Difference, Verification
from app.verification.walk import Extent, verify

__all__ = ["Difference", "Extent", "Verification", "verify"]
