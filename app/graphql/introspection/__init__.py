"""Introspection: the description of a schema, as JSON text."""
