"""Plugins for Portico, each in its own file."""
