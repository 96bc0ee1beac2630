"""The text of a GraphQL document becomes an operation: limits, syntax, validation, and the fields that it selects.

Nothing here knows the database.
"""
