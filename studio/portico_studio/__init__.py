"""Portico Studio: a page in which people see a service's data, its schema, and who may see what."""
