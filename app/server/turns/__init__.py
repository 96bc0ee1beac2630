"""Threads that take turns in waiting on all connections."""
