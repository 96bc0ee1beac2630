"""One connection to PostgreSQL: start-up, TLS, the protocol's messages, and the statements that are sent.

A connection knows no pool and no caller.
"""
