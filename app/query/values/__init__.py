"""Scalar types: how a request's JSON becomes a value of PostgreSQL, and how that is printed."""
