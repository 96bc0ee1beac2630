"""One connection to PostgreSQL: start-up, TLS, the protocol's messages, and the statements that are sent.

Nothing here depends on the pool or on callers.
"""
