"""Nested inserts: the objects of a request sorted into batches, and the statements that write them."""
