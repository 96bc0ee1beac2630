"""Values of a request: literals and variables, and the conversion of PostgreSQL's values to and from JSON."""
