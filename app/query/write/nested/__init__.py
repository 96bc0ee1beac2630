"""Nested inserts: sorts the objects of a request into batches, and plans the statements that write these."""
