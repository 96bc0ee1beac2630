"""Calling functions of the database, and what their results become."""
