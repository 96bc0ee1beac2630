"""Filters: conditions on rows, the operators that compare a column, and checks of patterns and paths in a request."""
