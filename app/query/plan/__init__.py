"""One SQL statement under construction: the walk over the selected fields, rows, parameters and counts."""
