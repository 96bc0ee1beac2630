"""Backends, places for imports and exports, and other features of the storage."""
