"""The database's address: ``DATABASE_URL`` and all the other places from which libpq reads connection parameters.

The result is a Target. Nothing here opens a connection.
"""
