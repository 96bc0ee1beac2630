"""Running statements for a caller: context, flights, transactions, and the choice between primary and replicas.

Nothing here depends on GraphQL or on the storage.
"""
