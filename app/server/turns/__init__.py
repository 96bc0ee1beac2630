"""Threads that take turns waiting on all connections."""
