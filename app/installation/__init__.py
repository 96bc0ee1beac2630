"""Installs Portico's objects in the database, for ``portico init`` and CREATE EXTENSION. Nothing else installs them.

docs/database.md describes the objects; the SQL is in ``sql/``.
"""
