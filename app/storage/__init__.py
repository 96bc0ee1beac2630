"""Object storage: metadata in PostgreSQL under the caller's rights, bytes in a backend.

Every file holds one idea. The operations are functions from (Storage, Call) to an Answer; ``routes.py`` tells which
request is which operation, ``app/resources/storage.py`` turns HTTP into a Call and an Answer into HTTP.
"""
