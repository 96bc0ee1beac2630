"""Where the database is: ``DATABASE_URL`` and all the other places from which libpq reads parameters.

The result is a Target. Nothing here opens a connection.
"""
