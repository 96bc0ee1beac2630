"""Calls of database functions, and their results in the API."""
