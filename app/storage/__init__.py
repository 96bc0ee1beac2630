"""Object storage: metadata in PostgreSQL under the caller's rights, bytes in a backend.

Operations are functions of a Storage, a RequestContext and plain values. They raise the errors in ``errors.py`` and
do not depend on a protocol; the protocols are in ``app.faces``.
"""
