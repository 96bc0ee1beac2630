"""Object storage: metadata in PostgreSQL under the caller's rights, bytes in a backend.

The files of this folder are the core. Its operations are functions of a Storage, an Asker and plain values; they raise
the errors of ``errors.py`` and know no protocol. A face speaks one: ``rest/`` turns requests into calls of the core and
what comes back into answers. ``http/`` is what faces that speak HTTP share.
"""
