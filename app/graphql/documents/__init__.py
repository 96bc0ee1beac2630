"""From the text of a GraphQL document to an operation: limits, syntax, validation, and the fields that it selects.

Nothing here knows the database.
"""
