"""Filters: conditions on rows, the operators that compare a column, and which patterns a request may use."""
