"""Builds one SQL statement: the walk over the selected fields, rows, parameters and counts."""
