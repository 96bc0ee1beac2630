"""The object storage API: metadata rows in PostgreSQL, bytes in a backend."""
