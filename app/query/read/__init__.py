"""Collections of rows: their order, their pages, cursors, keys, and the relationships between them."""
