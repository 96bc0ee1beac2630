"""Introspection: what a schema says of itself, as JSON text."""
