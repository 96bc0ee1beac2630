"""Portico Studio: a web page that shows a service's data, its schema, and the rights of each role."""
