"""Compares responses of the GraphQL API with the results of SQL, on any database: ``portico verify``.

Each file has one kind of comparison and writes its own SQL: nothing here uses the planner that is verified.
Nothing that serves requests imports this package.
"""
