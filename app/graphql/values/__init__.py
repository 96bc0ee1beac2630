"""Values of a request: literals and variables, and how values of PostgreSQL's types cross the API."""
