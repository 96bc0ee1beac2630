"""The database as one immutable value: what exists, and what a role may see of it."""
