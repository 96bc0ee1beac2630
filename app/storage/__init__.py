"""Object storage: metadata in PostgreSQL under the caller's rights, bytes in a backend.

Operations are functions of a Storage, a RequestContext and plain values; they raise the errors in ``errors.py`` and
know no protocol. The protocols are in ``app.faces``.
"""
