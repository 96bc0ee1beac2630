"""Inserts, updates, deletes and upserts: new values, conflicts, and the affected rows."""
