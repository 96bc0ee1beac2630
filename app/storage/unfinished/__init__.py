"""Uploads in pieces: what is received is kept until it is complete, and then becomes an object in one step.

Each part has a blob of its own, which nobody writes to again, and counts once its row is committed. So no lock is held
while bytes arrive or are stored, any process can continue any upload, and a crash at any moment leaves at worst bytes
that no row names.
"""
