"""Scalar types: the conversion of a request's JSON to PostgreSQL's values, and of these to JSON."""
