"""Plugins for Portico, each in a file of its own."""
