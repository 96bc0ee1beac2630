"""Object storage: metadata in PostgreSQL under the caller's rights, bytes in a backend.

The files in this folder are the core. Its operations are functions of a Storage, an Asker and plain values; they raise
the errors in ``errors.py`` and know no protocol. A face implements one protocol: ``rest/`` turns requests into calls to
the core, and results into answers. ``http/`` holds what faces that speak HTTP share.
"""
