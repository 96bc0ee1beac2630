"""The database's schema as one immutable value, and the part of it that a role may see."""
